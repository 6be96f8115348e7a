package hosted_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/replica"
)

// foreign is a server of the API by somebody else: it keeps no versions, has ids of its
// own form, overwrites by path, and looks at no precondition.
type foreign struct {
	mu       sync.Mutex
	memories map[string]map[string]any // by id
	n        int
	broken   bool // it answers nothing but errors
	writes   int
}

func (f *foreign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("content-type", "application/json")
	fail := func(code int, kind string) {
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": kind}})
	}
	answer := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	const root = "/v1/memory_stores"
	store := map[string]any{"type": "memory_store", "id": "store-1", "name": "Theirs", "description": "", "metadata": map[string]string{},
		"created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z", "archived_at": nil}
	rest, ok := strings.CutPrefix(r.URL.Path, root)
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	var in struct{ Path, Content *string }
	if r.Method == "POST" {
		_ = json.NewDecoder(r.Body).Decode(&in)
	}
	switch {
	case f.broken:
		fail(500, "api_error")
	case !ok:
		fail(404, "not_found_error")
	case rest == "" && r.Method == "GET":
		answer(map[string]any{"data": []any{store}, "next_page": nil})
	case parts[0] != "store-1":
		fail(404, "not_found_error")
	case len(parts) == 1 && r.Method == "GET":
		answer(store)
	case len(parts) >= 2 && parts[1] != "memories":
		fail(404, "not_found_error")
	case len(parts) == 2 && r.Method == "GET":
		data := []any{}
		for _, m := range f.memories {
			data = append(data, m)
		}
		answer(map[string]any{"data": data, "next_page": nil})
	case len(parts) == 2:
		answer(f.put(*in.Path, *in.Content))
	case f.memories[parts[2]] == nil:
		fail(404, "not_found_error")
	case r.Method == "GET":
		answer(f.memories[parts[2]])
	case r.Method == "DELETE":
		f.writes++
		delete(f.memories, parts[2])
		answer(map[string]any{"type": "memory_deleted", "id": parts[2]})
	default:
		m := f.memories[parts[2]]
		path, content := m["path"].(string), m["content"].(string)
		if in.Path != nil {
			path = *in.Path
		}
		if in.Content != nil {
			content = *in.Content
		}
		answer(f.set(parts[2], path, content))
	}
}

// put overwrites whatever is at the path.
func (f *foreign) put(path, content string) map[string]any {
	for id, m := range f.memories {
		if m["path"] == path {
			return f.set(id, path, content)
		}
	}
	f.n++
	return f.set(fmt.Sprintf("mem-%08d-aa", f.n), path, content)
}

func (f *foreign) set(id, path, content string) map[string]any {
	f.n++
	f.writes++
	m := map[string]any{"type": "memory", "id": id, "memory_store_id": "store-1", "path": path, "content": content, "content_size_bytes": len(content),
		"content_sha256": fmt.Sprintf("%x", sha256.Sum256([]byte(content))), "memory_version_id": fmt.Sprintf("memver-%08d-bb", f.n),
		"created_at": "2026-11-01T00:00:00Z", "updated_at": time.Date(2026, 11, 1, 0, 0, f.n, 0, time.UTC).Format(time.RFC3339)}
	f.memories[id] = m
	return m
}

// holds is what the server has at a path.
func (f *foreign) holds(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.memories {
		if m["path"] == path {
			return m["content"].(string)
		}
	}
	return "<none>"
}

func (f *foreign) writesElsewhere(path, content string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(path, content)
	f.writes--
}

// newForeign is a home with a replica of the foreign server's store.
func newForeign(t *testing.T) (*foreign, *engine.Store) {
	t.Helper()
	t.Setenv("ANTHROPIC_BASE_URL", "")
	f := &foreign{memories: map[string]map[string]any{}}
	server := httptest.NewServer(f)
	trail, err := engine.Open(t.Context(), filepath.Join(t.TempDir(), "home"), versions.Options{Upstream: hosted.Dial})
	if err != nil {
		t.Fatal(err)
	}
	info, err := trail.MakeStore(t.Context(), alice, versions.NewStore{Name: "theirs", Upstream: versions.Remote{URL: server.URL, Store: "store-1"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		problems, err := check.Store(context.Background(), s)
		if err != nil || len(problems) > 0 {
			t.Errorf("%v, %q", err, problems)
		}
		if err := errors.Join(s.Close(), trail.Close()); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return f, s
}

func content(t *testing.T, s *engine.Store, p string) string {
	t.Helper()
	v, err := s.VersionAt(t.Context(), path(p), 0)
	if err != nil {
		return err.Error()
	}
	b, err := history.Content(t.Context(), s, v.ID)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// The first read fails, and a write would replace what nobody here has seen.
func TestAStoreThatWasNeverReadIsNeverWritten(t *testing.T) {
	f, s := newForeign(t)
	f.writesElsewhere("/a.md", "theirs")
	f.broken = true
	if _, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err == nil {
		t.Fatal("a broken server is read")
	}
	_, err := s.Write(t.Context(), alice, path("/a.md"), []byte("mine"), versions.Pre{})
	if err == nil || !strings.Contains(err.Error(), "store theirs was never read from its service, so nothing is written there") {
		t.Errorf("%v", err)
	}
	f.broken = false
	if _, err := s.Write(t.Context(), alice, path("/a.md"), []byte("mine"), versions.Pre{Absent: true}); !errors.As(err, new(*versions.ConflictError)) {
		t.Errorf("%v", err)
	}
	if f.holds("/a.md") != "theirs" || f.writes != 0 {
		t.Errorf("the server holds %q, %d writes", f.holds("/a.md"), f.writes)
	}
	// Without a precondition the write is wanted, and what it replaces is in the history.
	if _, err := s.Write(t.Context(), alice, path("/a.md"), []byte("mine"), versions.Pre{}); err != nil || f.holds("/a.md") != "mine" {
		t.Errorf("%v, %q", err, f.holds("/a.md"))
	}
	v, err := s.VersionAt(t.Context(), path("/a.md"), 1)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := history.Content(t.Context(), s, v.ID); err != nil || string(b) != "theirs" {
		t.Errorf("the first version holds %q, %v", b, err)
	}
}

func TestAServiceWithoutVersionsIsUsedWithItsOwnIDs(t *testing.T) {
	f, s := newForeign(t)
	f.writesElsewhere("/a.md", "one")
	f.writesElsewhere("/gone.md", "x")
	got, err := replica.Pull(t.Context(), s, versions.PullOptions{})
	if err != nil || !got.NoHistory || got.Versions != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	es, err := history.Tree(t.Context(), s)
	if err != nil || len(es) != 2 || es[0].Memory != "mem-00000001-aa" || es[0].Version != "memver-00000002-bb" {
		t.Errorf("%+v, %v", es, err)
	}
	if v, err := history.Version(t.Context(), s, "memver-00000002-bb"); err != nil || v.Memory != "mem-00000001-aa" {
		t.Errorf("%+v, %v", v, err)
	}
	// What others write there comes with the next pull, deletions too.
	f.writesElsewhere("/a.md", "two")
	f.mu.Lock()
	for id, m := range f.memories {
		if m["path"] == "/gone.md" {
			delete(f.memories, id)
		}
	}
	f.mu.Unlock()
	if got, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil || got.Versions != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := content(t, s, "/a.md"); got != "two" {
		t.Errorf("a.md holds %q", got)
	}
	if got, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil || got.Versions != 0 {
		t.Errorf("again: %+v, %v", got, err)
	}
	// What is done here is done there, as the one who does it.
	last, _ := s.LastChange(t.Context())
	for n, do := range []func() (versions.Change, error){
		func() (versions.Change, error) {
			return s.Write(t.Context(), robot, path("/a.md"), []byte("three"), versions.Pre{SHA256: hash("two")})
		},
		func() (versions.Change, error) {
			return s.Write(t.Context(), robot, path("/d/b.md"), []byte("new"), versions.Pre{Absent: true})
		},
		func() (versions.Change, error) { return s.Rename(t.Context(), robot, path("/d"), path("/e")) },
		func() (versions.Change, error) { return s.Delete(t.Context(), robot, path("/a.md")) },
		func() (versions.Change, error) { return plan.Do(t.Context(), s, robot, plan.UndoLast{By: robot.Actor}) },
	} {
		c, err := do()
		if err != nil || c.Actor != robot.Actor || c.Number != last+int64(n)+1 {
			t.Errorf("%d: %+v, %v", n, c, err)
		}
	}
	if f.holds("/a.md") != "three" || f.holds("/e/b.md") != "new" || content(t, s, "/a.md") != "three" || content(t, s, "/e/b.md") != "new" {
		t.Errorf("there %q, %q; here %q, %q", f.holds("/a.md"), f.holds("/e/b.md"), content(t, s, "/a.md"), content(t, s, "/e/b.md"))
	}
	if got, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil || got.Versions != 0 {
		t.Errorf("after that: %+v, %v", got, err)
	}
}

// Such a server has no preconditions: it is read before each write.
func TestAServiceWithoutPreconditionsIsReadBeforeWrites(t *testing.T) {
	f, s := newForeign(t)
	f.writesElsewhere("/a.md", "one")
	if _, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil {
		t.Fatal(err)
	}
	f.writesElsewhere("/a.md", "theirs")
	f.writesElsewhere("/b.md", "theirs too")
	for _, try := range []struct {
		path string
		pre  versions.Pre
	}{{"/a.md", versions.Pre{SHA256: hash("one")}}, {"/b.md", versions.Pre{Absent: true}}} {
		var conflict *versions.ConflictError
		if _, err := s.Write(t.Context(), alice, path(try.path), []byte("mine"), try.pre); !errors.As(err, &conflict) {
			t.Errorf("%s: %v", try.path, err)
		}
	}
	if f.writes != 0 || f.holds("/a.md") != "theirs" {
		t.Errorf("%d writes, the server holds %q", f.writes, f.holds("/a.md"))
	}
}

// Between two pulls, memories took the paths of others.
func TestAServiceWithoutVersionsMovesMemoriesToEachOthersPaths(t *testing.T) {
	for name, does := range map[string]func(f *foreign, id map[string]string){
		"deleted and created again": func(f *foreign, id map[string]string) {
			delete(f.memories, id["/a.md"])
			f.put("/a.md", "B")
			f.set(id["/b.md"], "/b.md", "A")
		},
		"swapped": func(f *foreign, id map[string]string) {
			f.set(id["/a.md"], "/b.md", "A")
			f.set(id["/b.md"], "/a.md", "B")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, s := newForeign(t)
			f.writesElsewhere("/a.md", "A")
			f.writesElsewhere("/b.md", "B")
			if _, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil {
				t.Fatal(err)
			}
			f.mu.Lock()
			id := map[string]string{}
			for n, m := range f.memories {
				id[m["path"].(string)] = n
			}
			does(f, id)
			f.mu.Unlock()
			if _, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil || content(t, s, "/a.md") != "B" || content(t, s, "/b.md") != "A" {
				t.Errorf("%v: %q, %q", err, content(t, s, "/a.md"), content(t, s, "/b.md"))
			}
			if got, err := replica.Pull(t.Context(), s, versions.PullOptions{}); err != nil || got.Versions != 0 {
				t.Errorf("again: %+v, %v", got, err)
			}
		})
	}
}
