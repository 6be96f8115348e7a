package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

// heldAside lists the changes that other programs made in the folder of the replica: paths and texts.
func (w *twin) heldAside() (out []string) {
	w.t.Helper()
	hs, err := review.Held(w.t.Context(), w.store, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, h := range hs {
		if h.Rule != "changed in the folder of a hosted store" {
			w.t.Errorf("#%d is held by the rule %q", h.Number, h.Rule)
		}
		items, err := tables.HeldItems(w.trail.DB.Outside(w.t.Context()), h.Number)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range items {
			if it.Gone {
				out = append(out, "- "+it.Base.Path.Rel())
			} else {
				out = append(out, it.Path.Rel()+": "+string(it.Text))
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestFolder_WhatOthersWriteIntoAReplicaWaitsAndTheFilesArePutBack(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.write(alice, "/gone.md", "gone\n")
	w.write(alice, "/r.md", "renamed\n")
	w.write(alice, "/f.md", "a file\n")
	before, _ := w.store.LastChange(t.Context())
	w.outside("a.md", "two\n")
	w.outside("new/n.md", "new\n")
	for _, err := range []error{os.Remove(filepath.Join(w.folder, "gone.md")), os.Rename(filepath.Join(w.folder, "r.md"), filepath.Join(w.folder, "s.md")),
		os.Remove(filepath.Join(w.folder, "f.md"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.outside("f.md/below.md", "in its place\n")
	w.sync()
	want := []string{"- f.md", "- gone.md", "- r.md", "a.md: two\n", "f.md/below.md: in its place\n", "new/n.md: new\n", "s.md: renamed\n"}
	if got := w.heldAside(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for name, text := range map[string]string{"a.md": "one\n", "gone.md": "gone\n", "r.md": "renamed\n", "f.md": "a file\n", "new/n.md": "<none>", "new": "<none>", "s.md": "<none>"} {
		if got := w.file(name); got != text {
			t.Errorf("%s holds %q", name, got)
		}
	}
	w.sync()
	if after, _ := w.store.LastChange(t.Context()); after != before || len(w.heldAside()) != len(want) {
		t.Errorf("%d changes became %d; %q waits", before, after, w.heldAside())
	}
	w.agree()
}

func TestFolder_AnAcceptedChangeGoesToTheService(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "1\n2\n3\n")
	w.outside("a.md", "1\n2\n3 here\n")
	w.outside("n.md", "new\n")
	w.sync()
	w.there("/a.md", "1 there\n2\n3\n")
	hs, err := review.Held(t.Context(), w.store, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil || len(hs) != 1 || hs[0].By.Actor.Kind != versions.Outside || hs[0].By.Door != versions.DoorOutside {
		t.Fatalf("%+v, %v", hs, err)
	}
	w.pull()
	plan, err := vplan.Make(t.Context(), w.store, vplan.Accept(hs[0].Number))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); err != nil || c.Versions != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if w.file("a.md") != "1 there\n2\n3 here\n" || w.file("n.md") != "new\n" || len(w.heldAside()) != 0 {
		t.Errorf("%q, %q, %q", w.file("a.md"), w.file("n.md"), w.heldAside())
	}
	w.agree()
}

// A write through memend finds what another program did to the same memory and does not lose it.
func TestFolder_AWriteOverWhatAnotherProgramWroteKeepsBoth(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.outside("a.md", "outside\n")
	w.write(alice, "/a.md", "two\n")
	if got := w.heldAside(); w.file("a.md") != "two\n" || !slices.Equal(got, []string{"a.md: outside\n"}) {
		t.Errorf("%q, %q", w.file("a.md"), got)
	}
	w.outside("a.md", "outside again\n")
	w.there("/a.md", "theirs\n")
	w.pull()
	if got := w.heldAside(); w.file("a.md") != "theirs\n" || !slices.Equal(got, []string{"a.md: outside\n", "a.md: outside again\n"}) {
		t.Errorf("%q, %q", w.file("a.md"), got)
	}
	w.agree()
}

// A process dies when a change of the service is recorded and not yet in the folder, and another program
// writes the file: it had read the text of before, and is compared with that.
func TestFolder_AFileWrittenBeforeAKilledPullWasDoneIsBasedOnWhatItsProgramRead(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "1\n2\n3\n")
	w.there("/a.md", "1 there\n2\n3\n")
	w.atStep(func(at string, _ int) error {
		if at == "after-intent-commit" {
			panic(errKilled)
		}
		return nil
	})
	if !w.killed(func() { w.pull() }) {
		t.Fatal("it was not killed")
	}
	w.close()
	w.outside("a.md", "1\n2\n3 here\n")
	w.reopen()
	w.sync()
	if got := w.heldAside(); w.file("a.md") != "1 there\n2\n3\n" || !slices.Equal(got, []string{"a.md: 1\n2\n3 here\n"}) {
		t.Fatalf("%q, %q", w.file("a.md"), got)
	}
	hs, err := review.Held(t.Context(), w.store, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := vplan.Make(t.Context(), w.store, vplan.Accept(hs[0].Number))
	if err != nil || len(plan.Conflicts) > 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); err != nil || w.file("a.md") != "1 there\n2\n3 here\n" {
		t.Errorf("%v, %q", err, w.file("a.md"))
	}
}

func TestFolder_AProcessThatDiesBeforeAFileIsPutBackHoldsItOnce(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.outside("a.md", "two\n")
	leave, err := core.Enter(t.Context(), w.store)
	if err != nil {
		t.Fatal(err)
	}
	x, err := core.Begin(t.Context(), w.store)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = x.Adopt(mustPath("/a.md")); err == nil {
		x.Foreign = nil // it dies before it puts the file back
		err = x.Commit()
	}
	if leave(); err != nil {
		t.Fatal(err)
	}
	if got := w.heldAside(); w.file("a.md") != "two\n" || len(got) != 1 {
		t.Fatalf("%q, %q", w.file("a.md"), got)
	}
	w.sync()
	if got := w.heldAside(); w.file("a.md") != "one\n" || len(got) != 1 {
		t.Errorf("%q, %q", w.file("a.md"), got)
	}
}

var errKilled = errors.New("killed")

// killed reports whether do was killed. Afterwards nothing is called at steps any more.
func (w *twin) killed(do func()) (killed bool) {
	defer func() {
		w.at.Store(nil)
		if e := recover(); e == errKilled {
			killed = true
		} else if e != nil {
			panic(e)
		}
	}()
	do()
	return false
}
