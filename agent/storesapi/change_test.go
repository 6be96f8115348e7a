package storesapi

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// latest asks for the state of a store's history, with what the client knows.
func (w *world) latest(store string, change, redactions any) reply {
	w.Helper()
	return w.get(fmt.Sprintf("%s/change?change=%v&redactions=%v", store, change, redactions)).ok()
}

// waits starts a request that waits, and returns its answer when it comes.
func (w *world) waits(store string, change, redactions any) <-chan string {
	out := make(chan string, 1)
	before := w.api.waiting.n.Load()
	go func() {
		res, err := http.Get(fmt.Sprintf("%s%s/change?change=%v&redactions=%v", w.http.URL, store, change, redactions))
		if err != nil {
			out <- err.Error()
			return
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		out <- fmt.Sprint(res.StatusCode, " ", string(b))
	}()
	w.soon("it waits", func() bool { return w.api.waiting.n.Load() > before })
	return out
}

// answers checks what came.
func (w *world) answers(got <-chan string, status, change, redactions int) {
	w.Helper()
	want := fmt.Sprintf("%d {\"type\":\"memory_store_change\",\"change\":%d,\"redactions\":%d}\n", status, change, redactions)
	if answer := <-got; answer != want {
		w.Errorf("%q, want %q", answer, want)
	}
}

func TestAWaitingRequestIsAnsweredWhenItsStoreChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.store()
	other := w.screens(store) // as another process
	w.latest(store, 7, 0).has("type", "memory_store_change", "change", 0.0, "redactions", 0.0)

	got := w.waits(store, 0, 0)
	w.memory(store, "/a.md", "secret")
	w.answers(got, 200, 1, 0)

	got = w.waits(store, 1, 0)
	p, err := memfs.ParsePath("/a.md")
	if err != nil {
		t.Fatal(err)
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: versions.NewSession()}
	if _, err := other.store.Write(t.Context(), by, p, []byte("clean"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	w.answers(got, 200, 2, 0)

	got = w.waits(store, 2, 0)
	w.outside(store, "b.md", "theirs")
	w.answers(got, 200, 3, 0)

	got = w.waits(store, 3, 0)
	plan, err := other.store.PlanRedact(t.Context(), versions.RedactTarget{Match: []byte("secret")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.store.Redact(t.Context(), by, plan, versions.RedactChoice{}); err != nil {
		t.Fatal(err)
	}
	w.answers(got, 200, 3, 1)
}

func TestWaitingRequestsEndWithTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.store()
	one, two := w.waits(store, 0, 0), w.waits(store, 0, 0)
	w.api.EndWaiting()
	w.api.EndWaiting()
	w.answers(one, 200, 0, 0)
	w.answers(two, 200, 0, 0)
	w.latest(store, 0, 0) // a later one
}

func TestTooManyWaitingRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.store()
	w.api.waiting.n.Add(maxWaiting)
	if r := w.get(store + "/change"); r.status != http.StatusServiceUnavailable {
		t.Error(r.status, string(r.raw))
	}
	w.api.waiting.n.Add(-maxWaiting)
	w.latest(store, 1, 0)
	if r := w.get(store + "/change?change=-1"); r.status != http.StatusBadRequest {
		t.Error(r.status, string(r.raw))
	}
	if r := w.get(stores + "/memstore_nosuch/change"); r.status != http.StatusNotFound {
		t.Error(r.status, string(r.raw))
	}
}

// A log says once that a folder can't be watched, and every event wakes those who wait.
func TestListen_LogsOnceThatTheFolderIsPolled(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := &storeCache{log: slog.New(slog.NewTextHandler(&log, nil))}
	events := make(chan versions.Event, 3)
	for range 2 {
		events <- versions.Event{Polling: true}
	}
	events <- versions.Event{}
	close(events)
	var news broadcast
	woken := news.next()
	h.listen("memstore_x", events, &news)
	select {
	case <-woken:
	default:
		t.Error("nobody was woken")
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "polling=") {
		t.Errorf("%s", &log)
	}
}
