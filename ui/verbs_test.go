package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/plan"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/versions"
)

// takesText are the maps of fields and texts, where keys type.
var takesText = []string{"editor", "search", "search-replace", "conversation-prompt", "conversation-find", "redact-text", "filter"}

func TestVerbs_EachKeyHasOneEverywhere(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, e := range ofAllMaps(nil) {
		if slices.Contains(takesText, e.Map) {
			continue
		}
		for _, v := range verbs {
			for _, key := range v.keys {
				if !slices.Contains(e.Keys, key) {
					continue
				}
				if used[key] = true; !v.of(e) {
					t.Errorf("%s of %s is %q, but in all panes it is %q", key, e.ID, e.Name, v.does)
				}
			}
		}
	}
	for _, v := range verbs {
		for _, key := range v.keys {
			if !used[key] {
				t.Errorf("%s, for %q, is the key of no action", key, v.does)
			}
		}
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
		"undo":            "undo your newest change | ",
		"undo this":       "undo this change | works in the timeline (t)",
		"now for all":     "now for all that are left | works in a merge",
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
	s.shows("now for all that are left: works in a merge")
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
	s.send(request.History{Path: v.Path, Memory: v.Memory})
	s.keys("j R enter")
	s.shows("restored version 1 of /own.md", "Tab, then u undoes")
	s.keys("tab u")
	s.shows("undid restore /own.md (#")
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

// A conflict of a plan is decided with the same keys in the plan and in the merge that it leads to.
func TestVerbs_OfAPlanAndItsMergeAreTheSame(t *testing.T) {
	t.Parallel()
	first := func(entries []keys.Entry, id string) string {
		e, ok := find(entries, func(e keys.Entry) bool { return e.ID == id })
		if !ok {
			t.Fatalf("there is no %s", id)
		}
		return e.Keys[0] + " " + e.Name[:min(len(e.Name), len("before"))]
	}
	for _, id := range []string{"now", "before"} {
		if p, m := first(plan.Keys(nil), "plan."+id), first(merge.Keys(nil), "merge."+id); p != m {
			t.Errorf("the plan has %q, the merge %q", p, m)
		}
	}
}
