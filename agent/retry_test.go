package agent

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"
)

func TestRetryableErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&Failure{Type: "rate_limit_error", Status: 429}, true},
		{&Failure{Type: "overloaded_error", Status: 529}, true},
		{&Failure{Type: "api_error", Status: 500}, true},
		{&Failure{Type: "timeout_error", Status: 504}, true},
		{&Failure{Type: "x", Status: 408}, true},
		{&Failure{Type: "overloaded_error"}, true}, // within the stream
		{&Failure{Type: "rate_limit_error"}, true},
		{ErrCut, true},
		{fmt.Errorf("read: %w", ErrStalled), true},
		{&url.Error{Op: "Post", URL: "http://127.0.0.1", Err: errors.New("refused")}, true},
		{fmt.Errorf("send: %w", &net.OpError{Op: "dial", Err: errors.New("refused")}), true},
		{&Failure{Type: "invalid_request_error", Status: 400}, false},
		{&Failure{Type: "authentication_error", Status: 401}, false},
		{&Failure{Type: "permission_error", Status: 403}, false},
		{&Failure{Type: "not_found_error", Status: 404}, false},
		{&Failure{Type: "request_too_large", Status: 413}, false},
		{&Failure{Type: "invalid_request_error"}, false},
		{ErrNoCredentials, false},
		{errors.New("a bug of ours"), false},
	} {
		if got := retryable(c.err); got != c.want {
			t.Errorf("%v: %v", c.err, got)
		}
	}
}

func TestRetryDelays(t *testing.T) {
	err := errors.New("x")
	for attempt, want := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second, 5: 8 * time.Second, 6: 8 * time.Second, 99: 8 * time.Second} {
		if got := waitBefore(attempt, err, 0); got != want {
			t.Errorf("before retry %d: %v", attempt, got)
		}
		if got := waitBefore(attempt, err, 1); got != want*3/4 {
			t.Errorf("before retry %d with jitter: %v", attempt, got)
		}
	}
	for asked, want := range map[time.Duration]time.Duration{3 * time.Millisecond: 3 * time.Millisecond, 40 * time.Second: 40 * time.Second, time.Hour: 2 * time.Minute} {
		if got := waitBefore(4, &Failure{RetryAfter: asked}, 1); got != want {
			t.Errorf("asked for %v: %v", asked, got)
		}
	}
}

func TestRetriesCountDownAndDiscardEarlierOutput(t *testing.T) {
	half := says("end_turn", Usage{}, TextBlock("first try"), view("x"))
	onStage(t, func(st *stage) {
		s := st.start("go")
		time.Sleep(100 * time.Millisecond)
		if got := s.State(); got.Phase != PhaseRetrying || got.Retry.Attempt != 1 || time.Until(got.Retry.At) != 400*time.Millisecond || got.Retry.Failure.Type != "overloaded_error" {
			t.Errorf("state %+v", got.Retry)
		}
		waitIdle()
		st.sent(3, "u[go]")
		if got := st.kinds(); got != "session_started prompt request block retry retry block reply idle" {
			t.Errorf("events %s", got)
		}
		e := st.last(Retrying)
		if e.Attempt != 2 || e.Wait != Millis(7*time.Second) || e.Failure.Status != 429 {
			t.Errorf("the second retry is %+v", e)
		}
		if err := s.Send("more"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(4, "u[go] a[third] u[more]")
	}, step{reply: half, err: &Failure{Type: "overloaded_error"}, cut: 6},
		step{err: &Failure{Type: "rate_limit_error", Status: 429, RetryAfter: 7 * time.Second}},
		step{reply: says("end_turn", Usage{}, TextBlock("third"))})
}

func TestRetriesEnd(t *testing.T) {
	down := step{err: &Failure{Type: "api_error", Status: 500, Message: "down"}}
	onStage(t, func(st *stage) {
		s := st.start("go")
		waitIdle()
		if n := len(st.api.requests()); n != 4 { // the first and three more
			t.Errorf("%d requests", n)
		}
		if got := s.State(); got.Reason != "500 api_error: down" || got.Failure.Type != "api_error" || got.Phase != PhaseIdle || got.Turn != 1 {
			t.Errorf("state %+v", got)
		}
	}, down, down, down, down, down)
}

func TestStopEndsTheWaitForARetry(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go")
		time.Sleep(time.Second)
		before := time.Now()
		s.Stop()
		for s.State().Phase != PhaseIdle {
			time.Sleep(time.Millisecond)
		}
		if d := time.Since(before); d > 10*time.Millisecond {
			t.Errorf("took %v", d)
		}
		waitIdle()
		if n := len(st.api.requests()); n != 1 || s.State().Reason != "stopped" {
			t.Errorf("%d requests, %q", n, s.State().Reason)
		}
	}, step{err: &Failure{Type: "rate_limit_error", Status: 429, RetryAfter: time.Minute}})
}

func TestPermanentErrorsAreNotRetried(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go")
		waitIdle()
		if len(st.api.requests()) != 1 || s.State().Failure.Type != "credentials" {
			t.Errorf("%d requests, %+v", len(st.api.requests()), s.State().Failure)
		}
	}, step{err: fmt.Errorf("%w: set A_VARIABLE", ErrNoCredentials)})
}
