package plan

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

var (
	robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_bad"}
	dana  = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_dana"}
)

// store returns a store with a session to undo and later changes by others.
func store(t *testing.T) *engine.Store {
	t.Helper()
	s := storetest.NewStore(t, versions.Options{})
	write := func(by versions.By, p, text string) { storetest.Write(t, s, by, p, text) }
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

// sim is the screen on such a store; its requests are performed.
type sim struct {
	*screentest.Sim[*Pane]
	store *engine.Store
}

func newSim(t *testing.T, w, h int) *sim {
	s := &sim{store: store(t)}
	env := screentest.Env(t.Context())
	s.Sim = screentest.New(t, env, New(env, local.Store{Store: s.store}, Task{
		Doing: "undo session sesn_bad", Did: "undid session sesn_bad", By: dana,
		Goal: plan.UndoSession("sesn_bad"),
	}), w, h)
	s.Root = func(msg tea.Msg) tea.Cmd {
		act, ok := msg.(screen.Act)
		if !ok {
			return nil
		}
		c, err := act.Do(t.Context())
		return func() tea.Msg { return act.Done(c, err) }
	}
	s.Run(s.Pane.Start())
	return s
}

func (s *sim) content(p string) string {
	text, ok := storetest.Content(s.T, s.store, p)
	if !ok {
		return "no memory"
	}
	return text
}

func TestPlan_NeedsADecisionForEachConflict(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Shows("undo session sesn_bad", "1 deleted · 2 changed · 2 conflicts, 2 to decide", "? decide", "− delete", "/new.md", "± merge", "ONE!")
	s.Keys("a")
	if len(s.Sent) != 1 || s.Left {
		t.Fatalf("asked for %v", s.Sent)
	}
	if why := s.Pane.disabled(); !strings.Contains(why, "2 conflicts are not decided") {
		t.Errorf("it says %q", why)
	}
	s.Keys("n b")
	s.Shows("✓ now", "✓ before", "2 conflicts", "all decided")
	s.Keys("a")
	if !s.Left {
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
	if got := s.content("new.md"); got != "no memory" {
		t.Errorf("new.md is %q", got)
	}
}

func TestPlan_IsMadeAgainIfItIsOutdated(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Keys("N")
	storetest.Write(t, s.store, robot, "clean.md", "# clean\n\nONE, later\ntwo\nthree\nfour\nfive\n")
	s.Keys("a")
	if s.Left {
		t.Fatal("a stale plan was applied")
	}
	s.Shows("planned again", "✓ now")
	s.Keys("N a")
	if !s.Left {
		t.Fatal("the new plan was not applied")
	}
}

func TestPlan_RejectsWhatItUndoes(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Refuses("-", "only what is undone can be rejected")
	s.Pane.task.Reject = func(ctx context.Context, undo int64, reason string) error {
		_, err := review.RejectUndone(ctx, s.store, versions.By{Door: versions.DoorTUI, Actor: dana.Actor}, undo, reason)
		return err
	}
	s.Refuses("-", "2 conflicts are not decided")
	s.Keys("S -")
	s.Answer(" nobody asked for it ")
	if !s.Left || s.content("new.md") != "no memory" {
		t.Fatalf("left: %v, new.md: %q", s.Left, s.content("new.md"))
	}
	held, err := review.Held(t.Context(), s.store, versions.HeldFilter{State: versions.HeldRejected})
	if err != nil || len(held) != 1 || held[0].Reason != "nobody asked for it" || held[0].By.Session != robot.Session {
		t.Errorf("%+v, %v", held, err)
	}
}

func TestPlan_AcceptsAnEditedText(t *testing.T) {
	s := newSim(t, 120, 30)
	s.Keys("m")
	req, ok := s.Sent[0].(screen.Merge)
	if !ok {
		t.Fatalf("asked for %v", s.Sent)
	}
	s.Run(req.Done([]byte("mine\n")))
	s.Shows("✓ own text")
	s.Keys("space a")
	if got := s.content("conflict.md") + s.content("second.md"); !strings.Contains(got, "mine\n") || !strings.Contains(got, "ONE?") {
		t.Errorf("they are %q", got)
	}
}

func TestPlan_ReportsAnEmptyPlan(t *testing.T) {
	s := newSim(t, 60, 12)
	s.Pane.task.Goal = plan.UndoChanges{}
	s.Run(s.Pane.Start())
	s.Shows("undo:")
	s.Pane.task.Goal = plan.MergeTexts{}
	s.Run(s.Pane.Start())
	s.Shows("Nothing to do")
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 30)
	for _, inDiff := range []bool{false, true} {
		s.Pane.InDetail = inDiff
		s.FitsEverySize()
	}
}

func TestEntries_MatchTheState(t *testing.T) {
	s := newSim(t, 100, 30)
	ids := func() string {
		var out []string
		for _, e := range s.Pane.Entries() {
			if e.Why == "" && !e.Hide {
				out = append(out, e.ID)
			}
		}
		return strings.Join(out, " ")
	}
	if got := ids(); !strings.HasPrefix(got, "conflict.now conflict.before list.choose") {
		t.Errorf("while something is to be decided it offers %s", got)
	}
	s.Keys("N")
	if got := ids(); !strings.HasPrefix(got, "change.apply") {
		t.Errorf("when all is decided it offers %s", got)
	}
	s.Keys("enter")
	if got := ids(); strings.Contains(got, "list.open") {
		t.Errorf("in the diff it offers to look at the diff: %s", got)
	}
}

func TestDiff_KeepsTheKeysOfThePlan(t *testing.T) {
	env := screentest.Env(t.Context())
	env.Keys = keys.Bindings{"screen.back": {"x"}, "list.next": {"ctrl+n"}}
	st := store(t)
	p := New(env, local.Store{Store: st}, Task{Doing: "undo", By: dana, Goal: plan.UndoSession("sesn_bad")})
	s := screentest.New(t, env, p, 100, 30)
	s.Run(p.Start())
	s.Keys("enter")
	if !p.InDetail {
		t.Fatal("the diff has not the keys")
	}
	s.Keys("x")
	if p.InDetail {
		t.Error("another key for leaving does not leave the diff")
	}
	if _, r := p.Press([]string{"ctrl+n"}, 0); r != keys.Done {
		t.Error("another key for the next hunk does nothing in the list")
	}
}
