package config

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/versions"
)

// folder creates a folder with files, and returns the path of its config.toml.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "config.toml")
}

// load reads a settings file in an empty environment.
func load(t *testing.T, text string, more ...string) (*Config, error) {
	t.Helper()
	files := map[string]string{"config.toml": text}
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return Load(Options{File: folder(t, files), Getenv: func(string) string { return "" }})
}

func TestFile_SetsOnlyWhatItNames(t *testing.T) {
	c, err := load(t, `
theme = "dusk"
theme_dark = "contrast-dark"
theme_light = "contrast-light"
background = "light"
borders = "ascii"
mouse = false
wrap = false
animation = false
stale_days = 8
loss_memories = 7
editor = "code --wait"
read_only = true
reorders = true
cursor = "row"

[keys.tree]
open = ["enter",
  "l"]
close = "h"
nothing = []

[agent]
model = "m-1"
thinking = true
idle = "90s"
edits = [{type = "clear_thinking_20251015", keep = "all"},
  {type = "clear_tool_uses_20250919", trigger = {type = "tool_uses", value = 9}, exclude_tools = ["memory"]}]
[agent.compaction]
mode = "server"
threshold = 60000
[agent.budget]
tokens = 5000000000
[outside]
transcripts = false
[sync]
every = "5m"
`)
	if err != nil {
		t.Fatal(err)
	}
	set := agent.DefaultSettings()
	set.Model, set.Thinking, set.Idle = "m-1", true, agent.Millis(90*time.Second)
	set.Edits = []agent.Edit{{Type: agent.ClearThinking, KeepAll: true},
		{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.ToolUses, Value: 9}, Exclude: []string{"memory"}}}
	set.Compact, set.Budget.Tokens = agent.Compaction{Mode: agent.CompactServer, Threshold: 60000}, 5_000_000_000
	want := Settings{
		Agent: set,
		Theme: "dusk", ThemeDark: "contrast-dark", ThemeLight: "contrast-light", Background: Light, Borders: ASCII, Progress: Auto, StaleDays: 8, Loss: versions.Loss{Memories: 7, Percent: 25},
		Editor: "code --wait", ReadOnly: true, SyncEvery: 5 * time.Minute, Reorders: true, Cursor: Row, Keys: map[string][]string{"tree.open": {"enter", "l"}, "tree.close": {"h"}, "tree.nothing": {}},
	}
	if !reflect.DeepEqual(c.Settings, want) {
		t.Errorf("got  %+v\nwant %+v", c.Settings, want)
	}
	for name, line := range map[string]int{"tree.open": 18, "tree.close": 20} {
		if got := c.KeySource(name); got != (Source{File: c.File, Line: line}) {
			t.Errorf("%s stands at %v, want line %d", name, got, line)
		}
	}
	if got := c.Source("stale_days"); got.Line != 10 || got.Kind() != "file" {
		t.Errorf("stale_days stands at %v", got)
	}
	c, err = load(t, "wrap = false\n")
	if want := Defaults(); err != nil || c.Wrap || c.Source("theme").Kind() != "default" || c.Theme != want.Theme || !c.Mouse {
		t.Errorf("%+v, %v", c.Settings, err)
	}
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	file := folder(t, map[string]string{"config.toml": "theme = \"dusk\"\nmouse = false\nwrap = false\n"})
	env := map[string]string{"MEMEND_CONFIG": file, "MEMEND_THEME": "day", "MEMEND_MOUSE": "1", "MEMEND_EDITOR": "hx", "MEMEND_STALE_DAYS": "2",
		"MEMEND_AGENT_IDLE": "7s", "MEMEND_AGENT_EDITS": `[{"type":"clear_tool_uses_20250919","keep":{"type":"tool_uses","value":0}}]`, "ANTHROPIC_MODEL": "theirs"}
	c, err := Load(Options{Getenv: func(name string) string { return env[name] }, Flags: map[string]Flag{"theme": {"--theme", "mono"}}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Theme != "mono" || !c.Mouse || c.Wrap || c.Editor != "hx" || c.StaleDays != 2 {
		t.Errorf("%+v", c.Settings)
	}
	if a := c.Agent; a.Idle != agent.Millis(7*time.Second) || a.Model != "theirs" || len(a.Edits) != 1 || a.Edits[0].Keep != (agent.Amount{Unit: agent.ToolUses}) {
		t.Errorf("%+v", a)
	}
	from := map[string]string{}
	for _, name := range Names() {
		if kind := c.Source(name).Kind(); kind != "default" {
			from[name] = kind
		}
	}
	want := map[string]string{
		"theme": "flag", "mouse": "environment", "wrap": "file", "editor": "environment", "stale_days": "environment",
		"agent.idle": "environment", "agent.edits": "environment", "agent.model": "environment",
	}
	if !maps.Equal(from, want) {
		t.Errorf("from %v", from)
	}
	if got := c.Source("mouse").String(); got != "$MEMEND_MOUSE" {
		t.Errorf("mouse is from %q", got)
	}
}

func TestMissingFile_IsAnErrorOnlyIfNamed(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.toml")
	c, err := Load(Options{Getenv: func(name string) string {
		if name == "MEMEND_CONFIG" {
			return none
		}
		return ""
	}})
	if err != nil || c.Found || c.File != none || !reflect.DeepEqual(c.Settings, Defaults()) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := Load(Options{File: none, Getenv: func(string) string { return "" }}); err == nil {
		t.Error("a file that was named and is not there passes")
	}
}

func TestProblems_HaveALineAndAHint(t *testing.T) {
	for _, c := range []struct{ text, at, what, hint string }{
		{"theme_drak = \"night\"", ":1", `unknown setting "theme_drak"`, `did you mean "theme_dark"?`},
		{"\nzzz = 1", ":2", `unknown setting "zzz"`, "allowed: theme, "},
		{"[colours]\na = 1", ":1", `unknown setting "colours"`, "allowed:"},
		{"\n[a.b]\nc = 1", ":2", `unknown setting "a"`, "allowed:"},
		{"wrap = \"yes\"", ":1", `wrap is the text "yes", not true or false`, "without quotes"},
		{"wrap = true\nstale_days = 0", ":2", "stale_days is 0, not a number from 1 to 3650", ""},
		{"stale_days = 4.0", ":1", "stale_days is 4.0", ""},
		{"editor = [\"hx\"]", ":1", "editor is a list, not a text", "in quotes"},
		{"editor = 2026-01-01", ":1", "editor is a time, not a text", ""},
		{"mouse = { on = true }", ":1", "mouse is a table", ""},
		{"borders = \"asci\"", ":1", `borders is "asci"`, `did you mean "ascii"?`},
		{"background = \"x\"", ":1", `background is "x"`, "allowed: auto, dark, light"},
		{"\ntheme = \"nihgt\"", ":2", `unknown theme "nihgt"`, `did you mean "night"?`},
		{"theme_dark = \"auto\"", ":1", `unknown theme "auto"`, "allowed: night"},
		{"theme = \"none.toml\"", "none.toml", "no such file", ""},
		{"keys = 1", ":1", "keys is 1, not a table", "[keys.list]"},
		{"[keys]\nquit = \"q\"", ":2", "keys.quit is the text", "[keys.list]"},
		{"[keys.tree]\n\nopen = [\"l\", 1]", ":3", "keys.tree.open is a list, not a list of keys", "enter"},
		{"[keys.tree.open]\nx = 1", ":1", "keys.tree.open is a table", ""},
		{"agent = 1", ":1", "agent is 1, not a table", "[agent]"},
		{"[agent]\n\nmodle = \"x\"", ":3", `unknown setting "agent.modle"`, `did you mean "agent.model"?`},
		{"[agent]\nbudget = 3", ":2", "agent.budget is 3, not a table", ""},
		{"[agent]\nidle = 3", ":2", "agent.idle is 3, not a time", `"90s"`},
		{"[sync]\nevery = \"9s\"", ":2", `sync.every is the text "9s", less than 10s`, `"0s" is never`},
		{"[sync]\nevery = \"-5m\"", ":2", `sync.every is the text "-5m", less than 10s`, ""},
		{"[sync]\nevery = 5", ":2", "sync.every is 5, not a time", `"90s"`},
		{"[agent]\nidle = \"0s\"", ":2", `agent.idle is the text "0s", not a time`, ""},
		{"[agent]\nedits = [{type = \"clear_tool_uses_20250919\", keeps = 3}]", ":2", "keeps: ", "trigger"},
		{"[agent]\nthinking = false\nedits = [{type = \"clear_thinking_20251015\"}]", ":3", "agent.edits[0].type: clear_thinking_20251015 needs thinking", ""},
		{"[agent]\nedits = [{type = \"clear_tool_uses_20250919\"}, {type = \"clear_thinking_20251015\"}]", ":2", "agent.edits[1].type: clear_thinking_20251015 must be the first edit", ""},
		{"[agent.compaction]\nmode = \"server\"\nthreshold = 9", ":3", "agent.compaction.threshold: must be at least 50000", ""},
		{"[agent.compaction]\nmode = \"serve\"", ":2", `agent.compaction.mode is "serve"`, `"server"`},
		{"theme = \"night\"\ntheme = \"day\"", ":2:17", "already", "TOML"},
		{"theme = \"night", ":1:14", "", "TOML"},
		{"wrap = true\n\n= 1", ":3:2", "", "TOML"},
		{"wrap = \xff", "", "", ""},
	} {
		_, err := load(t, c.text)
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if at := ps[0].Source.String(); !strings.HasSuffix(at, c.at) || !strings.Contains(ps[0].What, c.what) || !strings.Contains(ps[0].Hint, c.hint) {
			t.Errorf("%q: %s: %s; %s", c.text, at, ps[0].What, ps[0].Hint)
		}
	}
	_, err := load(t, "wrap = 1\nmouse = 1\nzzz = 1\n")
	if ps := (Problems{}); !errors.As(err, &ps) || len(ps) != 3 || ps[0].Source.Line != 1 || ps[2].Source.Line != 3 || !strings.Contains(err.Error(), "and 2 more") {
		t.Errorf("not all, or not in order: %v", err)
	}
}

func TestEnvironmentAndFlags_AreValidatedLikeTheFile(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"mouse", "maybe", `$MEMEND_MOUSE: "maybe" is not true or false`},
		{"stale_days", "x", `$MEMEND_STALE_DAYS: "x" is not a number`},
		{"stale_days", "9999", `$MEMEND_STALE_DAYS: stale_days is 9999, not a number from 1 to 3650`},
		{"borders", "none", `$MEMEND_BORDERS: borders is "none"`},
		{"theme_light", "none", `$MEMEND_THEME_LIGHT: unknown theme "none"`},
	} {
		_, err := Load(Options{Getenv: func(name string) string {
			if name == "MEMEND_"+strings.ToUpper(c.name) {
				return c.value
			}
			return ""
		}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s = %q: %v", c.name, c.value, err)
		}
	}
	_, err := Load(Options{Getenv: func(string) string { return "" }, Flags: map[string]Flag{"theme": {"--theme", "none"}}})
	if err == nil || err.Error() != `--theme: unknown theme "none"` {
		t.Error(err)
	}
}

func TestTemplate_SetsTheDefaultsIfUncommented(t *testing.T) {
	if c, err := load(t, Template()); err != nil || !reflect.DeepEqual(c.Settings, Defaults()) || len(c.sources) > 0 {
		t.Errorf("%+v, %v", c.Settings, err)
	}
	inForce := regexp.MustCompile(`(?m)^#([a-z_.]+ =|\[)`).ReplaceAllString(Template(), "$1")
	c, err := load(t, inForce)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.Keys["list.open"] = []string{"enter", "f9"}
	if !reflect.DeepEqual(c.Settings, want) || len(c.sources) != len(settings) {
		t.Errorf("%+v from %v", c.Settings, c.sources)
	}
	for line := range strings.Lines(Template()) {
		if len(line) > 81 {
			t.Errorf("too long a line: %q", line)
		}
	}
}

func TestInit_NeverOverwritesAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "config.toml")
	if err := Init(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("wrap = false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Init(file); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "wrap = false\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestDistance_CountsChanges(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "axc", 1}, {"abc", "bc", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q are %d apart, want %d", c.a, c.b, got, c.want)
		}
	}
}

const ownTheme = `# Mine.
base = "second"
description = "mine and no other"
dark = false

[colors]
accent = "#123456"
dim = 8
status = { rgb = "default", basic = "default" }

[styles.added_line]
fg = "accent"
bg = { rgb = "#abcdef", basic = 3 }
bold = true
italic = false
[styles.link]
underline = false
`

func TestOwnThemes_AreReadAndMayExtendEachOther(t *testing.T) {
	c, err := load(t, `theme = "mine"`, "themes/mine.toml", ownTheme, "themes/second.toml", `base = "dusk"`, "themes/broken.toml", "base = 1", "themes/notes.txt", "x")
	if err != nil {
		t.Fatal(err)
	}
	d, ok := c.Themes.Find("mine")
	if !ok {
		t.Fatal("not found")
	}
	if d.Choice != (theme.Choice{Name: "mine", Description: "mine and no other"}) {
		t.Errorf("%+v", d.Choice)
	}
	th := d.Theme(theme.Many)
	for name, got := range map[string][2]string{
		"accent":        {th.HintKey.On, "\x1b[38;2;18;52;86m"},
		"added_line":    {th.AddedLine.On, "\x1b[1;38;2;18;52;86;48;2;171;205;239m"},
		"link":          {th.Link.On, "\x1b[38;2;131;179;201m"},
		"its sixteenth": {d.Theme(theme.Sixteen).AddedLine.On, "\x1b[1;93;43m"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %q, want %q", name, got[0], got[1])
		}
	}
	if names := c.Themes.Names(); !slices.Contains(names, "second") || slices.Contains(names, "broken") || slices.Contains(names, "notes") {
		t.Errorf("themes: %v", names)
	}
	// An error in a theme that is not used does no harm, but Check reports it.
	_, ps := Check(Options{File: c.File, Getenv: func(string) string { return "" }})
	if len(ps) != 1 || !strings.HasSuffix(ps[0].Source.String(), filepath.FromSlash("themes/broken.toml:1")) {
		t.Errorf("the check says %v", ps)
	}
}

func TestOwnThemes_CanBeNamedByTheirFile(t *testing.T) {
	c, err := load(t, `theme = "looks/mine.toml"`, "looks/mine.toml", `base = "day"`)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := c.Themes.Find(c.Theme); !ok || d.Dark {
		t.Errorf("%q: %v", c.Theme, ok)
	}
}

func TestThemeProblems_HaveALineAndAHint(t *testing.T) {
	for _, c := range []struct {
		text       string
		line       int
		what, hint string
	}{
		{"\nbase = \"daay\"", 2, `base: unknown theme "daay"`, `did you mean "day"?`},
		{"base = 3", 1, "base: is 3, not a text", ""},
		{"bass = \"day\"", 1, "bass: unknown key", `did you mean "base"?`},
		{"dark = 1", 1, "dark: is 1, not true or false", ""},
		{"colors = 1", 1, "colors: is 1, not a table", "[colors]"},
		{"styles = [1]", 1, "styles: is a list, not a table", ""},
		{"[colors]\n\nacent = 1", 3, "colors.acent: unknown colour", `did you mean "accent"?`},
		{"[colors]\naccent = \"#12\"", 2, `colors.accent: "#12" is not a colour`, ""},
		{"[colors]\naccent = true", 2, "colors.accent: is true, not a colour", "#rrggbb"},
		{"[colors]\naccent = { rbg = \"#123456\" }", 2, "unknown key in a colour", "rgb"},
		{"[colors]\naccent = { basic = 3 }", 2, "rgb is missing", ""},
		{"[colors]\naccent = { rgb = [1] }", 2, "not a colour", ""},
		{"[styles]\nlink = 1", 2, "styles.link: is 1, not a table", "[styles.link]"},
		{"[styles.lnik]\nbold = true", 1, "styles.lnik: unknown style", `did you mean "link"?`},
		{"[styles.link]\nbold = true\nblod = true", 3, "styles.link.blod: unknown key", `did you mean "bold"?`},
		{"[styles.link]\nfg = \"acent\"", 2, `styles.link.fg: "acent" is not a colour`, ""},
		{"[styles.link]\nbold = \"true\"", 2, "not true or false", ""},
		{"base = \"mine\"", 1, `unknown theme "mine"`, ""},
		{"[styles", 1, "", "TOML"},
	} {
		_, err := load(t, `theme = "mine"`, "themes/mine.toml", c.text)
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if p := ps[0]; filepath.Base(p.Source.File) != "mine.toml" || p.Source.Line != c.line || !strings.Contains(p.What, c.what) || !strings.Contains(p.Hint, c.hint) {
			t.Errorf("%q: %v; %s", c.text, p, p.Hint)
		}
	}
}

// Whatever the files contain, reading them returns settings or a problem.
func FuzzLoad(f *testing.F) {
	f.Add("theme = \"night\"", ownTheme)
	f.Add("[keys.tree]\nopen = [\"l\"]", "[colors]\naccent = { rgb = 1 }")
	f.Add("[[keys]]\na = 1", "[[styles]]\na.b.c = 1")
	f.Add("keys.\"a.b\".c = 1\n\"\" = 1", "styles = { a = { b = { c = 1 } } }")
	f.Fuzz(func(t *testing.T, text, own string) {
		c, err := load(t, text, "themes/mine.toml", own)
		if ps := (Problems{}); err != nil && (!errors.As(err, &ps) || len(ps) == 0) {
			t.Errorf("%v", err)
		}
		if err == nil && c.Theme != Auto {
			if _, ok := c.Themes.Find(c.Theme); !ok {
				t.Errorf("the theme %q is not there", c.Theme)
			}
		}
	})
}

func TestCursorOnRow_FollowsOtherSettings(t *testing.T) {
	for _, c := range []struct {
		cursor, borders string
		animation, want bool
	}{
		{Auto, Lines, true, false}, {Auto, ASCII, true, true}, {Auto, Lines, false, true},
		{Row, Lines, true, true}, {Text, ASCII, false, false},
	} {
		s := Defaults()
		s.Cursor, s.Borders, s.Animation = c.cursor, c.borders, c.animation
		if got := s.CursorOnRow(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if s := Defaults(); s.CursorOnRow() {
		t.Error("a list looks like a text field from the beginning")
	}
}
