package hosted_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// outside is another program that writes a file into the replica's folder, or removes
// it, and a look that finds it so.
func (w *world) outside(name, text string) {
	w.t.Helper()
	host := filepath.Join(w.here.Info().Folder, name)
	err := os.Remove(host)
	if text != "" {
		err = os.WriteFile(host, []byte(text), 0o600)
	}
	if err == nil {
		_, err = w.here.Sync(context.Background())
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// One file that the service does not take keeps none of the others back.
func TestRefusedFilesAreReportedAndTheOthersAreSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	large := strings.Repeat("x", 102_401)
	for name, text := range map[string]string{"a.md": "a", "b.md": large, "c.md": "c"} {
		w.outside(name, text)
	}
	got := w.pull(versions.PullOptions{})
	if got.Sent != 2 || len(got.Skipped) != 1 || got.Skipped[0].Path != "/b.md" {
		t.Errorf("%+v", got)
	}
	for name, want := range map[string]string{"/a.md": "a", "/c.md": "c"} {
		if v, err := w.store.VersionAt(t.Context(), path(name), 0); err != nil || v.SHA256 != hash(want) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if w.file("b.md") != large {
		t.Error("the file that was refused is another")
	}
	w.outside("b.md", "")
	if got := w.pull(versions.PullOptions{}); len(got.Skipped) != 0 || got.Sent != 0 {
		t.Errorf("%+v", got)
	}
	w.agree()
}

// Somebody writes at the service between the look at it and the sending: what the
// service says stands, and what was written here is in the history.
func TestAFileThatChangedAtTheServiceIsOverruledAndKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	w.outside("a.md", "mine\n")
	var once sync.Once
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method == "POST" {
			once.Do(func() {
				if _, err := w.store.Write(context.Background(), robot, path("/a.md"), []byte("theirs\n"), versions.Pre{}); err != nil {
					t.Error(err)
				}
			})
		}
		return nil, nil
	})
	got := w.pull(versions.PullOptions{})
	if !slices.Equal(got.Overruled, []memfs.Path{path("/a.md")}) || got.Sent != 0 || w.file("a.md") != "theirs\n" {
		t.Errorf("%+v, %q", got, w.file("a.md"))
	}
	var kept bool
	for n := 1; ; n++ {
		v, err := w.here.VersionAt(t.Context(), path("/a.md"), n)
		if err != nil {
			break
		}
		kept = kept || v.SHA256 == hash("mine\n")
	}
	if !kept {
		t.Error("what was written here is lost")
	}
	w.agree()
}

// What was changed and changed back is as the service has it.
func TestUnchangedFilesAreNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	w.outside("a.md", "two\n")
	w.outside("a.md", "one\n")
	if got := w.pull(versions.PullOptions{}); got.Sent != 0 || len(got.Skipped) != 0 {
		t.Errorf("%+v", got)
	}
	if n, err := w.store.LastChange(t.Context()); n != 1 || err != nil {
		t.Errorf("the service has %d changes, %v", n, err)
	}
}

// What was deleted there and is here again is another memory to the service, which
// brings no id back.
func TestRecreatedFilesAreCreatedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	w.outside("a.md", "")
	if got := w.pull(versions.PullOptions{}); got.Sent != 1 {
		t.Errorf("%+v", got)
	}
	w.outside("a.md", "again\n")
	if got := w.pull(versions.PullOptions{}); got.Sent != 1 || len(got.Skipped) != 0 {
		t.Errorf("%+v", got)
	}
	if v, err := w.store.VersionAt(t.Context(), path("/a.md"), 0); err != nil || v.SHA256 != hash("again\n") {
		t.Errorf("%+v, %v", v, err)
	}
	w.agree()
}

// What somebody else deletes there a moment before is gone here too when the deletion
// is said to be done.
func TestDeletionsAtTheServiceAreSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.here, "/a.md", "one\n")
	var once sync.Once
	w.wire.set(func(r *http.Request) (before, after func(http.ResponseWriter)) {
		if r.Method == "DELETE" {
			once.Do(func() {
				if _, err := w.store.Delete(context.Background(), robot, path("/a.md")); err != nil {
					t.Error(err)
				}
			})
		}
		return nil, nil
	})
	if _, err := w.here.Delete(t.Context(), alice, path("/a.md")); err != nil || w.file("a.md") != "<none>" {
		t.Errorf("%v, %q", err, w.file("a.md"))
	}
	w.agree()
}
