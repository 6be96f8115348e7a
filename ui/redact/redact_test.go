package redact

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw/drawtest"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_bad"}

func at(t *testing.T, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const secret = "the password is tr0ub4dor&3 and nobody may know"

// sim is a screen on a store that holds a secret in one memory, now and before.
type sim struct {
	t     *testing.T
	store *versions.Store
	pane  *Pane
	asked []tea.Msg
	over  bool
	yes   bool // to whatever is asked
	text  string
}

func newSim(t *testing.T, w, h int, target func(versions.Entry) (versions.RedactTarget, string)) *sim {
	t.Helper()
	ctx := context.Background()
	trail, err := versions.Open(ctx, t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	info, err := trail.CreateStore(ctx, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	for _, text := range []string{"# login\n\n" + secret + "\n", "# login\n\n" + secret + "\n\nmore\n"} {
		if _, err := store.Write(ctx, robot, at(t, "login.md"), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	e, err := store.Entry(ctx, at(t, "login.md"))
	if err != nil {
		t.Fatal(err)
	}
	tg, name := target(e)
	s := &sim{t: t, store: store, pane: New(ctx, theme.New(true, theme.Many), nil, store, robot, tg, name)}
	s.pane.SetSize(w, h)
	s.run(s.pane.Start())
	return s
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, lookMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Answer:
		s.run(s.pane.Update(msg))
	case screen.Choose:
		if s.asked = append(s.asked, msg); s.yes {
			s.run(msg.Options[0].Then())
		}
	case screen.Prompt:
		s.run(msg.Then(s.text))
	case screen.Back:
		s.over = true
	default:
		s.asked = append(s.asked, msg)
	}
}

func (s *sim) keys(names string) {
	for _, k := range strings.Fields(names) {
		if s.pane.TakesText() {
			code := []rune(k)[0]
			if k == "enter" {
				code = tea.KeyEnter
				k = ""
			}
			s.run(s.pane.Update(tea.KeyPressMsg{Code: code, Text: k}))
			continue
		}
		cmd, _ := s.pane.Press([]string{k}, 0)
		s.run(cmd)
	}
}

func (s *sim) screen() string {
	name, info := s.pane.Title()
	return name + " " + info + "\n" + ansi.Strip(s.pane.View())
}

func (s *sim) shows(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.screen(), w) {
			s.t.Fatalf("the screen does not show %q:\n%s", w, s.screen())
		}
	}
}

func ofMemory(e versions.Entry) (versions.RedactTarget, string) {
	return versions.RedactTarget{Memory: e.Memory}, "every version of /login.md"
}

func TestRedaction_AsksWhatBecomesOfWhatStandsAndWhetherOneIsSure(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.shows("redact every version of /login.md 2 versions to erase", "1 memory holds it as it stands", "v1 · claude", "v2 · claude", "stands")
	s.keys("X")
	if s.pane.step != deciding || len(s.asked) != 1 {
		t.Fatalf("it went on: %v", s.asked)
	}
	s.keys("d X")
	if s.pane.step != deciding {
		t.Fatal("it erased without a yes")
	}
	s.yes = true
	s.keys("X")
	s.shows("gone", "✓ Gone.", "Erased 3 versions", "backups and snapshots")
	if _, ok := s.asked[len(s.asked)-1].(screen.Refresh); !ok {
		t.Errorf("last asked is %v", s.asked[len(s.asked)-1])
	}
	if _, err := s.store.Entry(context.Background(), at(t, "login.md")); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("the memory stands: %v", err)
	}
	s.keys("esc")
	if !s.over {
		t.Error("esc does not leave")
	}
}

func TestRedaction_OfATextMasksItWhereItStands(t *testing.T) {
	s := newSim(t, 100, 30, func(versions.Entry) (versions.RedactTarget, string) { return versions.RedactTarget{}, "" })
	s.shows("redact a text", "Every version that holds this text")
	s.run(s.pane.Update(tea.PasteMsg{Content: "tr0ub4dor&3"}))
	s.shows("tr0ub4dor&3")
	s.keys("enter")
	s.shows("2 versions to erase")
	s.yes, s.text = true, "***"
	s.keys("m X")
	s.shows("✓ Gone.")
	if strings.Contains(s.screen(), "tr0ub4dor") {
		t.Error("the text is on the screen still")
	}
	f, err := s.store.Open(context.Background(), at(t, "login.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, f.Size())
	f.ReadAt(b, 0)
	if !strings.Contains(string(b), "the password is *** and nobody") {
		t.Errorf("it holds %q", b)
	}
}

func TestRedaction_OfThePastKeepsWhatStands(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.yes = true
	s.keys("p")
	s.shows("stays as it is")
	s.keys("X")
	if _, err := s.store.Entry(context.Background(), at(t, "login.md")); err != nil {
		t.Errorf("the memory is gone: %v", err)
	}
	s.shows("Still in other places", "/login.md")
}

func TestRedaction_OfWhatNothingHoldsSaysSo(t *testing.T) {
	s := newSim(t, 60, 12, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("nobody wrote this")}, "a text"
	})
	s.shows("Nothing holds it")
	s.keys("X")
	if len(s.asked) != 1 {
		t.Errorf("asked %v", s.asked)
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	for _, st := range []step{asking, planning, deciding, erasing, told} {
		s.pane.step = st
		for w := 1; w < 120; w += 3 {
			for h := 1; h < 30; h += 2 {
				s.pane.SetSize(w, h)
				if wrong := drawtest.Problem(s.pane.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d: %s", w, h, wrong)
				}
			}
		}
	}
}

func TestPlan_WarnsBeforeItLists(t *testing.T) {
	s := newSim(t, 40, 8, ofMemory)
	s.shows("Nothing brings back", "say what becomes of it", "%")
	for _, row := range strings.Split(ansi.Strip(s.pane.View()), "\n") {
		if strings.HasSuffix(row, "…") {
			t.Errorf("a wrapped row is cut: %q", row)
		}
	}
}

func TestQuestion_CountsWhatIsErasedOnly(t *testing.T) {
	for key, want := range map[string]string{"p": "Erase 1 version ", "d": "Erase 2 versions "} {
		s := newSim(t, 80, 24, ofMemory)
		s.keys(key + " X")
		ask, ok := s.asked[len(s.asked)-1].(screen.Choose)
		if !ok || !strings.HasPrefix(ask.Text, want) {
			t.Errorf("after %s it asks %q", key, ask.Text)
		}
	}
}
