package versions

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// What another program and the service did to one memory is merged. Only what conflicts waits for a
// person, and the service's text is current meanwhile.
func TestAFileChangedOnBothSidesIsMerged(t *testing.T) {
	t.Parallel()
	const five = "1\n2\n3\n4\n5\n"
	remove := func(w *twin) {
		if err := os.Remove(filepath.Join(w.folder, "a.md")); err != nil {
			w.t.Fatal(err)
		}
	}
	move := func(w *twin) {
		if err := os.Rename(filepath.Join(w.folder, "a.md"), filepath.Join(w.folder, "b.md")); err != nil {
			w.t.Fatal(err)
		}
	}
	here := func(text string) func(*twin) { return func(w *twin) { w.outside("a.md", text) } }
	there := func(text string) func(*twin) { return func(w *twin) { w.there("/a.md", text) } }
	deleteThere := func(w *twin) {
		if _, err := w.up.s.Delete(w.t.Context(), alice, mustPath("/a.md")); err != nil {
			w.t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		before      string
		here, there func(*twin)
		want        map[string]string // files here and memories there
		held        string            // kind and text of the held change; empty: none
	}{
		"different lines":              {five, here("1!\n2\n3\n4\n5\n"), there("1\n2\n3\n4\n5!\n"), map[string]string{"a.md": "1!\n2\n3\n4\n5!\n"}, ""},
		"the same change":              {five, here("0\n"), there("0\n"), map[string]string{"a.md": "0\n"}, ""},
		"the same line":                {five, here("1 here\n2\n3\n4\n5\n"), there("1 there\n2\n3\n4\n5\n"), map[string]string{"a.md": "1 there\n2\n3\n4\n5\n"}, "edit 1 here\n2\n3\n4\n5\n"},
		"renamed here, edited there":   {five, move, there("1\n2\n3\n4\n5!\n"), map[string]string{"b.md": "1\n2\n3\n4\n5!\n"}, ""},
		"deleted here, edited there":   {five, remove, there("0\n"), map[string]string{"a.md": "0\n"}, "delete "},
		"edited here, deleted there":   {five, here("0\n"), deleteThere, map[string]string{}, "edit 0\n"},
		"deleted on both sides":        {five, remove, deleteThere, map[string]string{}, ""},
		"created with the same text":   {"", here("0\n"), there("0\n"), map[string]string{"a.md": "0\n"}, ""},
		"created with different texts": {"", here("here\n"), there("there\n"), map[string]string{"a.md": "there\n"}, "create here\n"},
		"an old copy": {"", here("old\n"), func(w *twin) {
			w.there("/a.md", "old\n")
			w.there("/a.md", "new\n")
		}, map[string]string{"a.md": "new\n"}, ""},
		"in each other's way": {"", here("file\n"), func(w *twin) { w.there("/a.md/x.md", "below\n") }, map[string]string{"a.md/x.md": "below\n"}, "create file\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTwin(t)
			if c.before != "" {
				w.write(alice, "/a.md", c.before)
			} else {
				w.pull()
			}
			c.here(w)
			w.sync()
			c.there(w)
			got := w.pull()
			held, err := w.store.Held(t.Context(), HeldFilter{State: HeldWaiting})
			if err != nil || len(held) > 1 || (len(held) == 1) != (c.held != "") || len(got.Overruled) != len(held) {
				t.Fatalf("%+v: held %+v, %v", got, held, err)
			}
			if files := w.files(); len(files) != len(c.want) {
				t.Errorf("files %q", files)
			}
			for p, text := range c.want {
				w.wantFile(p, text)
				v, err := w.up.s.VersionAt(t.Context(), mustPath("/"+p), 0)
				if err != nil || v.SHA256 != sum([]byte(text)) {
					t.Errorf("there: %s is %+v, %v", p, v, err)
				}
			}
			if len(held) == 1 {
				w.wantHeld(held[0], c.held)
			}
			w.agree()
			if got := w.pull(); got.Sent+got.Versions+len(got.Overruled)+len(got.Merged) != 0 {
				t.Errorf("again: %+v", got)
			}
		})
	}
}

// wantHeld holds that a held change is of a kind and gives its memory a text.
func (w *twin) wantHeld(h Held, want string) {
	w.t.Helper()
	plan, err := w.store.PlanHeld(w.t.Context(), h.Number)
	if err != nil {
		w.t.Fatal(err)
	}
	unlock, err := w.trail.db.Acquire(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer unlock()
	items, err := heldItems(w.store.reader(w.t.Context()), h.Number)
	if err != nil || len(items) != 1 {
		w.t.Fatalf("%+v, %v", items, err)
	}
	kind, text, _ := strings.Cut(want, " ")
	if string(h.Kind) != kind || string(items[0].text) != text || items[0].gone != (kind == "delete") || plan.Empty() {
		w.t.Errorf("held %+v: %q, plan %+v", h, items[0].text, plan)
	}
}

// A held text of a conflict can be accepted, and then the service has it.
func TestAHeldConflictIsAccepted(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.outside("a.md", "here\n")
	w.sync()
	w.there("/a.md", "there\n")
	w.pull()
	plan, err := w.store.PlanHeld(t.Context(), 1)
	if err != nil || len(plan.Conflicts) != 1 {
		t.Fatalf("%+v, %v", plan, err)
	}
	choices := map[MemoryID]planning.Choice{plan.Conflicts[0].Memory: {Kind: planning.TakeTheirs}}
	if _, err := w.store.Accept(t.Context(), alice, plan, choices); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a.md", "here\n")
	w.agree()
}

// A file that changes again while it is sent, or whose sending got no answer, keeps its newest text.
func TestAFileThatChangesWhileItIsSentIsKept(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"sent": false, "no answer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTwin(t)
			w.write(alice, "/a.md", "one\n")
			w.outside("a.md", "two\n")
			w.sync()
			w.up.fault = func(call string) (error, error) {
				if call != "update" {
					return nil, nil
				}
				w.up.fault = nil
				w.outside("a.md", "three\n")
				if lost {
					return nil, &UpstreamError{Trouble: Offline, Unsure: true, Err: errors.New("cut")}
				}
				return nil, nil
			}
			if _, err := w.store.Pull(t.Context(), PullOptions{}); (err != nil) != lost {
				t.Fatal(err)
			}
			got := w.pull()
			w.wantFile("a.md", "three\n")
			if len(got.Overruled) != 0 {
				t.Errorf("%+v", got)
			}
			w.agree()
			if v, err := w.up.s.VersionAt(t.Context(), mustPath("/a.md"), 0); err != nil || v.SHA256 != sum([]byte("three\n")) {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

// A pull is killed before it has written a file that it recorded. Another program, which has read the
// file of before, changes it: what came from the service is not undone by that.
func TestAFileWrittenBeforeAnInterruptedPullIsFinishedIsMerged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ here, want, held string }{
		"other lines":   {"1!\n2\n3\n", "1!\n2\n3 there\n", ""},
		"the same line": {"1\n2\n3 here\n", "1\n2\n3 there\n", "edit 1\n2\n3 here\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTwin(t)
			w.write(alice, "/a.md", "1\n2\n3\n")
			w.there("/a.md", "1\n2\n3 there\n")
			w.killedPull()
			w.wantFile("a.md", "1\n2\n3\n")
			w.outside("a.md", c.here)
			w.sync()
			w.pull()
			w.wantFile("a.md", c.want)
			held, err := w.store.Held(t.Context(), HeldFilter{State: HeldWaiting})
			if err != nil || (len(held) == 1) != (c.held != "") {
				t.Fatalf("%+v, %v", held, err)
			}
			if len(held) == 1 {
				w.wantHeld(held[0], c.held)
			}
			w.agree()
			if v, err := w.up.s.VersionAt(t.Context(), mustPath("/a.md"), 0); err != nil || v.SHA256 != sum([]byte(c.want)) {
				t.Errorf("there: %+v, %v", v, err)
			}
		})
	}
}

// killedPull pulls, and is killed when what came is recorded and not yet in the folder.
func (w *twin) killedPull() {
	w.t.Helper()
	w.atStep(func(at string, _ int) error {
		if at == "after-intent-commit" {
			panic(errKilled)
		}
		return nil
	})
	if !w.killed(func() { _, _ = w.store.Pull(w.t.Context(), PullOptions{}) }) {
		w.t.Fatal("it was not killed")
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

// A file that can't be written while an interrupted pull is finished blocks nothing: what the service
// has is in the history.
func TestAMergeThatCannotBeWrittenBlocksNothing(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "1\n2\n3\n")
	w.there("/a.md", "1\n2\n3 there\n")
	w.killedPull()
	w.outside("a.md", "1!\n2\n3\n")
	tries := 0
	w.atStep(func(at string, _ int) error {
		if at == "replace" {
			tries++
			return memfs.ErrNoPermission
		}
		return nil
	})
	w.sync()
	w.at.Store(nil)
	if tries == 0 {
		t.Error("nothing was merged")
	}
	w.write(alice, "/b.md", "b\n")
	w.pull()
	w.wantFile("a.md", "1!\n2\n3\n")
	if !slices.ContainsFunc(w.historyThere("/a.md"), func(v Version) bool { return v.SHA256 == sum([]byte("1\n2\n3 there\n")) }) {
		t.Error("the service has lost what it had")
	}
	w.agree()
}

// What finishes an interrupted pull is killed too, or finds that the file changes again, at each of its
// steps: what came from the service and what was written here stay, or one of them waits for review.
func TestFinishingAnInterruptedPullCanBeInterrupted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ here, again, want, held string }{
		"other lines":   {"1!\n2\n3\n", "", "1!\n2\n3 there\n", ""},
		"the same line": {"1\n2\n3 here\n", "", "1\n2\n3 there\n", "edit 1\n2\n3 here\n"},
		"written again": {"1!\n2\n3\n", "1!!\n2\n3\n", "1!!\n2\n3 there\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			for reached := true; reached; {
				n, reached = n+1, false
				w := newTwin(t)
				w.write(alice, "/a.md", "1\n2\n3\n")
				w.there("/a.md", "1\n2\n3 there\n")
				w.killedPull()
				w.outside("a.md", c.here)
				steps := ""
				w.atStep(func(at string, i int) error {
					if i != n {
						return nil
					}
					steps, reached = at, true
					if c.again == "" {
						panic(errKilled)
					}
					if b, err := os.ReadFile(filepath.Join(w.folder, "a.md")); err == nil && string(b) == c.here { // else it read what came
						w.outside("a.md", c.again)
					}
					return nil
				})
				w.killed(func() { _, _ = w.store.Sync(t.Context()) })
				w.sync()
				w.pull()
				if b, err := os.ReadFile(filepath.Join(w.folder, "a.md")); err != nil || string(b) != c.want && (c.again == "" || string(b) != "1!\n2\n3 there\n") {
					t.Errorf("at step %d, %s: the file has %q, %v", n, steps, b, err)
				}
				held, err := w.store.Held(t.Context(), HeldFilter{State: HeldWaiting})
				if err != nil || (len(held) > 0) != (c.held != "") {
					t.Errorf("at step %d, %s: %+v, %v", n, steps, held, err)
				}
				for _, h := range held {
					w.wantHeld(h, c.held)
				}
				w.agree()
			}
			if n < 4 {
				t.Errorf("it has %d steps only", n-1)
			}
		})
	}
}
