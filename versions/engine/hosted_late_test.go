package engine_test

import (
	"fmt"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/replica"
)

// A memory that changed while its replica slept, for longer than the service keeps
// versions: only what stands tells of it.
func TestWhatStandsIsTakenInThoughNoVersionTellsOfIt(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/a.md", "one\n")
	w.pull()
	w.there("/a.md", "two\n")
	w.up.forgets(w.idsThere("/a.md")[0])
	if w.pull(); w.file("a.md") != "one\n" {
		t.Errorf("it was heard of: %q", w.file("a.md"))
	}
	w.there("/b.md", "b\n")
	if got := w.pull(versions.PullOptions{Full: true}); w.file("a.md") != "two\n" || got.Listed != 2 {
		t.Errorf("%q, %+v", w.file("a.md"), got)
	}
}

// A version that comes to be listed behind some that are here already is found: so few
// in a row don't tell that all before them is here.
func TestAVersionThatShowsLateIsFoundBehindSomeThatAreKnown(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for n := range 20 {
		if n == 13 {
			w.there("/m13.md", "old\n")
		}
		w.there(fmt.Sprintf("/m%d.md", n), "x\n")
	}
	late := w.idsThere("/m13.md")[1]
	w.up.forgets(late)
	w.pull()
	if _, err := vhistory.Version(t.Context(), w.store, late); err == nil {
		t.Fatal("it is here before it shows")
	}
	w.up.dropped = map[string]bool{}
	for n := range replica.FirstPage - replica.Overlap/2 { // of the first page, half of what is enough to stop is known
		w.there(fmt.Sprintf("/n%d.md", n), "x\n")
	}
	w.pull()
	if b, err := vhistory.Content(t.Context(), w.store, late); err != nil || string(b) != "old\n" || w.file("m13.md") != "x\n" {
		t.Errorf("%q, %v, and what stands is %q", b, err, w.file("m13.md"))
	}
}

// A rename that shows late is recorded with the paths of its own version, not with those of the change that makes the
// newest version current again.
func TestARenameThatShowsLateIsRecordedAsSuch(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/a.md", "one\n")
	for _, p := range [][2]string{{"/a.md", "/b.md"}, {"/b.md", "/c.md"}} {
		_, err := w.up.s.Rename(t.Context(), robot, mustPath(p[0]), mustPath(p[1]))
		w.must(err)
	}
	late := w.idsThere("/c.md")[1]
	w.up.forgets(late)
	w.pull()
	w.up.dropped = map[string]bool{}
	w.pull(versions.PullOptions{Full: true})
	v, err := vhistory.Version(t.Context(), w.store, late)
	w.must(err)
	c, _, err := vhistory.Change(t.Context(), w.store, v.Change)
	w.must(err)
	if c.Kind != versions.KindRename || c.Path != v.From || c.To != v.Path || w.file("c.md") != "one\n" {
		t.Errorf("%+v of %+v", c, v)
	}
}

// What somebody else does between two requests of one change stays between them, where
// it concerns the same memory.
func TestWhatComesBetweenTheRequestsOfAChangeKeepsItsPlace(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/d/a.md", "a\n")
	w.there("/d/b.md", "b\n")
	w.pull()
	updates := 0
	w.up.fault = func(call string) (before, after error) {
		if call == "update" {
			if updates++; updates == 2 {
				for _, p := range []string{"/d/a.md", "/d/b.md"} {
					if _, err := vhistory.MemoryAt(t.Context(), w.up.s, mustPath(p)); err == nil { // the one that is still to go
						w.there(p, "between\n")
						w.there(p, p[3:4]+"\n")
					}
				}
			}
		}
		return nil, nil
	}
	if _, err := w.store.Rename(t.Context(), alice, mustPath("/d"), mustPath("/e")); err != nil {
		t.Fatal(err)
	}
	w.up.fault = nil
	if updates != 2 || w.file("e/a.md") != "a\n" || w.file("e/b.md") != "b\n" {
		t.Errorf("%d requests, %q, %q", updates, w.file("e/a.md"), w.file("e/b.md"))
	}
	w.agree()
}
