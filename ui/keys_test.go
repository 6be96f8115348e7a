package ui

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

func TestKeys_OfOneContextAreDifferent(t *testing.T) {
	t.Parallel()
	for _, p := range CheckKeys(nil) {
		t.Error(p)
	}
}

func TestSequence_ShowsItsContinuations(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("G g")
	if s.app.tree.Here() == at("inbox") {
		t.Fatal("half a sequence is obeyed")
	}
	s.shows(" g ")
	s.elapse()
	s.shows("gg", "to the top")
	s.keys("g")
	s.hides("to the top")
	if s.app.tree.Here() != at("inbox") {
		t.Error("a sequence is not obeyed")
	}
	s.keys("3 j")
	if s.app.tree.Here() != at("logs") {
		t.Errorf("3j goes to %s", s.app.tree.Here())
	}
	s.keys("9 esc j")
	if s.app.tree.Here() != at("logs/all.log") {
		t.Errorf("esc does not end a count: %s", s.app.tree.Here())
	}
}

func TestPalette_RunsTheTypedAction(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("ctrl+k")
	s.shows("all actions", "tree", "rename")
	s.typed("zoom")
	s.keys("enter")
	if !s.app.frame.Zoomed() || s.app.overlay != nil {
		t.Error("zoom was not run")
	}
}

func TestPalette_ShowsWhyActionsAreDisabled(t *testing.T) {
	t.Parallel()
	s := newSim(t, newFake(), 100, 30)
	s.keys("ctrl+k")
	s.typed("rename")
	s.shows("there is nothing here yet")
	s.keys("enter")
	s.shows("rename: there is nothing here yet")
}

func TestConfiguredKey_ReplacesTheDefault(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Keys = keys.Bindings{"global.zoom": {"Z"}} })
	s.keys("z")
	if s.app.frame.Zoomed() {
		t.Error("the usual key is obeyed")
	}
	if s.keys("Z"); !s.app.frame.Zoomed() {
		t.Error("the configured key is not obeyed")
	}
}

// If the first of several keys opens a prompt, the others, which are typed at the same time,
// must not reach the pane.
func TestTypeahead_GoesToTheOpenedScreen(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("enter")
	changes := len(s.store.changes)
	for _, r := range "/up to" { // no command runs in between
		s.app.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if s.app.prompt == nil || s.app.prompt.Value != "up to" {
		t.Fatalf("the prompt is %+v", s.app.prompt)
	}
	if len(s.store.changes) != changes {
		t.Error("something was undone")
	}
}

// An action that several panes share does the same in each of them.
func TestKeys_OfSharedActionsHaveOneName(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, e := range ofAllMaps(nil) {
		if name, ok := names[e.ID]; ok && name != e.Name {
			t.Errorf("%s is %q and %q", e.ID, name, e.Name)
		}
		names[e.ID] = e.Name
	}
}

// A message names a key by the action's id: each is one of an action.
func TestHints_InMessagesAreOfActions(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, e := range AllActions(nil) {
		ids[e.ID], ids[e.ID[strings.LastIndexByte(e.ID, '.')+1:]] = true, true
	}
	named, found := regexp.MustCompile(`\.Hint\("([^"]+)"\)`), 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(b, -1) {
			if found++; !ids[string(m[1])] {
				t.Errorf("%s: no action has the id %s", path, m[1])
			}
		}
		return err
	})
	if err != nil || found < 30 {
		t.Errorf("%d messages name a key: %v", found, err)
	}
}

// Messages name the key that the person bound.
func TestMessages_NameTheBoundKey(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36, func(c *Config) { c.Keys = keys.Bindings{"editor.save": {"f8"}} })
	s.on("people/dana.md").keys("enter e")
	s.typed("more ")
	s.send(screen.Create{Path: at("people/kim.md")})
	s.shows("is not saved: F8 saves, Esc closes")
}

// The name that an action had in a settings file of an earlier version leads to the one it has.
func TestCheckKeys_NamesTheVerbOfAnEarlierAction(t *testing.T) {
	t.Parallel()
	problems := CheckKeys(keys.Bindings{"memory.restore": {"R"}})
	if len(problems) != 1 || problems[0].Error() != "memory.restore: no such action: all panes have change.restore" {
		t.Errorf("%v", problems)
	}
}
