package agent

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"
)

const (
	firstWait     = 500 * time.Millisecond
	maxWait       = 8 * time.Second
	maxServerWait = 2 * time.Minute // the longest delay accepted from the API
	retriesJitter = 0.25
)

// errStopped is the cause when a person stops a run.
var errStopped = errors.New("stopped")

// retryable reports whether the same request may succeed later.
func retryable(err error) bool {
	if f := (*Failure)(nil); errors.As(err, &f) {
		switch f.Status {
		case 408, 409, 429:
			return true
		}
		// An error within the stream has no status.
		return f.Status >= 500 || slices.Contains([]string{"rate_limit_error", "overloaded_error", "api_error", "timeout_error"}, f.Type)
	}
	if errors.Is(err, ErrCut) || errors.Is(err, ErrStalled) {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne)
}

// waitBefore returns the delay before a retry: the one that the API asks for, otherwise an
// exponential backoff with jitter, so that clients don't retry at the same time.
func waitBefore(attempt int, err error, random float64) time.Duration {
	if f := (*Failure)(nil); errors.As(err, &f) && f.RetryAfter > 0 {
		return min(f.RetryAfter, maxServerWait)
	}
	wait := maxWait
	if attempt < 6 {
		wait = min(wait, firstWait<<(attempt-1))
	}
	return wait - time.Duration(random*retriesJitter*float64(wait))
}

// failureOf converts an error into the form for events.
func failureOf(err error) *Failure {
	f := (*Failure)(nil)
	if errors.As(err, &f) {
		return f
	}
	kind := "connection"
	switch {
	case errors.Is(err, errStopped), errors.Is(err, errClosed), errors.Is(err, context.Canceled):
		kind = cancelled
	case errors.Is(err, ErrCut):
		kind = "cut"
	case errors.Is(err, ErrStalled):
		kind = "stalled"
	case errors.Is(err, ErrNoCredentials):
		kind = "credentials"
	}
	return &Failure{Type: kind, Message: err.Error()}
}

// try sends a request until it succeeds, fails for good or is stopped. A retry discards what
// the attempt before it delivered.
func (s *Session) try(ctx context.Context, send func(context.Context) (*Reply, error)) (*Reply, error) {
	for attempt := 1; ; attempt++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		reply, err := send(ctx)
		if err == nil {
			return reply, nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return reply, cause
		}
		if attempt > s.settings().Retries || !retryable(err) {
			return reply, err
		}
		wait := waitBefore(attempt, err, s.manager.random())
		s.emit(Event{Kind: Retrying, Failure: failureOf(err), Attempt: attempt, Wait: Millis(wait)})
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
