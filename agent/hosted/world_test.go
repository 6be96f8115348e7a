package hosted_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/testdata/versionstest"
)

var (
	alice = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}
	robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot", ToolUse: "toolu_1", Turn: 3}
)

// world is a service, and a home with a replica of a store that it keeps.
type world struct {
	t *testing.T

	there *engine.Trail // the service's own
	store *engine.Store // as the service has it
	http  *httptest.Server
	wire  *wire

	thereHome string // the service's

	home  string
	hook  func(string) error // of the engine here
	trail *engine.Trail
	here  *engine.Store
}

// wire is what lies between the two: it may cut, delay and answer by itself.
type wire struct {
	next http.Handler

	mu    sync.Mutex
	fault func(r *http.Request) (before, after func(http.ResponseWriter)) // nil: none
	seen  []*http.Request
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	before, after := w.wrong(r)
	if before != nil {
		before(out)
		return
	}
	if after != nil {
		w.next.ServeHTTP(httptest.NewRecorder(), r)
		after(out)
		return
	}
	w.next.ServeHTTP(out, r)
}

// wrong notes a request, and is what goes wrong with it. Faults are asked for one
// request at a time, and so may have a state of their own.
func (w *wire) wrong(r *http.Request) (before, after func(http.ResponseWriter)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, r)
	if w.fault == nil {
		return nil, nil
	}
	return w.fault(r)
}

func (w *wire) set(fault func(*http.Request) (before, after func(http.ResponseWriter))) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = fault
}

// requests are those since they were last asked for.
func (w *wire) requests() []*http.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// always answers everything in one way.
func always(answer func(http.ResponseWriter)) func(*http.Request) (before, after func(http.ResponseWriter)) {
	return func(*http.Request) (before, after func(http.ResponseWriter)) { return answer, nil }
}

func status(code int, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("content-type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"api_error","message":"made up"}}`)
	}
}

// cut ends the connection without an answer.
func cut(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func newWorld(t *testing.T) *world {
	t.Helper()
	home := func() string {
		return versionstest.Home(t, func(ctx context.Context, dir string) (*engine.Trail, error) {
			return engine.Open(ctx, dir, versions.Options{})
		})
	}
	w := &world{t: t, home: home()}
	var err error
	w.thereHome = home()
	if w.there, err = engine.Open(t.Context(), w.thereHome, versions.Options{}); err != nil {
		t.Fatal(err)
	}
	api := storesapi.New(storesapi.Options{Trail: w.there, Erase: true})
	w.wire = &wire{next: api}
	w.http = httptest.NewUnstartedServer(w.wire)
	w.http.Config.ErrorLog = discardLog()
	w.http.Start()
	info, err := w.there.MakeStore(t.Context(), alice, versions.NewStore{Title: "Team memory"})
	if err != nil {
		t.Fatal(err)
	}
	if w.store, err = w.there.OpenStore(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(func() {
		w.check()
		w.close()
		w.http.Close()
		if err := errors.Join(api.Close(), w.store.Close(), w.there.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) open() {
	w.t.Helper()
	ctx := context.Background()
	var err error
	if w.trail, err = engine.Open(ctx, w.home, versions.Options{Upstream: hosted.Dial, Hook: w.hook}); err != nil {
		w.t.Fatal(err)
	}
	info, err := w.trail.FindStore(ctx, "team")
	if errors.Is(err, versions.ErrNoStore) {
		info, err = w.trail.MakeStore(ctx, alice, versions.NewStore{Name: "team", Upstream: versions.Remote{URL: w.http.URL, Store: string(w.store.Info().ID)}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.here = w.another(info.ID)
}

func (w *world) another(id versions.StoreID) *engine.Store {
	w.t.Helper()
	s, err := w.trail.OpenStore(context.Background(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) close() {
	if err := errors.Join(w.here.Close(), w.trail.Close()); err != nil {
		w.t.Error(err)
	}
}

func (w *world) check() {
	w.t.Helper()
	if _, err := w.here.Sync(context.Background()); err != nil {
		w.t.Error(err)
	}
	for _, s := range []*engine.Store{w.here, w.store} {
		problems, err := check.Store(context.Background(), s)
		if err != nil || len(problems) > 0 {
			w.t.Errorf("%v, %q", err, problems)
		}
	}
}

func (w *world) pull(o versions.PullOptions) versions.Pulled {
	w.t.Helper()
	got, err := replica.Pull(context.Background(), w.here, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

func path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (w *world) write(s *engine.Store, p, text string) versions.Change {
	w.t.Helper()
	c, err := s.Write(context.Background(), alice, path(p), []byte(text), versions.Pre{})
	if err != nil {
		w.t.Fatalf("write %s: %v", p, err)
	}
	return c
}

func (w *world) file(p string) string {
	b, err := os.ReadFile(filepath.Join(w.here.Info().Folder, filepath.FromSlash(p)))
	if errors.Is(err, os.ErrNotExist) {
		return "<none>"
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// story is what stands in a store, and all versions that a service can know.
func story(t *testing.T, s *engine.Store) string {
	t.Helper()
	ctx := context.Background()
	es, err := history.Tree(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range es {
		vs, err := history.Of(ctx, s, e.Memory, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		sent := slices.IndexFunc(vs, func(v versions.Version) bool { return !v.ID.Unsent() })
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Path, e.Memory, vs[max(sent, 0)].ID, e.SHA256)
	}
	last, err := s.LastChange(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for n := int64(1); n <= last; n++ {
		_, vs, err := history.Change(ctx, s, n)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vs {
			if !v.ID.Unsent() {
				lines = append(lines, fmt.Sprintf("%s %s %v %s %s %v", v.ID, v.Memory, v.Operation == versions.Deleted, v.Path, v.SHA256, v.Redacted.IsZero()))
			}
		}
	}
	// The two may have them in another order, where several memories are concerned.
	seen := map[string]bool{}
	for _, l := range lines {
		if seen[l] {
			t.Errorf("twice: %s", l)
		}
		seen[l] = true
	}
	return b.String() + strings.Join(sorted(lines), "\n")
}

// agree holds that the replica is what the service has.
func (w *world) agree() {
	w.t.Helper()
	w.pull(versions.PullOptions{Full: true})
	if here, there := story(w.t, w.here), story(w.t, w.store); here != there {
		w.t.Errorf("here:\n%s\nthere:\n%s", here, there)
	}
}

// soon waits for something to become true.
func (w *world) soon(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it never is so: %s", what)
		}
	}
}
