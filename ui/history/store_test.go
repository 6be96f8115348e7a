package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

// realStore returns a store of the engine, and functions that write and read it at a path.
func realStore(t *testing.T) (s *engine.Store, write func(by versions.By, p, text string), read func(p string) string) {
	t.Helper()
	ctx := context.Background()
	trail, err := engine.Open(ctx, storetest.Home(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	info, err := stores.CreateStore(ctx, trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if s, err = trail.OpenStore(ctx, info.ID); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	write = func(by versions.By, p, text string) {
		t.Helper()
		if _, err := s.Write(ctx, by, path(p), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	read = func(p string) string {
		t.Helper()
		v, err := s.VersionAt(ctx, path(p), 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := history.Content(ctx, s, v.ID)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return s, write, read
}

var (
	mine   = versions.By{Actor: ana, Session: "sesn_ana"}
	agents = versions.By{Actor: agent, Session: "sesn_agent"}
)

func onStore(s *engine.Store) *Pane {
	p := New(screentest.Env(context.Background()), local.Store{Store: s}, mine)
	p.SetNow(start)
	p.SetFocused(true)
	p.SetSize(90, 30)
	return p
}

func TestRestoreHunk_IsOneUndoableChange(t *testing.T) {
	ctx := context.Background()
	s, write, read := realStore(t)
	write(mine, "/a.md", texts("one", "two", "three"))
	write(agents, "/a.md", texts("1", "two", "3"))
	p := onStore(s)
	m, err := history.MemoryAt(ctx, s, path("/a.md"))
	if err != nil {
		t.Fatal(err)
	}
	drain(p, p.ShowMemory(m, path("/a.md")))
	act := press(p, "enter ] R")[0].(screen.Act)
	c, err := act.Do(ctx)
	if err != nil || c.Actor != ana || read("/a.md") != texts("1", "two", "three") {
		t.Fatalf("the memory holds %q, changed by %v: %v", read("/a.md"), c.Actor, err)
	}
	if _, err := plan.Do(ctx, s, mine, plan.UndoLast{By: mine.Actor}); err != nil || read("/a.md") != texts("1", "two", "3") {
		t.Errorf("undone, the memory holds %q: %v", read("/a.md"), err)
	}

	act = press(p, "R")[0].(screen.Act)
	write(agents, "/a.md", texts("1", "two", "3", "and more"))
	var conflict *versions.ConflictError
	if _, err := act.Do(ctx); !errors.As(err, &conflict) || read("/a.md") != texts("1", "two", "3", "and more") {
		t.Errorf("over what was written meanwhile: %v, the memory holds %q", err, read("/a.md"))
	}
}

// Filtering by the store and filtering in the pane must agree.
func TestFilter_AppliesToARealStore(t *testing.T) {
	s, write, _ := realStore(t)
	for i := range 30 {
		by := agents
		if i%3 == 0 {
			by = mine
		}
		write(by, fmt.Sprintf("/notes%d/a.md", i%2), fmt.Sprint("text ", i))
	}
	if _, err := s.Delete(context.Background(), agents, path("/notes1"), path("/notes0/a.md")); err != nil {
		t.Fatal(err)
	}
	p := onStore(s)
	drain(p, p.ShowChange(0))
	press(p, "/")
	for words, want := range map[string]int{
		"": 31, "by:ana": 10, "by:person": 10, "by:agent": 21, "op:deleted": 1, "op:del": 1, "by:ana op:delete": 0, "session:sesn_ana": 10, "session:agent": 21,
		"path:notes1/": 16, "path:notes0": 16, "path:notes1": 16, "notes1 by:ana": 5, "since:2020": 31, "until:2020": 0, "nothing": 0, "op:create": 2,
	} {
		special(p, tea.KeyEscape)
		press(p, "/")
		typed(p, words)
		if n := len(p.all.items); n != want {
			t.Errorf("%q lets %d changes through, want %d: %s", words, n, want, strings.Join(strings.Fields(outline(p)), " "))
		}
	}
}
