package versions

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"
)

// These are the pauses between two pulls while somebody watches a hosted store. A pull is cheap: it
// lists the newest versions.
const (
	newsPace     = 3 * time.Second  // after news
	idlePace     = 20 * time.Second // at most, without news
	troublePace  = 5 * time.Second  // at first, while the service can't be used
	longestPace  = time.Minute      // at most, while the service can't be used
	comparePause = time.Hour        // between two comparisons with all of the service's memories
)

// poll pulls from the service until ctx ends. Its changes are reported like any other change.
func (w *watcher) poll(ctx context.Context) {
	trouble := ""
	w.s.replica.Poll(ctx, func(now *UpstreamState, err error) {
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

// Poll implements [Replica].
func (s *replica) Poll(ctx context.Context, tell func(*UpstreamState, error)) {
	pace, wanted := s.t.newsPace, false
	for ctx.Err() == nil {
		o := PullOptions{Compare: s.dueToCompare()}
		if !o.Compare && !wanted && s.polledElsewhere(pace) {
			pace = s.t.newsPace
		} else {
			before := s.UpstreamState()
			got, err := s.Pull(ctx, o)
			if ctx.Err() != nil {
				return
			}
			now := s.UpstreamState()
			news := &now
			if now.SameProblem(before) && now.Asked == before.Asked && now.Until == before.Until {
				news = nil
			}
			tell(news, err)
			pace = s.nextPace(pace, got, err, now)
		}
		wanted = s.waitToPoll(ctx, jittered(pace))
	}
}

// waitToPoll waits for d, or until a pull is requested. While the service limits the rate, it
// ignores such requests.
func (s *replica) waitToPoll(ctx context.Context, d time.Duration) (wanted bool) {
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

// RequestPull implements [Replica].
func (s *replica) RequestPull() {
	select {
	case s.wanted <- struct{}{}:
	default: // nobody keeps it up to date, or a request is already pending
	}
}

// polledElsewhere reports whether another process just pulled everything: the trail is then up to
// date.
func (s *replica) polledElsewhere(pace time.Duration) bool {
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

func (s *replica) nextPace(pace time.Duration, got Pulled, err error, now UpstreamState) time.Duration {
	switch {
	case err == nil && got.Versions+got.Redacted > 0:
		return s.t.newsPace
	case err == nil:
		return min(max(pace, s.t.newsPace)*5/4, max(idlePace, s.t.newsPace))
	case now.Trouble == RateLimited && !now.Until.IsZero():
		return max(time.Until(now.Until), troublePace)
	}
	return min(max(pace*2, troublePace), longestPace)
}

// jittered varies a duration, so that programs that started together don't send their requests
// together.
func jittered(d time.Duration) time.Duration {
	return d - time.Duration(rand.Float64()*0.25*float64(d))
}
