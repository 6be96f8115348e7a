package replica

import (
	"context"
	"math/rand/v2"
	"os"
	"time"

	"github.com/memend/memend/versions"
)

// These are the pauses between two pulls while somebody watches a hosted store, after the first ones (core.NewsPace). A pull is
// cheap: it lists the newest versions.
const (
	idlePace     = 20 * time.Second // at most, without news
	troublePace  = 5 * time.Second  // at first, while the service can't be used
	longestPace  = time.Minute      // at most, while the service can't be used
	comparePause = time.Hour        // between two comparisons with all of the service's memories
)

// Poll implements [Replica].
func (s *replica) Poll(ctx context.Context, tell func(*versions.UpstreamState, error)) {
	pace, wanted := s.Trail.NewsPace, false
	for ctx.Err() == nil {
		o := versions.PullOptions{Compare: s.dueToCompare()}
		if !o.Compare && !wanted && s.polledElsewhere(pace) {
			pace = s.Trail.NewsPace
		} else {
			before := UpstreamState(s.Store)
			got, err := Pull(ctx, s.Store, o)
			if ctx.Err() != nil {
				return
			}
			now := UpstreamState(s.Store)
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
	if UpstreamState(s.Store).Trouble == versions.RateLimited {
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
	age := s.Trail.Now().Sub(fi.ModTime())
	return age >= 0 && age < pace/2
}

func (s *replica) nextPace(pace time.Duration, got versions.Pulled, err error, now versions.UpstreamState) time.Duration {
	switch {
	case err == nil && got.Versions+got.Redacted > 0:
		return s.Trail.NewsPace
	case err == nil:
		return min(max(pace, s.Trail.NewsPace)*5/4, max(idlePace, s.Trail.NewsPace))
	case now.Trouble == versions.RateLimited && !now.Until.IsZero():
		return max(time.Until(now.Until), troublePace)
	}
	return min(max(pace*2, troublePace), longestPace)
}

// jittered varies a duration, so that programs that started together don't send their requests
// together.
func jittered(d time.Duration) time.Duration {
	return d - time.Duration(rand.Float64()*0.25*float64(d))
}
