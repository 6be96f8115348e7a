package plan

import (
	"context"
	"fmt"
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

var (
	robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_bad"}
	dana  = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_dana"}
)

func at(t *testing.T, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// store is a store where a session has to be taken back that others wrote after.
func store(t *testing.T) *versions.Store {
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
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	write := func(by versions.By, p, text string) {
		if _, err := s.Write(ctx, by, at(t, p), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"clean", "merged", "conflict", "second"} {
		write(dana, name+".md", "# "+name+"\n\none\ntwo\nthree\nfour\nfive\n")
	}
	for _, name := range []string{"clean", "merged", "conflict", "second"} {
		write(robot, name+".md", "# "+name+"\n\nONE\ntwo\nthree\nfour\nfive\n")
	}
	write(robot, "new.md", "a bad idea\n")
	write(dana, "merged.md", "# merged\n\nONE\ntwo\nthree\nfour\nFIVE\n")
	write(dana, "conflict.md", "# conflict\n\nONE!\ntwo\nthree\nfour\nfive\n")
	write(dana, "second.md", "# second\n\nONE?\ntwo\nthree\nfour\nfive\n")
	return s
}

type sim struct {
	t     *testing.T
	store *versions.Store
	pane  *Pane
	sent  []tea.Msg // to the root, but what is done here
	over  bool
}

func newSim(t *testing.T, w, h int) *sim {
	s := &sim{t: t, store: store(t)}
	s.pane = New(context.Background(), theme.New(true, theme.Many), nil, s.store, Task{
		Doing: "undo session sesn_bad", Did: "undid session sesn_bad", By: dana,
		Make: func(ctx context.Context) (*versions.Plan, error) { return s.store.PlanUndoSession(ctx, "sesn_bad") },
	})
	s.pane.SetSize(w, h)
	s.run(s.pane.Start())
	return s
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Answer:
		s.run(s.pane.Update(msg))
	case screen.Act:
		c, err := msg.Do(context.Background())
		s.sent = append(s.sent, msg)
		s.run(func() tea.Msg { return msg.Done(c, err) })
	case screen.Back:
		s.over = true
	default:
		s.sent = append(s.sent, msg)
	}
}

func (s *sim) keys(names string) {
	for _, k := range strings.Fields(names) {
		cmd, _ := s.pane.Press([]string{k}, 0)
		s.run(cmd)
	}
}

func (s *sim) shows(want ...string) {
	s.t.Helper()
	name, info := s.pane.Title()
	all := name + " " + info + "\n" + ansi.Strip(s.pane.View())
	for _, w := range want {
		if !strings.Contains(all, w) {
			s.t.Fatalf("the screen does not show %q:\n%s", w, all)
		}
	}
}

func (s *sim) content(p string) string {
	f, err := s.store.Open(context.Background(), at(s.t, p))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	b := make([]byte, f.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 && err.Error() != "EOF" {
		s.t.Fatal(err)
	}
	return string(b)
}

func TestPlan_IsNotAppliedBeforeEachConflictIsDecided(t *testing.T) {
	s := newSim(t, 120, 30)
	s.shows("undo session sesn_bad", "2 clean · 1 merged · 2 conflicts, 2 to decide", "? decide", "− delete", "/new.md", "± merge", "ONE!")
	s.keys("a")
	if len(s.sent) != 1 || s.over {
		t.Fatalf("asked for %v", s.sent)
	}
	if why := s.pane.whyNot(); !strings.Contains(why, "2 conflicts are not decided") {
		t.Errorf("it says %q", why)
	}
	s.keys("o t")
	s.shows("✓ keep now", "✓ take then", "2 conflicts")
	s.keys("a")
	if !s.over {
		t.Fatal("the screen stays")
	}
	for p, want := range map[string]string{
		"clean.md": "one\ntwo\nthree\nfour\nfive\n", "merged.md": "one\ntwo\nthree\nfour\nFIVE\n",
		"conflict.md": "ONE!\ntwo\nthree\nfour\nfive\n", "second.md": "one\ntwo\nthree\nfour\nfive\n",
	} {
		if got := s.content(p); !strings.HasSuffix(got, "\n\n"+want) {
			t.Errorf("%s is %q", p, got)
		}
	}
	if got := s.content("new.md"); !strings.Contains(got, "does not exist") && !strings.Contains(got, "not found") && !strings.Contains(got, "no such") {
		t.Errorf("new.md is %q", got)
	}
}

func TestPlan_IsMadeAnewWhenSomethingOvertookIt(t *testing.T) {
	s := newSim(t, 120, 30)
	s.keys("O")
	if _, err := s.store.Write(context.Background(), robot, at(t, "clean.md"), []byte("# clean\n\nONE, later\ntwo\nthree\nfour\nfive\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.keys("a")
	if s.over {
		t.Fatal("a stale plan was applied")
	}
	s.shows("planned anew", "✓ keep now")
	s.keys("O a")
	if !s.over {
		t.Fatal("the new plan was not applied")
	}
}

func TestPlan_TakesATextOfOnesOwn(t *testing.T) {
	s := newSim(t, 120, 30)
	s.keys("m")
	req, ok := s.sent[0].(Merge)
	if !ok {
		t.Fatalf("asked for %v", s.sent)
	}
	s.run(func() tea.Msg { return req.Done([]byte("mine\n")) })
	s.shows("✓ own text")
	s.keys("s a")
	if got := s.content("conflict.md") + s.content("second.md"); !strings.Contains(got, "mine\n") || !strings.Contains(got, "ONE?") {
		t.Errorf("they are %q", got)
	}
}

func TestPlan_SaysWhenThereIsNoneOrNothingToDo(t *testing.T) {
	s := newSim(t, 60, 12)
	s.pane.task.Make = func(context.Context) (*versions.Plan, error) { return nil, fmt.Errorf("undo: %w", versions.ErrNothing) }
	s.run(s.pane.Start())
	s.shows("undo:")
	s.pane.task.Make = func(context.Context) (*versions.Plan, error) { return &versions.Plan{}, nil }
	s.run(s.pane.Start())
	s.shows("Nothing to do")
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 30)
	for _, inDiff := range []bool{false, true} {
		s.pane.inDiff = inDiff
		for w := 1; w < 140; w += 3 {
			for h := 1; h < 40; h += 2 {
				s.pane.SetSize(w, h)
				if wrong := drawtest.Problem(s.pane.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d: %s", w, h, wrong)
				}
			}
		}
	}
}

func TestEntries_OfferWhatCanBeDoneNow(t *testing.T) {
	s := newSim(t, 100, 30)
	ids := func() string {
		var out []string
		for _, e := range s.pane.Entries() {
			if e.Why == "" && !e.Hide {
				out = append(out, e.ID)
			}
		}
		return strings.Join(out, " ")
	}
	if got := ids(); !strings.HasPrefix(got, "plan.keep plan.take plan.skip") {
		t.Errorf("while something is to be decided it offers %s", got)
	}
	s.keys("O")
	if got := ids(); !strings.HasPrefix(got, "plan.apply") {
		t.Errorf("when all is decided it offers %s", got)
	}
	s.keys("enter")
	if got := ids(); strings.Contains(got, "plan.diff") {
		t.Errorf("in the diff it offers to look at the diff: %s", got)
	}
}
