package loads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/screentest"
	"github.com/memend/memend/versions"
)

// sim is the screen on a machine with a project, whose memory is the store, and another store of its documents.
type sim struct {
	*screentest.Sim[*Pane]
	top string
}

func (s sim) write(name, text string) {
	s.T.Helper()
	at := filepath.Join(s.top, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func newSim(t *testing.T, w, h int, change ...func(sim, *Config)) sim {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := sim{&screentest.Sim[*Pane]{T: t}, top}
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	s.write("home/.claude/CLAUDE.md", "be kind\n")
	s.write("home/app/.git/HEAD", "x")
	s.write("home/app/CLAUDE.md", "see @docs/style.md\nand @docs/gone.md here\n")
	s.write("home/app/docs/style.md", "two spaces\n")
	s.write("home/app/AGENTS.md", "others read this\n")
	s.write("home/notes/MEMORY.md", lines(205))
	s.write("home/.claude/settings.json", `{"autoMemoryDirectory":"~/notes"}`)
	cfg := Config{
		Store: versions.StoreInfo{ID: "memstore_notes", Name: "notes", Folder: at("home/notes"), Metadata: map[string]string{places.Project: at("home/app")}},
		Machine: func() (places.Roots, error) {
			return places.Roots{Home: at("home"), Claude: at("home/.claude"), Here: at("home/elsewhere")}, nil
		},
	}
	docs := versions.StoreInfo{ID: "memstore_docs", Name: "docs", Folder: at("home/app/docs")}
	cfg.Stores = func(context.Context) ([]versions.StoreInfo, error) { return []versions.StoreInfo{cfg.Store, docs}, nil }
	for _, f := range change {
		f(s, &cfg)
	}
	env := screentest.Env(t.Context())
	s.Sim = screentest.New(t, env, New(env, cfg), w, h)
	s.Run(s.Pane.Start())
	return s
}

// listed returns the rows, with the cursor.
func (s sim) listed() (out []string) {
	for i, r := range s.Pane.rows {
		text := "# " + r.heading
		if r.file != nil {
			text = strings.Repeat("  ", r.depth) + s.Pane.name(r.file.Path)
		}
		if i == s.Pane.Cur {
			text += " <"
		}
		out = append(out, text)
	}
	return out
}

func (s sim) wants(want ...string) {
	s.T.Helper()
	if got := s.listed(); !slices.Equal(got, want) {
		s.T.Errorf("%q\nwant %q", got, want)
	}
}

func TestTheScreen_ListsWhatIsLoadedInOrder(t *testing.T) {
	s := newSim(t, 120, 30)
	s.wants("# Claude Code loads 4 files · 204 lines · ≈438 tokens", "~/.claude/CLAUDE.md <", "CLAUDE.md", "  docs/style.md", "  docs/gone.md", "~/notes/MEMORY.md",
		"# not loaded at the start", "AGENTS.md")
	if name, info := s.Pane.Title(); name != "loads · ~/app" || info != "[Claude Code] Codex Qwen Code opencode Cursor" {
		t.Errorf("%q, %q", name, info)
	}
	if name, info := newSim(t, 60, 30).Pane.Title(); name != "loads · ~/app" || info != "Claude Code 1/5" {
		t.Errorf("%q, %q", name, info)
	}
	s.Shows("person · 1 line · ≈2 tokens", "1 be kind", "in no store")
	s.Keys("j")
	s.Shows("project · 2 lines", "  1 see @docs/style.md", "docs/gone.md", "not loaded")
	s.Keys("j j")
	s.Shows("imported in line 2", "not loaded at the start: there is no such file", "It can't be shown: there is no such file.")
	s.Keys("G")
	s.Shows("not loaded at the start: there is a CLAUDE.md in the directory", "others read this")
}

func TestTheText_IsCutWhereItIsNotLoaded(t *testing.T) {
	s := newSim(t, 120, 20)
	s.Keys("j j j j l G")
	s.Shows("lines 201-205 are not loaded: the limit is 200 lines", "memory /MEMORY.md of store notes", "200 line 200", "┄┄┄┄ not loaded below: 200 lines ┄", "201 line 201", "205 line 205")
	dim := s.Pane.env.Theme.Dim.On
	for row := range strings.SplitSeq(s.Pane.View(), "\n") {
		if strings.Contains(row, "line 201") != strings.Contains(row, dim+"line 201") || strings.Contains(row, dim+"line 200") {
			t.Errorf("%q", row)
		}
	}
	s.Keys("esc esc")
	if !s.Left {
		t.Error("the screen was not left")
	}
}

func TestImports_AreHighlightedInTheText(t *testing.T) {
	s := newSim(t, 120, 20)
	s.Keys("j")
	th := s.Pane.env.Theme
	if v := s.Pane.View(); !strings.Contains(v, th.Link.On+"@docs/style.md") || !strings.Contains(v, th.Warn.On+"@docs/gone.md") {
		t.Errorf("%q", v)
	}
}

func TestOpen_GoesToTheMemoryInItsStore(t *testing.T) {
	s := newSim(t, 120, 20)
	s.Keys("enter")
	if n, ok := s.Last().(screen.Notice); !ok || n.Text != "in no store: `memend stores discover` adds it" {
		t.Errorf("%+v", s.Last())
	}
	s.Keys("j j enter")
	if got, want := s.Last(), (request.OpenStore{ID: "memstore_docs", Name: "docs", At: screen.Open{Path: screentest.Path("style.md")}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Keys("j j l G enter")
	if got, want := s.Last(), (screen.Open{Path: screentest.Path("MEMORY.md"), Line: 191}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestTab_ShowsTheNextTool(t *testing.T) {
	s := newSim(t, 120, 20)
	s.Keys("tab")
	s.wants("# Codex loads 1 file · 1 line · ≈4 tokens", "AGENTS.md <")
	s.Shows("others read this")
	s.Keys("shift+tab")
	if s.Pane.tool != "claude-code" {
		t.Error(s.Pane.tool)
	}
	s.Keys("shift+tab")
	if s.Pane.tool != "cursor" {
		t.Error(s.Pane.tool)
	}
}

func TestAChange_ReadsAgainAndKeepsThePlace(t *testing.T) {
	s := newSim(t, 120, 20)
	s.Keys("j j")
	s.write("home/app/docs/style.md", "four spaces\n")
	s.write("home/CLAUDE.md", "above\n")
	s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{{}}}))
	s.wants("# Claude Code loads 5 files · 205 lines · ≈440 tokens", "~/.claude/CLAUDE.md", "~/CLAUDE.md", "CLAUDE.md", "  docs/style.md <", "  docs/gone.md", "~/notes/MEMORY.md",
		"# not loaded at the start", "AGENTS.md")
	s.Shows("four spaces")
}

func TestWithoutAProject_TheWorkingDirectoryCounts(t *testing.T) {
	s := newSim(t, 120, 20, func(s sim, c *Config) {
		c.Store.Metadata, c.Stores = nil, nil
		s.write("home/elsewhere/CLAUDE.local.md", "mine\n")
	})
	s.Shows("CLAUDE.local.md")
	s = newSim(t, 120, 20, func(s sim, c *Config) {
		c.Store.Metadata = map[string]string{places.Project: filepath.Join(string(filepath.Separator), "gone-project")}
	})
	s.Shows("what is loaded in /gone-project can't be found", "no such file or directory")
	s.Refuses("enter", "nothing is listed")
	s.Refuses("tab", "there is no other tool here")
	s = newSim(t, 120, 20, func(s sim, c *Config) {
		c.Machine = func() (places.Roots, error) { return places.Roots{}, errors.New("$HOME is not defined") }
	})
	s.Shows("$HOME is not defined")
	s = newSim(t, 120, 20, func(s sim, c *Config) {
		c.Machine = func() (places.Roots, error) { return places.Roots{Home: filepath.Join(s.top, "nobody")}, nil }
		s.write("empty/x", "")
		c.Store.Metadata = map[string]string{places.Project: filepath.Join(s.top, "empty")}
	})
	s.Shows("No agent that is known loads anything in")
}

func TestTheScreen_FitsEverySize(t *testing.T) {
	s := newSim(t, 120, 30, func(s sim, c *Config) {
		s.write("home/app/CLAUDE.local.md", "\x1b[31mred\u202e "+strings.Repeat("long 漢字 ", 3000)+"\r\n\ttab @docs/\x1b[32m.md\n")
	})
	s.FitsEverySize()
	for _, wrap := range []bool{true, false} {
		s.Pane.SetWrap(wrap)
		for range len(s.Pane.rows) {
			s.FitsEverySize()
			s.Pane.SetSize(120, 30)
			s.Keys("j")
		}
		s.Keys("l l l ctrl+d")
		s.FitsEverySize()
		s.Pane.SetSize(120, 30)
		s.Keys("esc g g")
	}
}
