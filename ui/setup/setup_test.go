package setup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/screentest"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

var update = flag.Bool("update", false, "write the golden frames anew")

// session is a session whose settings are changed.
type session struct {
	talk.Session
	set       []agent.Settings
	previewed []agent.Settings
	err       error
	preview   agent.Preview
}

func (s *session) Set(x agent.Settings) error {
	if s.err == nil {
		s.set = append(s.set, x)
	}
	return s.err
}

func (s *session) Preview(_ context.Context, x agent.Settings) (agent.Preview, error) {
	s.previewed = append(s.previewed, x)
	return s.preview, nil
}

func open(t testing.TB, w, h int, c Config) *screentest.Sim[*Pane] {
	env := screentest.Env(t.Context())
	p := New(env, c)
	p.wait = 0
	s := screentest.New(t, env, p, w, h)
	s.Run(p.Start())
	return s
}

// every returns settings with every option set.
func every() agent.Settings {
	return agent.Settings{
		Model: "model-1", MaxTokens: 9000, Thinking: true, Guidance: "what kim says",
		Edits: []agent.Edit{
			{Type: agent.ClearThinking, Keep: agent.Amount{Unit: agent.ThinkingTurns, Value: 2}},
			{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.ToolUses, Value: 30}, Keep: agent.Amount{Unit: agent.ToolUses, Value: 4},
				ClearAtLeast: agent.Amount{Unit: agent.InputTokens, Value: 5000}, ClearInputs: agent.Inputs{Tools: []string{"memory", "other"}}, Exclude: []string{"memory"}},
			{Type: "clear_dreams_20270101"},
		},
		Compact: agent.Compaction{Mode: agent.CompactClient, Threshold: 90_000, Instructions: "short", Model: "model-2"},
		Budget:  agent.Budget{Turns: 7, Tokens: 800_000}, Idle: agent.Millis(90 * time.Second), Retries: 3,
	}
}

func TestASCII_FormsDrawOnlyASCII(t *testing.T) {
	c := Config{Session: &session{}, Settings: every()}
	for _, size := range [][2]int{{120, 60}, {80, 24}, {40, 12}} {
		s := open(t, size[0], size[1], c)
		s.Pane.SetTheme(theme.New(true, theme.Many).WithLines(theme.ASCII))
		for _, row := range strings.Split(s.Screen(), "\n")[1:] { // the root draws the title
			if strings.ContainsFunc(row, func(r rune) bool { return r > '~' }) {
				t.Errorf("%dx%d: %s", size[0], size[1], row)
			}
		}
	}
}

func TestFields_HoldEverySetting(t *testing.T) {
	all := every()
	some := agent.DefaultSettings()
	server := agent.Settings{MaxTokens: 1, Thinking: true, Edits: []agent.Edit{{Type: agent.ClearThinking, KeepAll: true}, {Type: agent.ClearToolUses, ClearInputs: agent.Inputs{All: true}, Keep: agent.Amount{Unit: agent.ToolUses}}},
		Compact: agent.Compaction{Mode: agent.CompactServer, Threshold: 60_000, Instructions: "x"}}
	for _, want := range []agent.Settings{all, some, server, {MaxTokens: 1, Compact: agent.Compaction{Mode: agent.CompactOff}}} {
		f := &form{}
		f.fields = settingsFields(f, want)
		got := f.settingsOf(want)
		for i := range got.Edits { // nil and empty are the same
			if len(got.Edits[i].Exclude) == 0 {
				got.Edits[i].Exclude = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got\n%+v\nwant\n%+v", got, want)
		}
	}
}

func TestCheckErrors_AreShownAtTheirField(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*form)
		field  string
	}{
		"no tokens":             {func(f *form) { f.field("max_tokens").setText("") }, "max_tokens"},
		"no number":             {func(f *form) { f.field("tools.trigger").setText("12x") }, "tools.trigger"},
		"thinking is off":       {func(f *form) { f.field("thinking").at = 0 }, "clearing"},
		"too low for the API":   {func(f *form) { f.field("compaction.mode").at = 2; f.field("compaction.threshold").setText("10000") }, "compaction.threshold"},
		"a negative that isn't": {func(f *form) { f.field("retries").setText("-1") }, "retries"},
	} {
		f := &form{}
		f.fields = settingsFields(f, every())
		c.change(f)
		if f.check(f.settingsOf(every())) || f.field(c.field).problem == "" {
			t.Errorf("%s: nothing is said at %s", name, c.field)
		}
	}
	f := &form{}
	f.fields = settingsFields(f, every())
	if !f.check(f.settingsOf(every())) {
		for _, x := range f.fields {
			if x.problem != "" {
				t.Errorf("%s: %s", x.id, x.problem)
			}
		}
	}
}

// Every field that the check of a session may name has a field in the form.
func TestEveryErrorOfTheCheck_HasAField(t *testing.T) {
	bad := agent.Settings{MaxTokens: 0, Idle: -1, Retries: -1, Budget: agent.Budget{Turns: -1, Tokens: -1},
		Edits: []agent.Edit{
			{Type: agent.ClearToolUses, KeepAll: true, Trigger: agent.Amount{Unit: "x", Value: 0}, Keep: agent.Amount{Unit: "x", Value: -1}, ClearAtLeast: agent.Amount{Unit: "x"}, ClearInputs: agent.Inputs{All: true, Tools: []string{""}}, Exclude: []string{""}, PauseAfter: true, Instructions: "x"},
			{Type: agent.ClearThinking, Trigger: agent.Amount{Unit: "x"}, Keep: agent.Amount{Unit: "x"}, KeepAll: true},
		},
		Compact: agent.Compaction{Mode: "x", Model: "x", Threshold: -1}}
	f := &form{}
	f.fields = settingsFields(f, bad)
	list := fieldErrors(bad.Check())
	if len(list) < 10 {
		t.Fatalf("the check found %d faults only", len(list))
	}
	for _, e := range list {
		if f.at(e.Field, bad).id == "" {
			t.Errorf("%s has no field", e.Field)
		}
	}
}

func TestInvalidSettings_AreNotSetAndGetTheCursor(t *testing.T) {
	x := &session{}
	s := open(t, 90, 40, Config{Settings: every(), Session: x})
	s.Pane.f.goTo(s.Pane.f.field("max_tokens"))
	for range 4 {
		s.Keys("backspace")
	}
	s.Pane.f.goTo(s.Pane.f.field("retries"))
	s.Keys("ctrl+s")
	if len(x.set) != 0 || s.Left {
		t.Fatal("it was set")
	}
	s.Shows("! must be at least 1")
	if s.Pane.f.current().id != "max_tokens" {
		t.Errorf("the cursor is at %s", s.Pane.f.current().id)
	}
	s.Typed("12k")
	s.Keys("ctrl+s")
	if len(x.set) != 1 || x.set[0].MaxTokens != 12_000 || !s.Left {
		t.Fatalf("it set %+v", x.set)
	}
}

func TestModelErrors_AreShownAtTheirField(t *testing.T) {
	x := &session{err: errors.Join(&agent.FieldError{Field: "compaction.mode", Why: "model-1 does not support compaction on the server; choose client"})}
	s := open(t, 90, 50, Config{Settings: every(), Session: x})
	s.Keys("ctrl+s")
	if s.Left {
		t.Fatal("it was left")
	}
	s.Shows("! model-1 does not support compaction on the server")
}

func TestPreview_ShowsWhatAChangeWouldClear(t *testing.T) {
	x := &session{preview: agent.Preview{
		Now:  agent.Forecast{Tokens: 52_000, Cleared: agent.Cleared{ToolUses: []string{"a"}}},
		Then: agent.Forecast{Tokens: 31_000, Cleared: agent.Cleared{ToolUses: []string{"a", "b", "c"}}}, Estimated: true}}
	s := open(t, 100, 40, Config{Settings: every(), Session: x})
	s.Shows("≈52,000 tokens → ≈31,000", "clears 3 tool results (now 1)")
	n := len(x.previewed)
	s.Pane.f.goTo(s.Pane.f.field("tools.keep"))
	s.Typed("2")
	if len(x.previewed) <= n || x.previewed[len(x.previewed)-1].Edits[1].Keep.Value != 42 {
		t.Errorf("it looked with %+v", x.previewed[n:])
	}
	x.preview.Estimated = false
	s.Typed("3")
	s.Shows("the next request: 52,000 tokens → 31,000")
	s.Pane.f.goTo(s.Pane.f.field("max_tokens"))
	for range 4 {
		s.Keys("backspace")
	}
	s.Shows("put right what is wrong first")
}

// stores returns n stores; the first is open.
func stores(n int) func(context.Context) ([]versions.StoreInfo, error) {
	return func(context.Context) (out []versions.StoreInfo, err error) {
		for i := range n {
			out = append(out, versions.StoreInfo{ID: versions.StoreID(fmt.Sprint("memstore_", i)), Name: fmt.Sprint("store ", i), Description: "of things"})
		}
		return out, nil
	}
}

func TestNewSession_UsesTheFormsSettings(t *testing.T) {
	var begun []agent.Start
	s := open(t, 90, 40, Config{Settings: agent.DefaultSettings(), Stores: stores(3), Here: "memstore_1",
		Models: func(context.Context) ([]agent.Model, error) {
			return []agent.Model{{ID: "model-a"}, {ID: "model-b"}}, nil
		},
		Begin: func(x agent.Start) tea.Cmd { begun = append(begun, x); return nil }})
	s.Shows("store 0", "store 1", "store 2")
	s.Typed("Remember me.")
	s.Pane.f.goTo(s.Pane.f.field("store.memstore_2"))
	s.Keys("right space")
	s.Shows("instructions")
	s.Keys("down")
	s.Typed("only for names")
	s.Pane.f.goTo(s.Pane.f.field("model"))
	s.Keys("ctrl+n ctrl+n ctrl+p")
	s.Shows("model-a", "chooses among 2 models")
	s.Keys("ctrl+s")
	if len(begun) != 1 || !s.Left {
		t.Fatalf("it began %d sessions", len(begun))
	}
	b := begun[0]
	want := []versions.Attachment{{Store: "memstore_1", Access: versions.ReadWrite}, {Store: "memstore_2", Access: versions.ReadOnly, Instructions: "only for names"}}
	if b.Prompt != "Remember me." || b.Settings.Model != "model-a" || !reflect.DeepEqual(b.Stores, want) {
		t.Errorf("it began with %+v", b)
	}
}

func TestStores_AreEightAtMostAndOneAtLeast(t *testing.T) {
	began := 0
	s := open(t, 90, 60, Config{Settings: agent.DefaultSettings(), Stores: stores(9), Here: "memstore_0", Begin: func(agent.Start) tea.Cmd { began++; return nil }})
	for i := 1; i < 9; i++ {
		s.Pane.f.field(fmt.Sprint("store.memstore_", i)).at = 1
	}
	s.Keys("ctrl+s")
	s.Shows("eight stores at most")
	for i := range 9 {
		s.Pane.f.field(fmt.Sprint("store.memstore_", i)).at = 0
	}
	s.Keys("ctrl+s")
	s.Shows("an agent needs a store")
	if began != 0 {
		t.Error("it began")
	}
}

func TestHiddenFields_AreIgnored(t *testing.T) {
	f := &form{}
	f.fields = settingsFields(f, every())
	f.field("tools").at = 0
	f.field("compaction.mode").at = 0
	for _, x := range f.shown() {
		if strings.HasPrefix(x.id, "tools.") || strings.HasPrefix(x.id, "compaction.") && x.id != "compaction.mode" {
			t.Errorf("%s shows", x.id)
		}
	}
	s := f.settingsOf(every())
	if len(s.Edits) != 2 || s.Compact != (agent.Compaction{Mode: agent.CompactOff}) {
		t.Errorf("they are read: %+v", s)
	}
}

func TestForms_MatchGoldens(t *testing.T) {
	for _, size := range [][2]int{{120, 34}, {80, 22}, {40, 10}} {
		s := open(t, size[0], size[1], Config{Settings: every(), Stores: stores(2), Here: "memstore_0"})
		drawtest.Golden(t, *update, fmt.Sprintf("new-%dx%d", size[0], size[1]), s.Pane.View())
		s = open(t, size[0], size[1], Config{Settings: every(), Session: &session{}})
		drawtest.Golden(t, *update, fmt.Sprintf("settings-%dx%d", size[0], size[1]), s.Pane.View())
	}
}

func TestForms_MarkTruncatedHelp(t *testing.T) {
	s := open(t, 40, 9, Config{Settings: every(), Stores: stores(2), Here: "memstore_0"})
	if !strings.Contains(s.Screen(), "What the agent should do. Longer ones") || !strings.Contains(s.Screen(), "are written in the conversation.") {
		t.Errorf("drawn as\n%s", s.Screen())
	}
	s.Pane.SetSize(24, 9)
	if !strings.Contains(s.Screen(), "do. Longer ones are …") {
		t.Errorf("where it has no room, drawn as\n%s", s.Screen())
	}
}

func TestForms_ShowTruncatedLabelsInFull(t *testing.T) {
	s := open(t, 40, 12, Config{Settings: every(), Stores: stores(2), Here: "memstore_0"})
	for s.Pane.f.current().id != "max_tokens" {
		s.Keys("down")
	}
	if !strings.Contains(s.Screen(), "most tokens of a reply: ") {
		t.Errorf("drawn as\n%s", s.Screen())
	}
}

func TestForms_FitEverySize(t *testing.T) {
	hostile := stores(2)
	s := open(t, 80, 24, Config{Settings: every(), Here: "memstore_0", Stores: func(ctx context.Context) ([]versions.StoreInfo, error) {
		list, err := hostile(ctx)
		list[1].Name, list[1].Description = "ev\x1b[31mil\u202e", "\x1b]0;x\x07"
		return list, err
	}})
	s.Pane.f.field("max_tokens").problem = "is \x1b[2J wrong"
	s.FitsEverySize()
	for range 3 {
		s.Keys("down down down down")
		s.FitsEverySize()
	}
}

func TestLeaving_ChangesNothing(t *testing.T) {
	x := &session{}
	s := open(t, 80, 24, Config{Settings: every(), Session: x})
	s.Keys("down esc")
	if !s.Left || len(x.set) != 0 {
		t.Errorf("left %v, set %v", s.Left, x.set)
	}
	if _, ok := s.Last().(screen.Back); !ok {
		t.Errorf("it asks for %#v", s.Last())
	}
}
