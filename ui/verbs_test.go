package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// takesText are the maps of fields and texts, where keys type.
var takesText = []string{"editor", "search", "search-replace", "conversation-prompt", "conversation-find", "redact-text", "filter"}

func TestVerbs_EachKeyHasOneEverywhere(t *testing.T) {
	t.Parallel()
	all := ofAllMaps(nil)
	for _, v := range told {
		i := slices.IndexFunc(all, func(e keys.Entry) bool { return e.ID == v[0] })
		if i < 0 {
			t.Errorf("%s is no action", v[0])
			continue
		}
		for _, e := range all {
			undoes := strings.HasSuffix(e.ID, ".undo") && v[0] == "change.undo"
			if e.ID == v[0] || undoes || slices.Contains(takesText, e.Map) {
				continue
			}
			for _, key := range all[i].Keys {
				if slices.Contains(e.Keys, key) {
					t.Errorf("%s of %s is %q, but in all panes it is %q", key, e.ID, e.Name, v[1])
				}
			}
		}
	}
}

// Few enough to be learned.
func TestActions_AreFew(t *testing.T) {
	t.Parallel()
	if n := len(AllActions(nil)); n > 230 {
		t.Errorf("%d actions", n)
	}
}

func TestVerbs_AreShownInTheHelp(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 60)
	s.keys("?")
	s.typed("undo the session")
	s.shows("U", "undo the session")
}

func TestVerb_ThatDoesNothingHereSaysWhereItWorks(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.keys("A X")
	s.shows("redact: works in the tree", "the history")
	if n := strings.Count(s.screen(), "the history"); n != 1 {
		t.Errorf("the history is named %d times", n)
	}
}

func TestPalette_FindsActionsOfAllPlaces(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	first := func(typed string) string {
		s.keys("ctrl+k")
		s.typed(typed)
		m := s.app.overlay.(*dialog.Menu)
		name := ""
		if len(m.Matches) > 0 {
			e := m.All[m.Matches[0]].Entry
			name = e.Name + " | " + e.Why
		}
		s.keys("esc")
		return name
	}
	for typed, want := range map[string]string{
		"redact a":        "redact a text… | ",
		"undo":            "undo what you did last | ",
		"undo this":       "undo | works in the history (H)",
		"now for all":     "now for all that are left | works in a plan",
		"look again":      "look again | works in the stores (@)",
		"lines of a diff": "",
	} {
		if got := first(typed); got != want {
			t.Errorf("%q finds %q first, want %q", typed, got, want)
		}
	}
	s.keys("ctrl+k")
	s.typed("now for all")
	s.keys("enter")
	s.shows("now for all that are left: works in a plan")
}

func TestUndoHint_NamesAPaneWhereTheKeyUndoesIt(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 36)
	for _, text := range []string{"one\n", "two\n"} {
		if _, err := s.app.cfg.Store.Write(t.Context(), me, at("own.md"), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.app.cfg.Store.VersionAt(t.Context(), at("own.md"), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.send(screen.History{Path: v.Path, Memory: v.Memory})
	s.keys("j R enter")
	s.shows("restored version 1 of /own.md", "Tab, then u undoes")
	s.keys("tab u")
	s.shows(": restored /own.md")
}

func TestUndo_WithNothingOfYoursSaysHowToUndoOthersChanges(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 36, func(c *Config) { c.By.Actor.Name = "somebody new" })
	s.keys("u")
	s.shows("nothing of yours to undo: H, then u undoes others' changes")
}

func TestHints_NameAKeyOnce(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 36)
	for _, keys := range []string{"H", "c", "enter", "tab", "A", "t"} {
		s.keys(keys)
		seen := map[string]string{}
		for _, e := range s.app.hints() {
			if other, ok := seen[e.Hint()]; ok {
				t.Errorf("after %s the hint %s is of %s and of %s", keys, e.Hint(), other, e.ID)
			}
			seen[e.Hint()] = e.ID
		}
	}
}

// The key that undoes in the review folds nothing in the tree, where `.` keeps as it does there.
func TestReject_FoldsNothingInTheTree(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.keys("= -")
	s.shows("works in the memory, the review", "plan.md")
}
