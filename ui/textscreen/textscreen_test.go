package textscreen

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

func newSim(t *testing.T, w, h int, save func(*Pane, []byte) tea.Cmd) *screentest.Sim[*Pane] {
	env := screentest.Env(t.Context())
	return screentest.New(t, env, New(env, Config{Title: "policy of notes", Note: "one rule on each line", Text: []byte("allow\nhöld actor:agent\n"), Save: save}), w, h)
}

func TestSave_PassesTheTextToTheOwner(t *testing.T) {
	var got string
	s := newSim(t, 40, 10, func(p *Pane, text []byte) tea.Cmd { got = string(text); return p.Done() })
	s.Typed("# x ")
	s.Keys("ctrl+s")
	if got != "# x allow\nhöld actor:agent\n" {
		t.Errorf("saved %q", got)
	}
	if drop, ok := s.Last().(screen.Drop); !ok || drop.Pane != s.Pane {
		t.Errorf("it does not leave: %+v", s.Last())
	}
}

func TestRefuse_ShowsWhyAndWhere(t *testing.T) {
	s := newSim(t, 60, 10, func(p *Pane, text []byte) tea.Cmd { return p.Refuse("line 2, column 6: \"actor\" is wrong", 2, 6) })
	if !strings.Contains(s.Pane.View(), "one rule on each line") {
		t.Error("the note is not shown")
	}
	s.Keys("ctrl+s")
	if !strings.Contains(ansi.Strip(s.Pane.View()), `line 2, column 6: "actor" is wrong`) {
		t.Errorf("the problem is not shown:\n%s", ansi.Strip(s.Pane.View()))
	}
	if line, column, _ := s.Pane.Position(); line != 2 || column != 6 {
		t.Errorf("the cursor is at %d:%d", line, column)
	}
}

func TestLeaving_AsksBeforeATextIsLost(t *testing.T) {
	s := newSim(t, 40, 10, nil)
	s.Keys("esc")
	if _, ok := s.Last().(screen.Drop); !ok {
		t.Fatalf("an unchanged text is not left: %+v", s.Last())
	}
	s = newSim(t, 40, 10, nil)
	s.Typed("x")
	s.Keys("esc")
	ask, ok := s.Last().(screen.Choose)
	if !ok || ask.Options[len(ask.Options)-1].Label != "keep editing" {
		t.Fatalf("%+v", s.Last())
	}
	s.Run(ask.Options[1].Then())
	if _, ok := s.Last().(screen.Drop); !ok {
		t.Errorf("discarding does not leave: %+v", s.Last())
	}
}

func TestView_FitsEverySize(t *testing.T) {
	s := newSim(t, 1, 1, func(p *Pane, text []byte) tea.Cmd { return p.Refuse(strings.Repeat("日本 why ", 20), 2, 3) })
	for range 2 {
		for w := range 50 {
			for h := range 20 {
				s.Pane.SetSize(w, h)
				rows := strings.Split(s.Pane.View(), "\n")
				if w == 0 || h == 0 {
					continue
				}
				if len(rows) != h {
					t.Fatalf("%dx%d: %d rows", w, h, len(rows))
				}
				for _, row := range rows {
					if drawtest.Width(row) != w {
						t.Fatalf("%dx%d: %q", w, h, row)
					}
				}
			}
		}
		s.Keys("ctrl+s")
	}
}
