package messages_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
)

// cutAt meets a fault after so many events.
func cutAt(t *testing.T, kind script.FaultKind, n int) (*agent.Reply, error) {
	t.Helper()
	turn := rich()
	turn.Faults = []script.Fault{{Kind: kind, After: n, Type: "overloaded_error", Message: "Overloaded"}}
	_, c := serve(t, turn)
	return c.Stream(t.Context(), request(), nil)
}

func TestATurnCountsOnlyAfterMessageStop(t *testing.T) {
	t.Parallel()
	_, c := serve(t, rich())
	whole, err := c.Stream(t.Context(), request(), nil)
	if err != nil {
		t.Fatal(err)
	}
	events := 0 // of the turn
	for _, kind := range []script.FaultKind{script.Cut, script.Break, script.Reset} {
		partials, calls := 0, 0
		for n := 0; ; n++ {
			r, err := cutAt(t, kind, n)
			if n > 200 {
				t.Fatal("the turn never ends")
			}
			if kind == script.Reset && n > events {
				break // it takes message_stop along, where that is not read yet
			}
			events = max(events, n)
			// The fault after the last event is one after message_stop: nobody reads it.
			if err == nil {
				if r.Stop != whole.Stop || len(r.Content) != len(whole.Content) {
					t.Errorf("whole after %d events: %+v", n, r)
				}
				break
			}
			var f *agent.Failure
			switch {
			case kind == script.Break && (!errors.As(err, &f) || f.Type != "overloaded_error" || f.Status != 0 || f.RequestID == ""):
				t.Fatalf("error after %d events: %v", n, err)
			case kind != script.Break && !errors.Is(err, agent.ErrCut) && n > 0:
				t.Fatalf("cut after %d events: %v", n, err)
			}
			if r == nil {
				continue // reset before the answer began
			}
			if r.Stop != "" {
				t.Errorf("cut after %d events it stopped for %q", n, r.Stop)
			}
			partials += check(t, n, r, whole)
			calls = max(calls, len(r.Content))
		}
		// A reset takes along what was sent and not read yet.
		if kind != script.Reset && (partials == 0 || calls != len(whole.Content)) {
			t.Errorf("%v: %d partial texts, up to %d blocks", kind, partials, calls)
		}
	}
}

// check holds a broken reply against the whole: finished blocks are the first of it,
// and what is partial is a text. It gives 1 if there is one.
func check(t *testing.T, n int, r, whole *agent.Reply) int {
	t.Helper()
	for i, b := range r.Content {
		sameJSON(t, fmt.Sprintf("block %d after %d events", i, n), b.Raw(), whole.Content[i].Raw())
	}
	if r.Partial == nil {
		return 0
	}
	if r.Partial.Type != agent.TypeText || r.Partial.Text == "" || !strings.HasPrefix(whole.Content[1].Text, r.Partial.Text) {
		t.Errorf("partial after %d events: %+v", n, r.Partial)
	}
	return 1
}

func TestCancelAtEveryEvent(t *testing.T) {
	t.Parallel()
	_, c := serve(t, rich())
	total := 0
	whole, err := c.Stream(t.Context(), request(), func(agent.Delta) { total++ })
	if err != nil {
		t.Fatal(err)
	}
	partials := 0
	for n := range total {
		ctx, cancel := context.WithCancel(t.Context())
		reported := 0
		r, err := c.Stream(ctx, request(), func(agent.Delta) {
			if reported++; reported == n+1 {
				cancel()
			}
		})
		cancel()
		if !errors.Is(err, context.Canceled) || reported != n+1 || r == nil || r.Stop != "" {
			t.Fatalf("cancelled at event %d of %d: told %d, %+v, %v", n, total, reported, r, err)
		}
		partials += check(t, n, r, whole)
	}
	if partials == 0 {
		t.Error("no cancel left a partial text")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the person left"))
	if _, err := c.Stream(ctx, request(), nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the person left") {
		t.Errorf("cancelled with a cause: %v", err)
	}
}

func TestFailuresBeforeTheStream(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		fault script.Fault
		want  agent.Failure
	}{
		{script.RateLimited(1500 * time.Millisecond), agent.Failure{Type: "rate_limit_error", Status: 429, RetryAfter: 1500 * time.Millisecond}},
		{script.Fault{Kind: script.Refuse, Status: 429, Type: "rate_limit_error", Message: "m", RetryAfter: 1500 * time.Millisecond, Seconds: true}, agent.Failure{Type: "rate_limit_error", Status: 429, RetryAfter: 2 * time.Second}},
		{script.Overloaded(), agent.Failure{Type: "overloaded_error", Status: 529}},
		{script.ServerError(), agent.Failure{Type: "api_error", Status: 500}},
		{script.Fault{Kind: script.Refuse, Status: 418, Type: "teapot_error", Message: "m"}, agent.Failure{Type: "teapot_error", Status: 418}},
	} {
		s, c := serve(t, script.Turn{Faults: []script.Fault{f.fault}, Blocks: []script.Block{script.Say("hi")}})
		r, err := c.Stream(t.Context(), request(), nil)
		var got *agent.Failure
		if !errors.As(err, &got) || r != nil {
			t.Fatalf("%v: %+v, %v", f.fault, r, err)
		}
		if got.Type != f.want.Type || got.Status != f.want.Status || got.RetryAfter != f.want.RetryAfter || got.Message != f.fault.Message || got.RequestID == "" {
			t.Errorf("%+v is told as %+v", f.fault, got)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests: who retries is the loop", n)
		}
		if r, err := c.Stream(t.Context(), request(), nil); err != nil || r.Content[0].Text != "hi" {
			t.Errorf("the second try: %+v, %v", r, err)
		}
	}
}

func TestResponsesThatAreNotFromTheAPI(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/html")
		w.Header().Set("retry-after", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "<html>busy</html>")
	}))
	defer srv.Close()
	_, err := client(t, srv.URL).Stream(t.Context(), request(), nil)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Type != "api_error" || f.Status != 503 || f.Message != "Service Unavailable" || f.RetryAfter < 58*time.Minute {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := raw(t, "text/html", "<html>hello</html>").Stream(t.Context(), request(), nil); err == nil || !strings.Contains(err.Error(), "text/html") {
		t.Errorf("a page in the place of a stream: %v", err)
	}
	srv.Close()
	_, err = client(t, srv.URL).Stream(t.Context(), request(), nil)
	if err == nil || errors.As(err, &f) && f == nil {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestStalledStreamsEndAndPingsKeepThemAlive(t *testing.T) {
	t.Parallel()
	stall := rich()
	stall.Faults = []script.Fault{{Kind: script.Stall, After: 12}}
	_, c := serve(t, stall)
	r := request()
	r.Idle = 80 * time.Millisecond
	got, err := c.Stream(t.Context(), r, nil)
	if !errors.Is(err, agent.ErrStalled) || got == nil || got.Stop != "" {
		t.Errorf("%+v, %v", got, err)
	}

	hang := rich()
	hang.Faults = []script.Fault{{Kind: script.Hang, After: 12}}
	_, c = serveWith(t, script.Options{Ping: 20 * time.Millisecond, Conversations: []script.Conversation{script.Play(hang)}})
	ctx, cancel := context.WithTimeout(t.Context(), 6*r.Idle)
	defer cancel()
	r.Idle *= 2
	if _, err := c.Stream(ctx, r, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with pings: %v", err)
	}
	// Not even an answer.
	_, c = serveWith(t, script.Options{Ping: time.Hour, Conversations: []script.Conversation{script.Play(script.Turn{Wait: time.Minute})}})
	r.Idle = 80 * time.Millisecond
	if _, err := c.Stream(t.Context(), r, nil); !errors.Is(err, agent.ErrStalled) {
		t.Errorf("before the first event: %v", err)
	}
}

// A service, or what stands in its place, may send more than this machine can hold.
// Not parallel: others measure time.
func TestEndlessAnswersAreRefused(t *testing.T) {
	large := bytes.Repeat([]byte(" "), 1<<20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "application/json")
		for range 80 {
			if _, err := w.Write(large); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `{"id":"m","content":[],"stop_reason":"end_turn"}`)
	}))
	t.Cleanup(srv.Close)
	c := client(t, srv.URL)
	if _, err := c.Ask(t.Context(), request()); err == nil || !strings.Contains(err.Error(), "response exceeds") {
		t.Error(err)
	}
}
