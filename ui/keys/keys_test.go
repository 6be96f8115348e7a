package keys

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// pane records the calls of its actions.
type pane struct {
	did []string
	n   int
	why string
}

func does(id string, seqs ...string) Action[*pane] {
	return Action[*pane]{ID: id, Name: id, Keys: seqs, Do: func(p *pane, n int) tea.Cmd {
		p.did, p.n = append(p.did, id), n
		return nil
	}}
}

func actions() []Action[*pane] {
	locked := does("locked", "x")
	locked.Why = func(p *pane) string { return p.why }
	return []Action[*pane]{does("open", "enter", "l"), does("top", "g g"), does("end", "g e"), locked}
}

func TestPress_RunsTheActionOfASequence(t *testing.T) {
	m := New("tree", nil, actions())
	p := &pane{}
	for _, c := range []struct {
		seq  string
		want Result
		did  string
	}{{"enter", Done, "open"}, {"l", Done, "open"}, {"g", Partial, ""}, {"g g", Done, "top"}, {"g e", Done, "end"}, {"g x", None, ""}, {"q", None, ""}} {
		p.did = nil
		_, r := m.Press(p, strings.Fields(c.seq), 3)
		if r != c.want || strings.Join(p.did, " ") != c.did {
			t.Errorf("%s: %v, did %v", c.seq, r, p.did)
		}
	}
	if p.n != 3 {
		t.Errorf("the count that arrived is %d", p.n)
	}
}

func TestPress_ReturnsWhyAnActionIsDisabled(t *testing.T) {
	m := New("tree", nil, actions())
	p := &pane{why: "nothing is open"}
	cmd, r := m.Press(p, []string{"x"}, 0)
	if r != Done || len(p.did) > 0 || cmd() != (Refused{"locked", "nothing is open"}) {
		t.Errorf("%v, did %v", r, p.did)
	}
	if e := m.Entries(p)[3]; e.Why != "nothing is open" || e.ID != "tree.locked" {
		t.Errorf("the entry is %+v", e)
	}
	p.why = ""
	if m.Press(p, []string{"x"}, 0); len(p.did) != 1 {
		t.Error("it is not run when it can be")
	}
}

func TestNew_UsesConfiguredKeys(t *testing.T) {
	m := New("tree", Bindings{"tree.open": {"o"}, "tree.top": {}, "memory.open": {"z"}}, actions())
	p := &pane{}
	for seq, want := range map[string]Result{"o": Done, "enter": None, "z": None, "g": Partial} {
		if _, r := m.Press(p, []string{seq}, 0); r != want {
			t.Errorf("%s is %v", seq, r)
		}
	}
	if _, r := m.Press(p, []string{"g", "g"}, 0); r != None {
		t.Error("an action without keys has one")
	}
}

func TestCheck_FindsErrors(t *testing.T) {
	for name, c := range map[string]struct {
		own  Bindings
		want string
	}{
		"nothing":                     {Bindings{"tree.open": {"o", "ctrl+shift+left", "f12", "é", "space space"}}, ""},
		"an action there is not":      {Bindings{"tree.opne": {"o"}}, "tree.opne: no such action: tree has open, top, end, locked"},
		"a context there is not":      {Bindings{"treee.open": {"o"}}, "treee.open: no such action: `memend help keys` lists them"},
		"a key there is not":          {Bindings{"tree.open": {"ctrl+entr"}}, `"ctrl+entr" is not a key`},
		"an empty key":                {Bindings{"tree.open": {""}}, "an empty key"},
		"a sequence after a digit":    {Bindings{"tree.open": {"2 j"}}, "can't begin with a digit"},
		"a key of another action":     {Bindings{"tree.open": {"x"}}, `tree.open: "x" is also the key of tree.locked`},
		"the beginning of a sequence": {Bindings{"tree.open": {"g"}}, `is also the key of tree.top`},
	} {
		var got []string
		for _, p := range Check(c.own, New("tree", c.own, actions()).All()) {
			got = append(got, p.Error())
		}
		all := strings.Join(got, "\n")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: %q", name, all)
		}
	}
}

func TestLabel_FormatsKeys(t *testing.T) {
	for seq, want := range map[string]string{
		"enter": "Enter", "ctrl+r": "^R", "g g": "gg", "shift+tab": "Shift+Tab", "ctrl+left": "Ctrl+←", "f5": "F5", "ctrl+x ctrl+s": "^X ^S", "f": "f", "alt+up": "Alt+↑", "space": "Space",
	} {
		if got := Label(seq); got != want {
			t.Errorf("%s is written %s, want %s", seq, got, want)
		}
	}
}

func TestNames_IncludeTheKeyOfAnotherLayout(t *testing.T) {
	cyrillic := tea.KeyPressMsg{Code: 'о', Text: "о", BaseCode: 'j'}
	if got := Names(cyrillic); !slices.Equal(got, []string{"о", "j"}) {
		t.Errorf("its names are %q", got)
	}
	ctrl := tea.KeyPressMsg{Code: 'к', BaseCode: 'r', Mod: tea.ModCtrl}
	if got := Names(ctrl); got[len(got)-1] != "ctrl+r" {
		t.Errorf("its names are %q", got)
	}
	if got := Names(tea.KeyPressMsg{Code: 'j', Text: "j"}); len(got) != 1 {
		t.Errorf("its names are %q", got)
	}
}

func TestHints_NameTheCurrentAction(t *testing.T) {
	on := func(p *pane) bool { return p.n > 0 }
	m := New("diff", nil, []Action[*pane]{does("beside", "s").As("side by side").While(on, "unified"), does("words", "i").While(on, "lines")})
	for _, c := range []struct {
		n    int
		want string
	}{{0, "side by side, words"}, {1, "unified, lines"}} {
		list := m.Entries(&pane{n: c.n})
		if got := list[0].Short + ", " + list[1].Short; got != c.want || list[0].Name != "beside" {
			t.Errorf("%d: the hints are %q, of %q", c.n, got, list[0].Name)
		}
	}
	if list := m.All(); list[0].Short != "side by side" {
		t.Errorf("without a pane the hint is %q", list[0].Short)
	}
}

func TestSharedAction_IsBoundOnceForAllItsMaps(t *testing.T) {
	down := does("move.down")
	own := Bindings{"move.down": {"x"}}
	tree, memory := New("tree", own, append(actions(), down)), New("memory", own, []Action[*pane]{down, does("up", "k")})
	for _, m := range []*Map[*pane]{tree, memory} {
		p := &pane{}
		if m.Press(p, []string{"j"}, 0); len(p.did) > 0 {
			t.Error("the usual key is obeyed")
		}
	}
	problems := Check(own, slices.Concat(tree.All(), memory.All()))
	if len(problems) != 1 || problems[0].Error() != `move.down: "x" is also the key of tree.locked` {
		t.Errorf("the problems are %v", problems)
	}
}

// Messages name the key that an action has, or the action if it has none.
func TestHint_NamesTheBoundKey(t *testing.T) {
	actions := []Action[int]{{ID: "undo", Name: "undo", Keys: []string{"ctrl+z"}}, {ID: "change.version"}}
	for _, tt := range []struct {
		own           Bindings
		undo, version string
	}{
		{nil, "^Z", "v"},
		{Bindings{"a.undo": {"f9", "u"}, "change.version": {"g v"}}, "F9", "gv"},
		{Bindings{"a.undo": {}, "change.version": {}}, "“undo”", "“its version”"},
	} {
		m := New("a", tt.own, actions)
		if undo, version := m.Hint("undo"), m.Hint("change.version"); undo != tt.undo || version != tt.version {
			t.Errorf("with %v the keys are %q and %q, not %q and %q", tt.own, undo, version, tt.undo, tt.version)
		}
	}
}
