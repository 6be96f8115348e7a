package versions

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"
)

// askPaces sets how often memend requests changes from the service of a hosted store while somebody
// watches it. Each request is cheap: it lists the newest versions. Tests use shorter times.
var askPaces = struct {
	first, idle          time.Duration // after news, and at most without news
	trouble, troubleMost time.Duration // while the service can't be used: at first, and at most
	compare              time.Duration // between two comparisons with all of the service's memories
}{3 * time.Second, 20 * time.Second, 5 * time.Second, time.Minute, time.Hour}

// ask pulls from the service until ctx ends. Its changes are reported like any other change.
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

// keepUp pulls periodically until ctx ends. It calls tell with the result of each pull, and with
// the state of the service when that changed.
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

// waitToAsk waits for d, or until a pull is requested. While the service limits the rate, it
// ignores such requests.
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

// requestPull makes the process that keeps the replica up to date pull immediately.
func (s *Store) requestPull() {
	select {
	case s.wanted <- struct{}{}:
	default: // nobody keeps it up to date, or a request is already pending
	}
}

// askedElsewhere reports whether another process just pulled everything: the trail is then up to
// date.
func (s *Store) askedElsewhere(pace time.Duration) bool {
	fi, err := os.Stat(s.upFile())
	if err != nil {
		return false
	}
	age := s.t.now().Sub(fi.ModTime())
	return age >= 0 && age < pace/2
}

// notOfService returns err unless the state of the service already reports it.
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

// jittered varies a duration, so that programs that started together don't send their requests
// together.
func jittered(d time.Duration) time.Duration {
	return d - time.Duration(rand.Float64()*0.25*float64(d))
}
