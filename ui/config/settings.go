package config

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/versions"
)

// Settings are the settings of the TUI and the agent.
type Settings struct {
	Theme      string // Auto, or the name of a theme
	ThemeDark  string // the themes of Auto
	ThemeLight string
	Background string // Auto, Dark or Light: the terminal's background
	Mouse      bool
	Editor     string // command of the external editor; VISUAL or EDITOR if empty
	Wrap       bool   // wrap long lines initially
	Borders    string // Lines or ASCII
	Progress   string // Auto, On or Off: the terminal's progress bar
	Reorders   bool   // the terminal reorders right-to-left text
	Animation  bool   // highlight recent changes
	Follow     bool   // open what agents work on, initially
	Cursor     string // Auto, Row or Text: the position of the terminal's cursor
	StaleDays  int
	Loss       versions.Loss // what a mass deletion is
	ReadOnly   bool
	Accessible bool // line by line, instead of the TUI

	SyncEvery time.Duration // the pace of syncs in the background; 0: there are none

	Transcripts bool // look up who wrote a file in transcripts of Claude Code

	Agent agent.Settings // of sessions of the built-in agent

	// Keys holds the configured keys, by "context.action". Whether these actions and keys
	// exist is checked elsewhere.
	Keys map[string][]string
}

// Values of settings.
const (
	Auto  = "auto"
	Dark  = "dark"
	Light = "light"
	Lines = "lines"
	ASCII = "ascii"
	Row   = "row"
	Text  = "text"
	On    = "on"
	Off   = "off"
)

// setting describes a setting, except keys.
type setting struct {
	name    string
	about   string
	field   func(*Settings) any // *string, *bool, *int, *int64, *time.Duration or *[]agent.Edit
	allowed []string
	min     int
	max     int
	least   time.Duration // of a time that may also be 0; 0: any but 0
	theme   bool          // its value is the name or the file of a theme
}

var settings = append([]setting{
	{name: "theme", about: `A theme, or "auto": one of the next two, depending on the terminal's
background. "memend config themes" lists them. One of your own is a file in
the folder "themes" beside this file, named without ".toml", or the path
of a .toml file.`,
		field: func(s *Settings) any { return &s.Theme }, theme: true},
	{name: "theme_dark", about: `The theme of "auto" on a dark background.`, field: func(s *Settings) any { return &s.ThemeDark }, theme: true},
	{name: "theme_light", about: `The theme of "auto" on a light background.`, field: func(s *Settings) any { return &s.ThemeLight }, theme: true},
	{name: "background", about: `The terminal's background: "dark", "light", or "auto" to ask the terminal.`,
		field: func(s *Settings) any { return &s.Background }, allowed: []string{Auto, Dark, Light}},
	{name: "borders", about: `How lines are drawn: "lines", or "ascii" for fonts without line characters;
signs are then ASCII too, except in the text of memories.`,
		field: func(s *Settings) any { return &s.Borders }, allowed: []string{Lines, ASCII}},
	{name: "animation", about: `Whether recent changes are highlighted for a moment.`, field: func(s *Settings) any { return &s.Animation }},
	{name: "cursor", about: `Where the terminal's cursor is: "text", only where text is typed; "row", also
on the selected row, for screen readers and magnifiers; "auto", on the row if
borders are "ascii" or animation is off.`,
		field: func(s *Settings) any { return &s.Cursor }, allowed: []string{Auto, Row, Text}},
	{name: "follow", about: `Whether the memory that an agent reads or writes is opened, initially, until
you open one yourself.`, field: func(s *Settings) any { return &s.Follow }},
	{name: "mouse", about: `Whether memend uses clicks, drags and the wheel. Most terminals still select
text while Shift is held.`, field: func(s *Settings) any { return &s.Mouse }},
	{name: "wrap", about: `Whether long lines are wrapped initially.`, field: func(s *Settings) any { return &s.Wrap }},
	{name: "reorders", about: `Whether the terminal reorders right-to-left text. If this is
false, terminals that support it are asked not to, and such text is shown as
stored; if it is true, each text is isolated from the text beside it.`, field: func(s *Settings) any { return &s.Reorders }},
	{name: "progress", about: `Whether the terminal's own progress bar is used for long work: "on",
"off", or "auto" for the terminals that are known to have one.`,
		field: func(s *Settings) any { return &s.Progress }, allowed: []string{Auto, On, Off}},
	{name: "stale_days", about: `After how many days unread and unchanged a memory is marked as stale: 1 to
3650.`, field: func(s *Settings) any { return &s.StaleDays }, min: 1, max: 3650},
	{name: "loss_memories", about: `How many memories, deleted by others within a minute, are announced as a mass
deletion: 1 to 100000.`, field: func(s *Settings) any { return &s.Loss.Memories }, min: 1, max: 100_000},
	{name: "loss_percent", about: `Which part of a store's memories is also one, in percent: 1 to 100. Fewer than
three memories never are.`, field: func(s *Settings) any { return &s.Loss.Percent }, min: 1, max: 100},
	{name: "editor", about: `The command of your editor, such as "code --wait"; default: $VISUAL or
$EDITOR.`, field: func(s *Settings) any { return &s.Editor }},
	{name: "accessible", about: `Whether memend works line by line instead of with the TUI, for screen
readers and plain terminals.`, field: func(s *Settings) any { return &s.Accessible }},
	{name: "read_only", about: `Whether the TUI, and the commands that a person runs, only read and
never write.`, field: func(s *Settings) any { return &s.ReadOnly }},
	{name: "sync.every", about: `At what pace the TUI syncs the stores that have a git branch, in the
background, such as "5m": at least "10s", or "0s" for never.`, field: func(s *Settings) any { return &s.SyncEvery }, least: 10 * time.Second},
	{name: "outside.transcripts", about: `Whether memend reads, while it is open, Claude Code's transcripts of its
sessions, to find out which of them wrote or read a memory. It reads those of
projects whose folders belong to a store, and only what is new.`,
		field: func(s *Settings) any { return &s.Transcripts }},
}, agentSettings...)

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Theme: Auto, ThemeDark: theme.DefaultDark, ThemeLight: theme.DefaultLight, Background: Auto,
		Mouse: true, Wrap: true, StaleDays: 30, Loss: versions.DefaultLoss, Borders: Lines, Progress: Auto, Animation: true, Cursor: Auto, Transcripts: true, Agent: agent.DefaultSettings(), Keys: map[string][]string{},
	}
}

// CursorOnRow reports whether the terminal's cursor is on the selected row.
func (s *Settings) CursorOnRow() bool {
	return s.Cursor == Row || s.Cursor == Auto && (s.Borders == ASCII || !s.Animation)
}

// Names lists the settings in order.
func Names() []string {
	var out []string
	for _, s := range settings {
		out = append(out, s.name)
	}
	return out
}

// Value returns a setting by its name: a string, a bool, a number, a time.Duration or a
// []agent.Edit.
func (s *Settings) Value(name string) any {
	for _, set := range settings {
		if set.name != name {
			continue
		}
		switch f := set.field(s).(type) {
		case *string:
			return *f
		case *bool:
			return *f
		case *int:
			return *f
		case *int64:
			return *f
		case *time.Duration:
			return *f
		case *[]agent.Edit:
			return *f
		}
	}
	return nil
}

// put sets the setting to a value of the file. It returns what is wrong with it and what to
// write instead.
func (set setting) put(s *Settings, v any) (what, hint string) {
	switch f := set.field(s).(type) {
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return fmt.Sprintf("%s is %s, not true or false", set.name, kind(v)), fmt.Sprintf("write %s = true or %s = false, without quotes", set.name, set.name)
		}
		*f = b
	case *int:
		n, ok := v.(int64)
		if !ok || n < int64(set.min) || n > int64(set.max) {
			return fmt.Sprintf("%s is %s, not a number from %d to %d", set.name, kind(v), set.min, set.max), ""
		}
		*f = int(n)
	case *int64:
		n, ok := v.(int64)
		if !ok || n < 0 {
			return fmt.Sprintf("%s is %s, not a number from 0 on", set.name, kind(v)), ""
		}
		*f = n
	case *time.Duration:
		return set.putDuration(f, v)
	case *[]agent.Edit:
		return set.putEdits(f, v)
	case *string:
		text, ok := v.(string)
		if !ok {
			return fmt.Sprintf("%s is %s, not a text", set.name, kind(v)), fmt.Sprintf(`write it in quotes: %s = "…"`, set.name)
		}
		if set.allowed != nil && !slices.Contains(set.allowed, text) {
			return fmt.Sprintf("%s is %q", set.name, text), suggest(text, set.allowed)
		}
		*f = text
	}
	return "", ""
}

// read sets the setting to a text from the environment or a flag.
func (set setting) read(s *Settings, text string) (what, hint string) {
	var v any = text
	switch set.field(s).(type) {
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Sprintf("%q is not true or false", text), ""
		}
		v = b
	case *int, *int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Sprintf("%q is not a number", text), ""
		}
		v = n
	}
	return set.put(s, v)
}

// env returns the environment variable of the setting.
func (set setting) env() string {
	return "MEMEND_" + strings.ToUpper(strings.ReplaceAll(set.name, ".", "_"))
}

// kind describes a TOML value, including the value if it is short.
func kind(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case bool:
		return fmt.Sprint(v)
	case int64:
		return fmt.Sprint(v)
	case float64:
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.1f", v)
		}
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a time"
}
