package versions

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
)

func draftOf(p memfs.Path, text string) Draft { return Draft{Path: p, Text: []byte(text)} }

func (w *world) keep(d *Drafts, x Draft, step int) string {
	w.t.Helper()
	id, err := d.Keep(x, step)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) drafts(d *Drafts) []Draft {
	w.t.Helper()
	out, err := d.List()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestDraft_IsFoundWhenItsRunWasKilled(t *testing.T) {
	w := newWorld(t)
	w.write(robot, "a", "one")
	entry := w.versionOf("a", 1)
	killed := w.trail.Drafts(w.store.Info().ID)
	id := w.keep(killed, Draft{Memory: entry.Memory, Path: entry.Path, Base: entry.SHA256, Text: []byte("one\r\n\xff two")}, 1)

	next := w.trail.Drafts(w.store.Info().ID)
	if got := w.drafts(next); len(got) != 1 || !got[0].Held || got[0].Own {
		t.Fatalf("while the run lasts: %+v", got)
	}
	_ = killed.lock.Close()
	got := w.drafts(next)
	if len(got) != 1 || got[0].Held || got[0].ID != id || got[0].Base != entry.SHA256 || got[0].Memory != entry.Memory || got[0].Path != entry.Path || string(got[0].Text) != "one\r\n\xff two" {
		t.Fatalf("after its death: %+v", got)
	}
	if time.Since(got[0].Time) > time.Hour {
		t.Errorf("it was kept at %v", got[0].Time)
	}
	for name, mode := range map[string]os.FileMode{filepath.Join(w.home, "drafts"): 0o700, filepath.Join(w.home, "drafts", id): 0o600} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
	if err := next.Drop(id, 1); err != nil || len(w.drafts(next)) != 0 {
		t.Errorf("dropped: %v, %d are left", err, len(w.drafts(next)))
	}
	for file := range readFiles(t, w.folder) {
		if strings.Contains(file, "draft") {
			t.Errorf("%s is in the folder of the store", file)
		}
	}
}

func TestDraft_OfASavedTextIsNotKeptByACallThatComesLate(t *testing.T) {
	w := newWorld(t)
	d := w.trail.Drafts(w.store.Info().ID)
	id := w.keep(d, draftOf(mustPath("a"), "new"), 2)
	w.keep(d, draftOf(mustPath("a"), "old"), 1)
	if got := w.drafts(d); len(got) != 1 || string(got[0].Text) != "new" {
		t.Fatalf("%+v", got)
	}
	if err := d.Drop(id, 4); err != nil {
		t.Fatal(err)
	}
	w.keep(d, draftOf(mustPath("a"), "late"), 3)
	if got := w.drafts(d); len(got) != 0 {
		t.Errorf("kept after it was saved: %+v", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(w.home, "drafts")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestDraft_OfAnotherStoreOrHalfWrittenIsNotOffered(t *testing.T) {
	w := newWorld(t)
	other := w.trail.Drafts("memstore_other")
	w.keep(other, draftOf(mustPath("a"), "theirs"), 1)
	for name, b := range map[string]string{"1-2.draft": "", "3-4.draft": "{}", "5-6.draft": `{"path":"../x"}` + "\n"} {
		if err := os.WriteFile(filepath.Join(w.home, "drafts", name), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.drafts(w.trail.Drafts(w.store.Info().ID)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := other.Drop("../trail.db", 9); err == nil {
		t.Error("a draft outside of the folder is dropped")
	}
}

func TestRedacting_ErasesTheDraftsThatHoldIt(t *testing.T) {
	const secret = "the password is swordfish-4711"
	for name, c := range map[string]struct {
		target func(w *world) RedactTarget
		text   string // of the draft
		gone   bool
		lost   bool // the draft stays, and what it was made of is forgotten
	}{
		"of a version that it was made of":        {func(w *world) RedactTarget { return RedactTarget{Version: w.versionOf("a", 1).ID} }, secret + " or so", true, false},
		"of a version, none of which is left":     {func(w *world) RedactTarget { return RedactTarget{Version: w.versionOf("a", 1).ID} }, "something else", false, true},
		"of the memory, whatever the draft holds": {func(w *world) RedactTarget { return RedactTarget{Memory: w.versionOf("a", 1).Memory} }, "xyzzy", true, false},
		"of a text":                              {func(w *world) RedactTarget { return RedactTarget{Match: []byte("swordfish-4711")} }, "it is swordfish-4711", true, false},
		"of a text too short to be searched for": {func(w *world) RedactTarget { return RedactTarget{Match: []byte("4711")} }, "4711", true, false},
		"of a text that it does not hold":        {func(w *world) RedactTarget { return RedactTarget{Match: []byte("swordfish-4711")} }, "the password is", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "a", secret)
			was := w.versionOf("a", 1)
			w.write(alice, "a", "no secrets here")
			d := w.trail.Drafts(w.store.Info().ID)
			w.keep(d, Draft{Memory: was.Memory, Path: was.Path, Base: was.SHA256, Text: []byte(c.text)}, 1)
			w.keep(d, draftOf(mustPath("b"), "nothing of it"), 1)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			r := w.redact(c.target(w), RedactChoice{})
			left := w.drafts(d)
			if want := 2 - r.Drafts; len(left) != want || (r.Drafts == 1) != c.gone {
				t.Fatalf("%d went, %d are left", r.Drafts, len(left))
			}
			if r.Outcome == OutcomeStillIn {
				t.Errorf("still in %+v", r.Found)
			}
			for _, x := range left {
				if x.Path == was.Path && (x.Lost != c.lost || string(x.Text) != c.text || x.Base != (Hash{})) {
					t.Errorf("the draft is %+v", x)
				}
			}
			for file, b := range w.everything() {
				if strings.Contains(file, "drafts") && (c.gone && bytes.Contains(b, []byte(c.text)) || bytes.Contains(b, []byte(was.SHA256.String()))) {
					t.Errorf("%s still holds it", file)
				}
			}
		})
	}
}

func TestDeletingAStore_ErasesItsDrafts(t *testing.T) {
	w := newWorld(t)
	info, err := w.trail.CreateStore(t.Context(), alice, "other", "", "")
	if err != nil {
		t.Fatal(err)
	}
	d := w.trail.Drafts(info.ID)
	w.keep(d, draftOf(mustPath("a"), "short"), 1)
	r, err := w.trail.DeleteStore(t.Context(), alice, info.ID, Scrub{})
	if err != nil || r.Drafts != 1 || len(w.drafts(d)) != 0 {
		t.Errorf("%d drafts went, %v", r.Drafts, err)
	}
	_ = d.Close()
}
