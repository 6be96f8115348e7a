package search

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/replica"
)

// unreachable is a service that does not answer.
type unreachable struct{ versions.Upstream }

var errOffline = &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("connection refused")}

func (unreachable) About(context.Context) (versions.HostedStore, error) {
	return versions.HostedStore{}, errOffline
}

func (unreachable) Memories(context.Context, string) (versions.HostedMemories, error) {
	return versions.HostedMemories{}, errOffline
}

func (unreachable) Versions(context.Context, versions.HostedQuery, string) (versions.HostedVersions, error) {
	return versions.HostedVersions{}, errOffline
}

// newHomeSim searches a store of a home with a second one, "work", in which a memory has the same path.
func newHomeSim(t *testing.T, w, h int) (s *screentest.Sim[*Pane], trail *engine.Trail, work *engine.Store) {
	t.Helper()
	trail = storetest.Trail(t, versions.Options{Upstream: func(versions.StoreInfo) (versions.Upstream, error) { return unreachable{}, nil }})
	store := storetest.StoreOf(t, trail)
	storetest.Write(t, store, me, "plan.md", "# Plan\n\nship in May\n")
	work = storetest.StoreNamed(t, trail, "work")
	storetest.Write(t, work, me, "plan.md", "# Work\n\nintro\n\nmove the office in May\n")
	env := screentest.Env(t.Context())
	p := New(env, local.Store{Store: store}, me, Memories, "", memfs.Root, nil)
	p.SetHome(trail)
	s = screentest.New(t, env, p, w, h)
	s.Run(s.Pane.Start())
	t.Cleanup(func() { p.Close(); awaitClosed(p.home) })
	return s, trail, work
}

// awaitClosed waits until the stores are closed.
func awaitClosed(h *home) {
	for open := true; open; time.Sleep(time.Millisecond) {
		h.use.RLock()
		open = h.open != nil
		h.use.RUnlock()
	}
}

func TestEverywhere_FindsInAllStoresAndOpensThem(t *testing.T) {
	s, _, work := newHomeSim(t, 120, 24)
	s.Typed("may")
	s.Shows("search memories 1 memory")
	s.Keys("shift+tab shift+tab")
	s.Shows("search all stores 2 memories", "notes:/plan.md", "3 ship in May", "work:/plan.md", "5 move the office in May", "# Plan")
	s.Keys("down")
	s.Shows("# Work") // a memory with the same path
	s.Hides("# Plan")
	s.Keys("enter")
	want := screen.OpenStore{ID: work.Info().ID, Name: "work", At: screen.Open{Path: screentest.Path("plan.md"), Line: 5, Find: "may"}}
	if s.Last() != want {
		t.Errorf("enter asks %+v, want %+v", s.Last(), want)
	}
	s.Keys("up enter")
	if want := (screen.Open{Path: screentest.Path("plan.md"), Line: 3, Find: "may"}); s.Last() != want {
		t.Errorf("in the store that is shown enter asks %+v, want %+v", s.Last(), want)
	}
	s.Keys("ctrl+u")
	s.Typed("office plan")
	s.Shows("1 memory", "work:/plan.md")
	s.Refuses("alt+x", "a text is redacted in one store")
}

func TestEverywhere_NamesWhatItCouldNotSearch(t *testing.T) {
	s, trail, _ := newHomeSim(t, 120, 24)
	gone := storetest.StoreNamed(t, trail, "gone")
	if err := os.RemoveAll(gone.Info().Folder); err != nil {
		t.Fatal(err)
	}
	if _, err := replica.Connect(t.Context(), trail, me, versions.Remote{URL: "http://127.0.0.1:1", Store: "memstore_x"}, versions.HostedStore{ID: "memstore_x", Name: "team"}, "team"); err != nil {
		t.Fatal(err)
	}
	s.Typed("may")
	s.Keys("shift+tab shift+tab")
	s.Shows("2 memories · 1 could not be read", "work:/plan.md", "gone: not searched: ", "team: only what is here was searched: ")
	s.Keys("ctrl+u")
	s.Typed("nowhere")
	s.Shows("nothing found", "gone: not searched: ", "team: only what is here was searched: ")
	s.Keys("tab") // of this store nothing is left out
	s.Hides("gone", "team")
}

// What a service has that was asked meanwhile comes into the list, and the cursor stays at its hit. Enter that waits for
// the hits still waits.
func TestEverywhere_NewsLeaveTheCursorAtItsHit(t *testing.T) {
	s, _, work := newHomeSim(t, 120, 24)
	s.Typed("may")
	s.Pane.turn(-1)
	pulled := s.Pane.turn(-1)
	s.Run(s.Pane.search())
	s.Keys("down")
	at := s.Pane.current()
	if at.origin.info.Name != "work" {
		t.Fatalf("the cursor is on %+v", at)
	}
	storetest.Write(t, work, me, "a.md", "in May too\n")
	s.Run(pulled)
	if now := s.Pane.current(); len(s.Pane.rows) != 6 || now == nil || now.path != at.path || now.origin.info.Name != "work" {
		t.Errorf("the cursor is on %+v of %d rows", now, len(s.Pane.rows))
	}
}

func TestEverywhere_FindsAFolderInTheStoresThatHaveIt(t *testing.T) {
	s, _, work := newHomeSim(t, 120, 24)
	storetest.Write(t, work, me, "people/dana.md", "back in May\n")
	s.Typed("may in:people")
	s.Keys("shift+tab shift+tab")
	s.Shows("1 memory", "work:/people/dana.md")
	s.Hides("not searched")
	s.Keys("ctrl+u")
	s.Typed("may in:nowhere")
	s.Shows("no such memory: /memories/nowhere")
	s.Keys("ctrl+u alt+r")
	s.Typed("ma(y")
	s.Shows("missing closing )")
}

func TestEverywhere_FitsEverySize(t *testing.T) {
	s, _, _ := newHomeSim(t, 100, 24)
	s.Typed("may")
	s.Keys("shift+tab shift+tab")
	s.FitsEverySize()
}

// A search that is running when the screen is left ends before its stores are closed.
func TestEverywhere_ClosesTheStoresWhenItIsLeft(t *testing.T) {
	s, _, _ := newHomeSim(t, 100, 24)
	s.Typed("may")
	s.Keys("shift+tab shift+tab")
	h := s.Pane.home
	if len(h.open) != 1 {
		t.Fatalf("%d stores are open", len(h.open))
	}
	running := s.Pane.search()
	s.Pane.Close()
	screentest.Call(t, running)
	awaitClosed(h)
	if _, err := findEverywhere(t.Context(), h, s.Pane.store, versions.Query{Text: "may"}); err == nil || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("a later search: %v", err)
	}
}
