package hosted_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/watch"
	"github.com/memend/memend/versions/write"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

func hash(text string) versions.Hash { return sha256.Sum256([]byte(text)) }

func sorted(s []string) []string { slices.Sort(s); return s }

func TestAHostedStoreIsReadAndWrittenThroughTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.store, "/notes/a.md", "one\n")
	w.write(w.store, "/notes/a.md", "two\n")
	if got := w.pull(versions.PullOptions{}); got.Versions != 2 || w.file("notes/a.md") != "two\n" {
		t.Errorf("%+v, %q", got, w.file("notes/a.md"))
	}
	c := w.write(w.here, "/notes/a.md", "three\n")
	if c.Actor != alice.Actor || c.Kind != versions.KindEdit {
		t.Errorf("%+v", c)
	}
	w.agree()
	v, err := w.store.VersionAt(t.Context(), path("/notes/a.md"), 0)
	if err != nil || v.Actor.Kind != versions.APIKey || v.SHA256 != hash("three\n") {
		t.Errorf("%+v, %v", v, err)
	}
	for _, do := range []func() (versions.Change, error){
		func() (versions.Change, error) { return w.here.Rename(t.Context(), alice, path("/notes"), path("/n")) },
		func() (versions.Change, error) {
			return w.here.Write(t.Context(), robot, path("/empty.md"), nil, versions.Pre{Absent: true})
		},
		func() (versions.Change, error) { return w.here.Delete(t.Context(), alice, path("/n")) },
		func() (versions.Change, error) {
			return plan.Do(t.Context(), w.here, alice, plan.UndoLast{By: alice.Actor})
		},
		func() (versions.Change, error) {
			return plan.Do(t.Context(), w.here, alice, plan.RedoLast{By: alice.Actor})
		},
		func() (versions.Change, error) { // a file where a folder was
			return w.here.Write(t.Context(), alice, path("/n"), []byte("file\n"), versions.Pre{})
		},
	} {
		if c, err := do(); err != nil || c.Number == 0 {
			t.Fatalf("%+v, %v", c, err)
		}
		w.agree()
	}
	v, err = w.store.VersionAt(t.Context(), path("/empty.md"), 0)
	if err != nil || v.Size != 0 || w.file("empty.md") != "" {
		t.Errorf("%+v, %v, %q", v, err, w.file("empty.md"))
	}
}

func TestAuthorsAtTheServiceAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		by, here versions.By
	}{
		{alice, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "user_alice"}}},
		{robot, versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "sesn_robot"}, Session: "sesn_robot"}},
		{versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_2"}}, versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_2"}}},
	} {
		if _, err := w.store.Write(t.Context(), c.by, path("/a.md"), []byte("by "+c.by.Actor.Name), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
		w.pull(versions.PullOptions{})
		v, err := w.here.VersionAt(t.Context(), path("/a.md"), 0)
		if err != nil || v.Actor != c.here.Actor || v.Session != c.here.Session {
			t.Errorf("%v: %v, session %q, %v", c.by.Actor, v.Actor, v.Session, err)
		}
	}
}

func TestConflictsUseTheEnginesErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	w.write(w.store, "/a.md", "theirs\n")
	var conflict *versions.ConflictError
	if _, err := w.here.Write(t.Context(), alice, path("/a.md"), []byte("mine\n"), versions.Pre{SHA256: hash("one\n")}); !errors.As(err, &conflict) || conflict.Now != hash("theirs\n") {
		t.Errorf("%v", err)
	}
	if w.file("a.md") != "theirs\n" {
		t.Errorf("%q", w.file("a.md"))
	}
	w.write(w.store, "/a.md", "newer\n")
	if _, err := write.DeleteIf(t.Context(), w.here, alice, path("/a.md"), versions.Pre{SHA256: hash("theirs\n")}); !errors.As(err, &conflict) || conflict.Now != hash("newer\n") {
		t.Errorf("what nobody here has seen is deleted: %v", err)
	}
	if _, err := w.store.Delete(t.Context(), alice, path("/a.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.here.Write(t.Context(), alice, path("/a.md"), []byte("mine\n"), versions.Pre{SHA256: hash("newer\n")}); !errors.As(err, &conflict) || conflict.Now != (versions.Hash{}) {
		t.Errorf("%v", err)
	}
	w.write(w.store, "/dir/b.md", "b\n")
	if _, err := w.here.Write(t.Context(), alice, path("/dir"), []byte("x"), versions.Pre{}); !errors.Is(err, memfs.ErrIsFolder) && !errors.Is(err, memfs.ErrExist) {
		t.Errorf("%v", err)
	}
	w.agree()
}

// What is the matter with a service is told in words, and nothing is lost by it.
func TestFailuresAreClassified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   func(http.ResponseWriter)
		trouble versions.Trouble
	}{
		"a cut":               {cut, versions.Offline},
		"an error":            {status(500), versions.Offline},
		"unauthorized":        {status(401), versions.Unauthorized},
		"forbidden":           {status(403), versions.Unauthorized},
		"a limit":             {status(429, "retry-after", "60"), versions.RateLimited},
		"a redirect":          {status(302, "location", "http://127.0.0.1:1/"), versions.InvalidResponse},
		"an answer in HTML":   {page("text/html", "<html>"), versions.InvalidResponse},
		"half an answer":      {page("application/json", `{"type":"memory","id":`), versions.InvalidResponse},
		"an endless answer":   {endless, versions.InvalidResponse},
		"no hash":             {page("application/json", `{"type":"memory","id":"mem_1","content_sha256":"x"}`), versions.InvalidResponse},
		"nothing, ever":       {status(503), versions.Offline},
		"a limit for a while": {status(429, "retry-after", "0"), versions.RateLimited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time it waits to try again
			w := newWorld(t)
			w.write(w.here, "/a.md", "one\n")
			w.wire.set(always(c.fault))
			w.wire.requests()
			_, err := w.here.Write(t.Context(), alice, path("/a.md"), []byte("two\n"), versions.Pre{})
			var trouble *versions.UpstreamError
			if !errors.As(err, &trouble) || trouble.Trouble != c.trouble {
				t.Fatalf("%v", err)
			}
			if name == "an endless answer" && !strings.Contains(err.Error(), "response exceeds 64 MiB") {
				t.Errorf("it was read to its end: %v", err)
			}
			if s := replica.UpstreamState(w.here); s.Trouble != c.trouble || s.Err == nil {
				t.Errorf("%+v", s)
			}
			if calls := len(w.wire.requests()); name == "a limit" && (time.Until(trouble.Until) < 50*time.Second || calls != 1) {
				t.Errorf("until %v, after %d calls", trouble.Until, calls)
			}
			if w.file("a.md") != "one\n" {
				t.Errorf("%q", w.file("a.md"))
			}
			w.wire.set(nil)
			w.write(w.here, "/a.md", "two\n")
			if s := replica.UpstreamState(w.here); s.Trouble != versions.NoTrouble {
				t.Errorf("%+v", s)
			}
			w.agree()
		})
	}
}

func page(kind, text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("content-type", kind)
		_, _ = io.WriteString(w, text)
	}
}

func endless(w http.ResponseWriter) {
	w.Header().Set("content-type", "application/json")
	_, _ = io.WriteString(w, `{"type":"memory","content":"`)
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = 'x'
	}
	for range 80 {
		if _, err := w.Write(b); err != nil {
			return
		}
	}
}

// If an answer is lost, the write is retried, and is stored once.
func TestAWriteWithALostResponseHappensOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lose := func(method string) {
		lost := false
		w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
			if lost || r.Method != method {
				return nil, nil
			}
			lost = true
			return nil, cut
		})
	}
	lose("POST")
	if c := w.write(w.here, "/a.md", "one\n"); c.Kind != versions.KindCreate || c.Actor != alice.Actor {
		t.Errorf("%+v", c)
	}
	lose("POST")
	if c := w.write(w.here, "/a.md", "two\n"); c.Actor != alice.Actor || c.Number != 2 {
		t.Errorf("%+v", c)
	}
	lose("DELETE")
	if c, err := w.here.Delete(t.Context(), alice, path("/a.md")); err != nil || c.Number != 3 || c.Actor != alice.Actor {
		t.Errorf("%+v, %v", c, err)
	}
	w.wire.set(nil)
	w.agree()
	if n, _ := w.store.LastChange(t.Context()); n != 3 {
		t.Errorf("the service has %d changes", n)
	}
}

// A limit that the service reports after a lost answer says nothing about the lost one.
func TestALimitAfterALostResponseLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	n := 0
	w.wire.set(func(*http.Request) (before, after func(http.ResponseWriter)) {
		if n++; n == 1 {
			return nil, cut
		}
		return status(429, "retry-after", "60"), nil
	})
	_, err := w.here.Write(t.Context(), alice, path("/a.md"), []byte("two\n"), versions.Pre{})
	var trouble *versions.UpstreamError
	if !errors.As(err, &trouble) || trouble.Trouble != versions.RateLimited || !trouble.Unsure {
		t.Errorf("%+v, %v", trouble, err)
	}
	w.wire.set(nil)
}

// A create that got lost on its way, and meanwhile somebody else takes the path: what
// stands there when it is tried again is not taken for its own.
func TestALostWriteIsNotMistakenForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var once sync.Once
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method == "POST" {
			once.Do(func() {
				before = cut
				if _, err := w.store.Write(context.Background(), robot, path("/a.md"), []byte("theirs\n"), versions.Pre{}); err != nil {
					t.Error(err)
				}
			})
		}
		return before, nil
	})
	var conflict *versions.ConflictError
	if c, err := w.here.Write(t.Context(), alice, path("/a.md"), []byte("mine\n"), versions.Pre{Absent: true}); !errors.As(err, &conflict) || conflict.Now != hash("theirs\n") {
		t.Errorf("%+v, %v", c, err)
	}
	w.wire.set(nil)
	w.agree()
	if v, err := w.here.VersionAt(t.Context(), path("/a.md"), 0); err != nil || v.Session != robot.Session || w.file("a.md") != "theirs\n" {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestRemoteChangesReachWatchers(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events, err := watch.Watch(ctx, w.here)
	if err != nil {
		t.Fatal(err)
	}
	w.write(w.store, "/a.md", "theirs\n")
	began := time.Now()
	w.soon("it shows", func() bool {
		select {
		case e := <-events:
			return len(e.Changes) > 0 && e.Changes[0].Path == path("/a.md")
		default:
			return false
		}
	})
	t.Logf("after %v", time.Since(began))
	w.wire.set(always(status(401)))
	var state *versions.UpstreamState
	w.soon("trouble is told", func() bool {
		select {
		case e := <-events:
			state = e.Upstream
		default:
		}
		return state != nil && state.Trouble == versions.Unauthorized
	})
	stop()
	for range events {
	}
}

func TestKeysAreSentOnlyToTheirHost(t *testing.T) {
	w := newWorld(t)
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
	w.close()
	w.open()
	w.pull(versions.PullOptions{})
	for _, r := range w.wire.requests() {
		for k, vs := range r.Header {
			for _, v := range vs {
				if v == "sk-ant-secret" || v == "Bearer sk-ant-secret" {
					t.Errorf("%s: %s", k, v)
				}
			}
		}
	}
	// It is for the base URL of the SDK.
	t.Setenv("ANTHROPIC_BASE_URL", w.http.URL+"/")
	w.close()
	w.open()
	w.wire.requests()
	w.pull(versions.PullOptions{})
	if r := w.wire.requests()[0]; r.Header.Get("x-api-key") != "sk-ant-secret" && r.Header.Get("authorization") != "Bearer sk-ant-secret" {
		t.Errorf("%v", r.Header)
	}
	t.Setenv("ANTHROPIC_BASE_URL", "")
	t.Setenv("MEMEND_API_KEY", "theirs")
	w.close()
	w.open()
	w.wire.requests()
	w.pull(versions.PullOptions{})
	if r := w.wire.requests()[0]; r.Header.Get("x-api-key") != "theirs" && r.Header.Get("authorization") != "Bearer theirs" {
		t.Errorf("%v", r.Header)
	}
}
