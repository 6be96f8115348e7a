package versions

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"
)

// These are the pauses between two pulls while somebody watches a hosted store whose service can't
// say when it changes. A pull is cheap: it lists the newest versions.
const (
	newsPace     = 3 * time.Second        // after news
	idlePace     = 20 * time.Second       // at most, without news
	troublePace  = 5 * time.Second        // at first, while the service can't be used
	longestPace  = time.Minute            // at most, while the service can't be used
	waitPause    = 200 * time.Millisecond // before a request that waits for a change: a busy store is pulled less often than it changes
	comparePause = time.Hour              // between two comparisons with all of the service's memories
)

// poll pulls from the service until ctx ends. Its changes are reported like any other change.
func (w *watcher) poll(ctx context.Context) {
	trouble := ""
	w.s.replica.poll(ctx, func(now *UpstreamState, err error) {
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

// poll keeps the replica up to date until ctx ends: it pulls when the service says that its store has
// changed, or periodically if the service can't say so. It calls tell with the result of each pull, and
// with the state of the service when that changed.
func (s *replica) poll(ctx context.Context, tell func(*UpstreamState, error)) {
	p := polling{replica: s, tell: tell, pace: s.t.newsPace}
	for ctx.Err() == nil {
		err := p.pullOnce(ctx)
		p.due = err == nil && p.waitForChange(ctx) == nil
		if p.due {
			p.pace = s.t.newsPace
		} else if ctx.Err() == nil {
			p.due = s.waitToPoll(ctx, jittered(p.pace))
		}
	}
}

// polling is one run of poll.
type polling struct {
	*replica
	tell   func(*UpstreamState, error)
	pace   time.Duration // until the next pull, if the service can't say when there is news
	due    bool          // there is a reason for the next pull
	known  Latest        // the service's history before the last pull; the zero Latest is unknown
	erased bool          // the service has erased versions since, perhaps old ones: only a full pull finds them
}

// pullOnce pulls, unless that would be of no use.
func (p *polling) pullOnce(ctx context.Context) error {
	o := PullOptions{Compare: p.dueToCompare(), Full: p.erased}
	if !o.Compare && !p.due && p.polledElsewhere(p.pace) {
		p.pace = p.t.newsPace
		return nil
	}
	before := p.UpstreamState()
	got, err := p.Pull(ctx, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	now := p.UpstreamState()
	news := &now
	if now.SameProblem(before) && now.Asked == before.Asked && now.Until == before.Until {
		news = nil
	}
	p.tell(news, err)
	p.pace = p.nextPace(p.pace, got, err, now)
	p.erased = p.erased && err != nil
	return err
}

// waitForChange waits until the service says that its store has changed, or somebody requests a
// pull. An error means that the service can't say so now.
func (p *polling) waitForChange(ctx context.Context) error {
	up, ok := p.up.(changeWaiter)
	if !ok {
		return ErrNoWait
	}
	for {
		if p.waitToPoll(ctx, jittered(waitPause)) {
			return nil
		}
		now, asked, err := p.nextChange(ctx, up)
		switch {
		case err != nil || asked:
			return err
		case now != p.known:
			p.erased = p.known != (Latest{}) && now.Redactions != p.known.Redactions
			p.known = now
			return nil
		case p.dueToCompare():
			return nil
		}
	}
}

// nextChange sends one request that waits for a change. It cancels the request when somebody asks
// for a pull.
func (p *polling) nextChange(ctx context.Context, up changeWaiter) (now Latest, asked bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan struct{})
	p.t.Go(func() {
		defer close(answered)
		now, err = up.WaitForChange(ctx, p.known)
	})
	select {
	case <-answered:
		return now, false, err
	case <-p.wanted:
		stop()
		<-answered
		return p.known, true, nil
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

// requestPull makes the process that keeps the replica up to date pull immediately.
func (s *replica) requestPull() {
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
