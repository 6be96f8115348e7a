package versions

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"
)

// How often the service of a hosted store is asked while somebody watches it. Each
// time is a cheap question: what are the newest versions? Tests are in more of a hurry.
var askPaces = struct {
	first, idle          time.Duration // after news, and at most without any
	trouble, troubleMost time.Duration // when it can't be asked, at first and at most
	compare              time.Duration // between two looks at all that stands there
}{3 * time.Second, 20 * time.Second, 5 * time.Second, time.Minute, time.Hour}

// ask pulls what is new at the service, until ctx ends. What it brings is told as any
// change is.
func (w *watcher) ask(ctx context.Context) {
	trouble := ""
	w.s.keepUp(ctx, func(now *UpstreamState, err error) {
		if now != nil {
			w.note(Event{Upstream: now})
		}
		switch why := notOfService(err); {
		case why != nil && why.Error() != trouble:
			trouble = why.Error()
			w.note(Event{Err: why})
		case why == nil && trouble != "":
			trouble = ""
			w.note(Event{Reload: true})
		}
	})
}

// keepUp pulls now and then, until ctx ends. It tells how each pull went, and how the
// service is where that is news.
func (s *Store) keepUp(ctx context.Context, tell func(*UpstreamState, error)) {
	pace, wanted := askPaces.first, false
	for {
		o := PullOptions{Compare: s.toCompare()}
		if !o.Compare && !wanted && s.askedElsewhere(pace) {
			pace = askPaces.first
		} else {
			before := s.UpstreamState()
			got, err := s.Pull(ctx, o)
			if ctx.Err() != nil {
				return
			}
			now := s.UpstreamState()
			news := &now
			if now.Trouble == before.Trouble && now.Asked == before.Asked && now.Until == before.Until {
				news = nil
			}
			tell(news, err)
			pace = nextPace(pace, got, err, now)
		}
		if wanted = s.waitToAsk(ctx, jittered(pace)); ctx.Err() != nil {
			return
		}
	}
}

// waitToAsk waits, unless somebody wants to know at once; not where the service wants
// to be left alone.
func (s *Store) waitToAsk(ctx context.Context, d time.Duration) (wanted bool) {
	bell := s.wanted
	if s.UpstreamState().Trouble == RateLimited {
		bell = nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	case <-bell:
		return true
	}
	return false
}

// requestPull makes who keeps the replica up ask at once.
func (s *Store) requestPull() {
	select {
	case s.wanted <- struct{}{}:
	default: // nobody does, or it is wanted already
	}
}

// askedElsewhere reports whether another process has just heard the service out: then
// all that it had to say is in the trail.
func (s *Store) askedElsewhere(pace time.Duration) bool {
	fi, err := os.Stat(s.upFile())
	if err != nil {
		return false
	}
	age := s.t.now().Sub(fi.ModTime())
	return age >= 0 && age < pace/2
}

// notOfService is an error that the state of the service does not tell already.
func notOfService(err error) error {
	var trouble *UpstreamError
	if err == nil || errors.As(err, &trouble) || errors.Is(err, ErrNoStore) {
		return nil
	}
	return err
}

func nextPace(pace time.Duration, got Pulled, err error, now UpstreamState) time.Duration {
	switch {
	case err == nil && got.Versions+got.Redacted > 0:
		return askPaces.first
	case err == nil:
		return min(max(pace, askPaces.first)*5/4, askPaces.idle)
	case now.Trouble == RateLimited && !now.Until.IsZero():
		return max(time.Until(now.Until), askPaces.trouble)
	}
	return min(max(pace*2, askPaces.trouble), askPaces.troubleMost)
}

// jittered keeps programs that began together from asking together.
func jittered(d time.Duration) time.Duration {
	return d - time.Duration(rand.Float64()*0.25*float64(d))
}
