package hosted_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
)

// waits counts the requests that wait for a change, since it was last called.
func (w *world) waits() (n int) {
	for _, r := range w.wire.requests() {
		if strings.HasSuffix(r.URL.Path, "/change") {
			n++
		}
	}
	return n
}

func as(release string, answer http.HandlerFunc) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if release != "" {
			w.Header().Set("Server", "memend/"+release)
		}
		w.Header().Set("Content-Type", "application/json")
		answer(w, nil)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
}

// Only a server that says that it is memend is asked to wait; one that can't is asked once.
func TestOnlyAMemendThatCanWaitIsAskedTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	service, err := hosted.New(w.http.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := service.Store(string(w.store.Info().ID))
	wait := func(known versions.Latest) (versions.Latest, error) {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		return s.WaitForChange(ctx, known)
	}
	answersAs := func(release string) {
		t.Helper()
		w.wire.set(always(as(release, text(`{"data":[]}`))))
		if _, err := service.Stores(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.wire.requests()
	}

	answersAs("") // another program
	if _, err := wait(versions.Latest{}); !errors.Is(err, versions.ErrNoWait) || w.waits() != 0 {
		t.Errorf("another program: %v", err)
	}

	answersAs("v1") // an old memend
	w.wire.set(always(as("v1", func(w http.ResponseWriter, _ *http.Request) { status(404)(w) })))
	for _, want := range []int{1, 0} {
		if _, err := wait(versions.Latest{}); !errors.Is(err, versions.ErrNoWait) {
			t.Errorf("an old memend: %v", err)
		}
		if n := w.waits(); n != want {
			t.Errorf("an old memend was asked %d times, want %d", n, want)
		}
	}

	answersAs("v2") // it was updated
	w.wire.set(nil)
	w.write(w.store, "/a.md", "a\n")
	if now, err := wait(versions.Latest{}); err != nil || now != (versions.Latest{Change: 1}) || w.waits() != 1 {
		t.Errorf("a memend that can wait: %+v, %v", now, err)
	}

	known := versions.Latest{Change: 1}
	for name, answer := range map[string]func(http.ResponseWriter){"busy": status(503), "cut": cut, "other": as("v2", text(`{"type":"x"}`)), "no JSON": as("v2", text(`<p>`))} {
		w.wire.set(always(answer))
		if now, err := wait(known); err == nil || errors.Is(err, versions.ErrNoWait) || now != known || w.waits() == 0 {
			t.Errorf("%s: %+v, %v", name, now, err)
		}
	}
}
