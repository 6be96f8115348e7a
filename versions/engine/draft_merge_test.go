package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

func TestDraft_KeepsWhatWasDecidedOfAMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.trail.Drafts(w.store.Info().ID)
	m := &drafts.Merge{Theirs: versions.Hash{7}, Parts: 9, Picks: []drafts.Pick{{Part: 1, Pick: "mine"}, {Part: 3, Pick: "own", Text: []byte("typed\r\n\xff")}, {Part: 4, Pick: "own", Text: []byte{}}, {Part: 8, Pick: "own", Text: []byte("more")}}}
	id := w.keep(d, drafts.Draft{Path: mustPath("a"), Base: versions.Hash{1}, Text: []byte("mine\n"), Merge: m}, 1)
	got := w.drafts(d)
	if len(got) != 1 || string(got[0].Text) != "mine\n" || !reflect.DeepEqual(got[0].Merge, m) {
		t.Fatalf("%+v", got)
	}
	b, err := os.ReadFile(filepath.Join(w.home, "drafts", id))
	if err != nil || !bytes.HasSuffix(b, []byte("\nmine\ntyped\r\n\xffmore")) {
		t.Errorf("the texts do not stand as they read: %q, %v", b, err)
	}
	w.keep(d, drafts.Draft{Path: mustPath("a"), Text: []byte("mine\n")}, 2)
	if got := w.drafts(d); len(got) != 1 || got[0].Merge != nil {
		t.Errorf("the merge is over: %+v", got)
	}
}

func TestDraft_WhoseMergeCannotBeReadIsOfferedWithoutIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.trail.Drafts(w.store.Info().ID)
	id := w.keep(d, drafts.Draft{Path: mustPath("a"), Text: []byte("mine"), Merge: &drafts.Merge{Parts: 2, Picks: []drafts.Pick{{Part: 1, Pick: "own", Text: []byte("typed")}}}}, 1)
	name := filepath.Join(w.home, "drafts", id)
	b, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, bytes.TrimSuffix(b, []byte("ed")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := w.drafts(d); len(got) != 1 || string(got[0].Text) != "mine" || got[0].Merge != nil {
		t.Errorf("%+v", got)
	}
}

func TestRedacting_ErasesWhatAMergeHoldsOfIt(t *testing.T) {
	t.Parallel()
	const secret = "the password is swordfish-47:11"
	target := func(w *world) versions.RedactTarget { return versions.RedactTarget{Version: w.versionOf("a", 2).ID} }
	match := func(*world) versions.RedactTarget { return versions.RedactTarget{Match: []byte("47:11")} }
	for name, c := range map[string]struct {
		target func(w *world) versions.RedactTarget
		typed  string
		gone   bool // the draft; else it stays, and the merge is forgotten
	}{
		"typed into it":                {target, "so " + secret, true},
		"short, and typed into it":     {match, "47:11", true},
		"only put together with it":    {target, "something else", false},
		"of a text that was not typed": {match, "something else", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "a", "nothing to hide")
			base := w.versionOf("a", 1)
			w.write(robot, "a", secret)
			theirs := w.versionOf("a", 2)
			w.write(alice, "a", "no secrets here")
			d := w.trail.Drafts(w.store.Info().ID)
			w.keep(d, drafts.Draft{Memory: base.Memory, Path: base.Path, Base: base.SHA256, Text: []byte("mine"),
				Merge: &drafts.Merge{Theirs: theirs.SHA256, Parts: 1, Picks: []drafts.Pick{{Part: 0, Pick: "own", Text: []byte(c.typed)}}}}, 1)
			r := w.redact(c.target(w), versions.RedactChoice{})
			left := w.drafts(d)
			if (len(left) == 0) != c.gone || r.Outcome == versions.OutcomeStillIn {
				t.Fatalf("left is %+v, the outcome %v", left, r.Outcome)
			}
			if !c.gone && (left[0].Merge != nil || left[0].Lost || left[0].Base != base.SHA256 || string(left[0].Text) != "mine") {
				t.Errorf("left is %+v", left[0])
			}
			for file, b := range w.everything() {
				if strings.Contains(file, "drafts") && (bytes.Contains(b, []byte(theirs.SHA256.String())) || bytes.Contains(b, []byte("47:11"))) {
					t.Errorf("%s still holds it", file)
				}
			}
		})
	}
}

func TestDraft_ThatWasErasedIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "the password is swordfish-47:11")
	was := w.versionOf("a", 1)
	w.write(alice, "a", "no secrets here")
	d := w.trail.Drafts(w.store.Info().ID)
	x := drafts.Draft{Memory: was.Memory, Path: was.Path, Base: was.SHA256, Text: []byte("the password is swordfish-47:11, or so")}
	w.keep(d, x, 1)
	w.redact(versions.RedactTarget{Version: was.ID}, versions.RedactChoice{})
	if _, err := d.Keep(x, 2); !errors.Is(err, drafts.ErrErased) || len(w.drafts(d)) != 0 {
		t.Fatalf("%v, %d drafts", err, len(w.drafts(d)))
	}
	for file, b := range w.everything() {
		if strings.Contains(file, "drafts") && bytes.Contains(b, []byte("swordfish")) {
			t.Errorf("%s holds it again", file)
		}
	}
	id := w.keep(d, draftOf(mustPath("b"), "another"), 3)
	if err := d.Drop(id, 4); err != nil {
		t.Fatal(err)
	}
	w.keep(d, draftOf(mustPath("b"), "once more"), 5) // dropped by ourselves
}
