package storesapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/write"
)

func newServer(h http.Handler) *httptest.Server { return httptest.NewServer(h) }

// moveTo moves what a store's folder holds.
func (w *world) moveTo(store, folder string) {
	w.Helper()
	if err := os.Remove(folder); err != nil {
		w.Fatal(err)
	}
	if err := os.Rename(w.folder(store), folder); err != nil {
		w.Fatal(err)
	}
}

func TestBrowsersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, host := range []string{"localhost", "localhost:1", "LOCALHOST.", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:80"} {
		w.call("GET", storesPath, nil, "Host", host).ok()
	}
	for _, host := range []string{"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "0.0.0.0", "[::]", "1.localhost"} {
		w.call("GET", storesPath, nil, "Host", host).is(403, "permission_error")
		w.call("POST", storesPath, object{"name": "x"}, "Host", host).is(403, "permission_error")
	}
	for _, origin := range []string{"http://evil.example", "null", "http://localhost:1", "x", "https://127.0.0.1"} {
		w.call("POST", storesPath, object{"name": "x"}, "Origin", origin).is(403, "permission_error")
	}
	for _, site := range []string{"cross-site", "same-site"} {
		w.call("GET", storesPath, nil, "Sec-Fetch-Site", site).is(403, "permission_error")
	}
	if n := len(w.get(storesPath).rows()); n != 0 {
		t.Errorf("%d stores were made", n)
	}
	w.call("GET", storesPath, nil, "Origin", w.http.URL, "Sec-Fetch-Site", "same-origin").ok()
}

func TestATokenIsRequired(t *testing.T) {
	t.Parallel()
	const token = "a token that nobody guesses"
	w := newWorld(t, func(o *Options) { o.Guard, o.Local = tokens.Guard{Token: token}, false })
	for _, headers := range [][]string{{}, {"X-Api-Key", "x"}, {"X-Api-Key", token + "x"}, {"X-Api-Key", ""}, {"Authorization", token}, {"Authorization", "Basic " + token}, {"Authorization", "Bearer x"}} {
		w.call("GET", storesPath, nil, headers...).is(401, "authentication_error")
		w.call("POST", storesPath, object{"name": "x"}, headers...).is(401, "authentication_error")
	}
	for _, headers := range [][]string{{"X-Api-Key", token}, {"Authorization", "Bearer " + token}, {"Authorization", "bearer " + token, "X-Api-Key", "x"}, {"X-Api-Key", token, "Host", "memend.example"}} {
		w.call("POST", storesPath, object{"name": "x"}, headers...).ok()
	}
}

// buffer is a log that may be read while it is written.
type buffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

func (b *buffer) String() string {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.String()
}

// Neither the log nor the trail tells a key, nor the log what memories hold.
func TestTheLogContainsNoKeyAndNoContent(t *testing.T) {
	t.Parallel()
	var log buffer
	w := newWorld(t, func(o *Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	const key, content, path = "sk-ant-a-key", "a content that is secret", "a-path-that-is-secret"
	s := w.store()
	for _, as := range [][]string{{"X-Api-Key", key}, {"Authorization", "Bearer " + key}} {
		m := w.call("POST", s+"/memories", object{"path": "/" + path + as[0], "content": content}, as...).ok()
		w.call("GET", m.place(), nil, as...).ok()
		w.call("GET", s+"/memories?path_prefix=/"+path+"/", nil, as...).ok()
		w.call("POST", s+"/memories", object{"path": "/" + path + as[0], "content": content}, as...).is(409, "")
		w.call("POST", m.place(), "{"+content, as...).is(400, "")
		w.call("DELETE", m.place()+"/"+path, nil, as...).is(404, "")
	}
	for _, secret := range []string{key, content, path} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %q:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "status=409") || strings.Count(log.String(), "\n") < 13 {
		t.Errorf("the log says\n%s", log.String())
	}
	for _, name := range []string{"trail.db", "trail.db-wal"} {
		if b, err := os.ReadFile(filepath.Join(w.home, name)); err == nil && bytes.Contains(b, []byte(key)) {
			t.Errorf("%s holds the key", name)
		}
	}
}

// A fault of ours is an answer, and the next request is answered as before.
func TestAPanicGetsAResponse(t *testing.T) {
	t.Parallel()
	var log buffer
	w := newWorld(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.api.mux.HandleFunc("/v1/panic", func(rw http.ResponseWriter, r *http.Request) {
		w.api.serve(rw, r, func(*call) (any, error) { panic("broken") })
	})
	w.get("/v1/panic").is(500, "api_error")
	w.get(storesPath).ok()
	if !strings.Contains(log.String(), "broken") || !strings.Contains(log.String(), "guard_test.go") {
		t.Error("the log does not tell where it was")
	}
}

// While another process holds the trail, what reads is answered and what writes is
// told to come again; nothing of it is written later.
func TestATrailLockedByAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Wait = 300 * time.Millisecond })
	s := w.store()
	m := w.memory(s, "/a.md", "1")
	held, release := make(chan struct{}), make(chan struct{})
	other, err := engine.Open(t.Context(), w.home, versions.Options{Hook: func(step string) error {
		if step == "before-intent-commit" {
			close(held)
			<-release
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	done := make(chan error, 1)
	go func() {
		st, err := other.OpenStore(t.Context(), versions.StoreID(m.str("memory_store_id")))
		if err == nil {
			p, _ := parsePath("/theirs.md")
			_, err = write.CreateMemory(t.Context(), st, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, p, []byte("theirs"))
			_ = st.Close()
		}
		done <- err
	}()
	<-held
	w.get(m.place()).ok().has("content", "1")
	w.get(s + "/memories").ok()
	for _, r := range []reply{
		w.post(s+"/memories", object{"path": "/b.md", "content": "1"}), w.post(m.place(), object{"content": "2"}), w.delete(m.place()),
		w.post(storesPath, object{"name": "x"}), w.post(s, object{"name": "x"}), w.post(s+"/archive", nil),
	} {
		r.is(503, "api_error")
		if r.header.Get("X-Should-Retry") != "" {
			t.Error("it is not to be tried again")
		}
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	same(w, "memories", w.get(s+"/memories?view=full").column("content"), []string{"1", "theirs"})
	w.get(s).has("archived_at", nil)
	w.post(m.place(), object{"content": "2"}).ok()
}

func TestAFolderThatVanished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.store()
	m := w.memory(s, "/a.md", "1")
	folder := w.folder(s)
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, r := range []reply{w.post(s+"/memories", object{"path": "/b.md", "content": "1"}), w.post(m.place(), object{"content": "2"}), w.delete(m.place())} {
			r.is(500, "api_error")
			if r.header.Get("X-Should-Retry") != "false" || !strings.Contains(r.str("error", "message"), "folder is gone") {
				t.Errorf("%s", r.raw)
			}
		}
		w.get(s).ok()
		w.get(storesPath).ok()
		w.api.cache.forget(versions.StoreID(m.str("memory_store_id"))) // as after a start
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	w.get(m.place()).ok().has("content", "1")
	w.post(m.place(), object{"content": "2"}).ok()
	if n := w.count(s); n != 2 {
		t.Errorf("%d versions", n)
	}
}

// On a full disk nothing is half written: the answer says why, and what was stands.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.store()
	m := w.memory(s, "/d/a.md", "1")
	for _, at := range []string{"stage-open", "stage-write", "before-intent-commit", "after-intent-commit"} {
		var failed atomic.Int64
		w.step.Store(func(step string) error {
			if step == at {
				failed.Add(1)
				return syscall.ENOSPC
			}
			return nil
		})
		for _, r := range []reply{w.post(s+"/memories", object{"path": "/b.md", "content": "1"}), w.post(m.place(), object{"content": "2"}), w.post(m.place(), object{"content": "2", "path": "/c.md"})} {
			if r.is(500, "api_error"); !strings.Contains(r.str("error", "message"), "no space left") {
				t.Errorf("%s: %s", at, r.raw)
			}
		}
		if failed.Load() != 3 {
			t.Errorf("%s: failed %d times", at, failed.Load())
		}
		w.get(m.place()).ok().has("content", "1", "path", "/d/a.md")
		w.step.Store(func(string) error { return nil })
		same(w, at, w.get(s+"/memories").column("path"), []string{"/d/a.md"})
		if n := w.count(s); n != 1 {
			t.Errorf("%s: %d versions", at, n)
		}
	}
	w.post(m.place(), object{"content": "2", "path": "/c.md"}).ok()
}
