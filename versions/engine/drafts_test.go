package engine_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/stores"
)

func draftOf(p memfs.Path, text string) drafts.Draft {
	return drafts.Draft{Path: p, Text: []byte(text)}
}

func (w *world) keep(d *drafts.Keeper, x drafts.Draft, step int) string {
	w.t.Helper()
	id, err := d.Keep(x, step)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) drafts(d *drafts.Keeper) []drafts.Draft {
	w.t.Helper()
	out, err := d.List()
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestRedacting_ErasesTheDraftsThatHoldIt(t *testing.T) {
	t.Parallel()
	const secret = "the password is swordfish-4711"
	for name, c := range map[string]struct {
		target func(w *world) versions.RedactTarget
		text   string // of the draft
		gone   bool
		lost   bool // the draft stays, and what it was made of is forgotten
	}{
		"of a version that it was made of":        {func(w *world) versions.RedactTarget { return versions.RedactTarget{Version: w.versionOf("a", 1).ID} }, secret + " or so", true, false},
		"of a version, none of which is left":     {func(w *world) versions.RedactTarget { return versions.RedactTarget{Version: w.versionOf("a", 1).ID} }, "something else", false, true},
		"of the memory, whatever the draft holds": {func(w *world) versions.RedactTarget { return versions.RedactTarget{Memory: w.versionOf("a", 1).Memory} }, "xyzzy", true, false},
		"of a text":                              {func(w *world) versions.RedactTarget { return versions.RedactTarget{Match: []byte("swordfish-4711")} }, "it is swordfish-4711", true, false},
		"of a text too short to be searched for": {func(w *world) versions.RedactTarget { return versions.RedactTarget{Match: []byte("h-47")} }, "h-47", true, false}, // what no id, time or hash has by chance
		"of a text that it does not hold":        {func(w *world) versions.RedactTarget { return versions.RedactTarget{Match: []byte("swordfish-4711")} }, "the password is", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "a", secret)
			was := w.versionOf("a", 1)
			w.write(alice, "a", "no secrets here")
			d := w.trail.Drafts(w.store.Info().ID)
			w.keep(d, drafts.Draft{Memory: was.Memory, Path: was.Path, Base: was.SHA256, Text: []byte(c.text)}, 1)
			w.keep(d, draftOf(mustPath("b"), "nothing of it"), 1)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			r := w.redact(c.target(w), versions.RedactChoice{})
			left := w.drafts(d)
			if want := 2 - r.Drafts; len(left) != want || (r.Drafts == 1) != c.gone {
				t.Fatalf("%d went, %d are left", r.Drafts, len(left))
			}
			if r.Outcome == versions.OutcomeStillIn {
				t.Errorf("still in %+v", r.Found)
			}
			for _, x := range left {
				if x.Path == was.Path && (x.Lost != c.lost || string(x.Text) != c.text || x.Base != (versions.Hash{})) {
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
	t.Parallel()
	w := newWorld(t)
	info, err := stores.CreateStore(t.Context(), w.trail, alice, "other", "", "")
	if err != nil {
		t.Fatal(err)
	}
	d := w.trail.Drafts(info.ID)
	w.keep(d, draftOf(mustPath("a"), "short"), 1)
	r, err := stores.Delete(t.Context(), w.trail, alice, info.ID, versions.Scrub{})
	if err != nil || r.Drafts != 1 || len(w.drafts(d)) != 0 {
		t.Errorf("%d drafts went, %v", r.Drafts, err)
	}
	_ = d.Close()
}

// Who edits a copy that a redaction erases is told, and may write it anew.
func TestACopyThatARedactionErasesIsSaidToBeErased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "what the editor has open and nobody may keep"
	w.write(robot, "a", secret)
	w.write(robot, "a", "two")
	c, _, err := w.store.NewEditCopy("memory.md", []byte("on "+secret))
	w.must(err)
	r := w.redact(versions.RedactTarget{Version: w.versionOf("a", 1).ID}, versions.RedactChoice{Scrub: versions.Scrub{Wait: time.Second}})
	if r.Outcome != versions.OutcomeGone || r.Copies != 1 {
		t.Errorf("receipt %+v", r)
	}
	if _, err := c.Read(); !errors.Is(err, drafts.ErrErased) {
		t.Errorf("read: %v", err)
	}
	w.must(c.Remove())
}
