package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// reviewText returns a memory of 120 lines; the edit is far below the first screen.
func reviewText(line int, edited string) string {
	var b strings.Builder
	for i := 1; i <= 120; i++ {
		if i == line {
			b.WriteString(edited + "\n")
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// changedLong returns a screen on a store in which an agent has edited a long memory while it
// was closed.
func changedLong(t *testing.T) *sim {
	f := newFake()
	f.write(agent, "a.md", "a\n")
	f.write(agent, "long.md", reviewText(0, ""))
	s := newSim(t, f, 100, 30)
	f.write(agent, "long.md", reviewText(90, "POISON"))
	s.deliver()
	return s
}

func TestReview_OpensAtTheChangeAndHighlightsIt(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	s.shows("90▌POISON", "● +1 −1 to review")
	s.keys("g g")
	s.hides("POISON")
	s.keys("]")
	s.shows("POISON")
}

func TestReview_SurvivesARestart(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter j k H")
	s.send(screen.Open{Path: at("a.md")})
	s.send(screen.Open{Path: at("long.md")})
	s.shows("90▌POISON", "● 1 to review")
	if err := s.app.tree.Saver()(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := newSim(t, s.store, 100, 30)
	again.shows("● 1 to review")
	again.send(screen.Open{Path: at("long.md")})
	again.shows("90▌POISON", "● +1 −1 to review")
	again.keys(".")
	again.hides("●", "▌")
	if err := again.app.tree.Saver()(context.Background()); err != nil {
		t.Fatal(err)
	}
	again = newSim(t, s.store, 100, 30)
	again.send(screen.Open{Path: at("long.md")})
	again.hides("●", "▌")
}

// A change that arrives while a memory is open is added to the review; the position in the
// text stays.
func TestReview_CoversLaterChanges(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	edited := strings.Replace(reviewText(90, "POISON"), "line 88\n", "SECOND\n", 1)
	s.store.write(agent, "long.md", edited)
	s.deliver()
	s.shows("88▌SECOND", "90▌POISON", "● +2 −2 to review")
	s.keys(". .")
	s.hides("●", "▌")
	s.store.write(agent, "long.md", strings.Replace(edited, "line 89\n", "THIRD\n", 1))
	s.deliver()
	s.shows("89▌THIRD", "● +1 −1 to review")
	s.hides("▌SECOND", "▌POISON")
}

// Marking a memory as reviewed covers what was on the screen, not what was written meanwhile.
func TestReview_MarksOnlyWhatIsShown(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	s.store.write(agent, "long.md", reviewText(90, "LATER")) // its event was not delivered yet
	s.keys(".")
	s.elapse()
	s.deliver()
	s.shows("● 1 to review", "90▌LATER", "● +1 −1 to review")
}

func TestReview_SkipsOwnChanges(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter .")
	s.store.write(me, "long.md", reviewText(90, "MINE"))
	s.store.write(agent, "long.md", reviewText(90, "MINE")+"THEIRS\n")
	s.deliver()
	s.send(screen.Open{Path: at("long.md")})
	s.shows("121▌THEIRS", "● +1 −0 to review")
	s.hides("90▌MINE")
}

func TestReview_IsMarkedFromTheTreeToo(t *testing.T) {
	t.Parallel()
	for _, key := range []string{".", ">"} {
		s := changedLong(t)
		s.keys("] enter esc")
		s.keys(key)
		s.hides("●", "▌")
	}
}

// toReview returns a screen on a store in which agents changed several memories while it was
// closed.
func toReview(t *testing.T) *sim {
	f := newFake()
	for _, p := range []string{"a.md", "notes/b.md", "notes/c.md", "z.md"} {
		f.write(agent, p, "one\ntwo\nthree\nfour\nfive\n")
	}
	s := newSim(t, f, 120, 30)
	f.write(agent, "a.md", "ONE\ntwo\nthree\nfour\nFIVE\n")
	f.write(versions.By{Actor: agent.Actor, Session: "sesn_other", ToolUse: "toolu_7", Turn: 3}, "notes/b.md", "one\nTWO\nthree\nfour\nfive\n")
	f.write(agent, "notes/c.md", "one\ntwo\nTHREE\nfour\nfive\n")
	s.deliver()
	return s
}

func TestReview_GoesToTheNextMemory(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.on("z.md").keys("] enter")
	s.shows("/notes/b.md ─", "● 3 to review", "changed by claude 2d ago · session other · call toolu_7 turn 3")
	s.keys(". J")
	s.shows("/a.md ─", "▌ONE")
	s.keys("K")
	s.shows("/notes/c.md ─", "▌THREE")
	s.keys(".")
	s.shows("/a.md ─")
	s.keys(". .")
	s.shows("kept 1 hunk of /a.md · u undoes that · nothing more to review")
	s.hides("▌", "● ")
}

func TestReview_OfAFolderAndOfASelection(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.on("notes").keys(".")
	s.shows("kept 2 changed memories")
	if got := s.app.tree.Here(); got != at("a.md") {
		t.Errorf("the cursor is on %s", got)
	}
	s = toReview(t)
	s.on("a.md").keys("space")
	s.on("notes/c.md").keys("space .")
	s.shows("kept 2 changed memories")
	if got := s.app.tree.Here(); got != at("notes/b.md") {
		t.Errorf("the cursor is on %s", got)
	}
	s.keys("enter >")
	s.shows("kept all that was to be reviewed: 1 memory")
	s.store.write(agent, "z.md", "news\n")
	s.deliver()
	s.shows("kept all that was to be reviewed: 1 memory", "● 1 to review")
}

// From a key to the engine and back, an act that can be undone crosses the root three times: the key, the answer, the outcome.
func TestAnActCrossesTheRootThreeTimes(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.on("a.md").keys("enter")
	s.crossed = nil
	s.keys("R r")
	s.shows("undid 2 hunks of /a.md")
	var crossed []string
	for _, msg := range s.crossed {
		crossed = append(crossed, fmt.Sprintf("%T", msg))
		if _, over := msg.(jobs.OverMsg); over {
			break
		}
	}
	if len(crossed) > 3 {
		t.Errorf("it crosses it as %q", crossed)
	}
}

func TestReview_RestoresAsReviewed(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.on("a.md").keys("enter")
	s.shows("▸  1▌ONE", "▌FIVE")
	s.keys("R")
	s.shows("undo v2 by claude 2d ago", "undo its session agent", "all as you reviewed it")
	s.keys("r")
	s.shows("undid 2 hunks of /a.md")
	if got := s.store.tree()[at("a.md")].content; got != "one\ntwo\nthree\nfour\nfive\n" {
		t.Errorf("the memory is %q", got)
	}
}

// A key decides the hunk at the cursor, and goes to the next one, of the next memory if it was the last.
func TestReview_DecidesHunkByHunkInTheMemory(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.on("a.md").keys("enter")
	s.shows("▸  1▌ONE", "▌FIVE", "● +2 −2 to review")
	s.keys("j .")
	s.shows("no hunk is here; ] goes to the next", "● 3 to review")
	s.keys("[ .")
	s.deliver()
	s.shows("kept 1 hunk of /a.md · u undoes that", "▸  5▌FIVE", "● +1 −1 to review")
	s.hides("▌ONE")
	s.keys("-")
	s.deliver()
	s.shows("undid 1 hunk of /a.md", "● 2 to review")
	if got := s.store.tree()[at("a.md")].content; got != "ONE\ntwo\nthree\nfour\nfive\n" {
		t.Errorf("the memory is %q", got)
	}
	s.send(screen.Open{Path: at("notes/b.md")})
	s.shows("▌TWO")
	s.keys("]")
	s.shows("▌THREE")
	s.keys("[")
	s.shows("▌TWO")
}

// What is undone is what is to be reviewed, although the person has written since.
func TestReview_UndoesWhatIsToBeReviewed(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.store.write(me, "notes/b.md", "one\nTWO\nthree\nfour\nfive\nmine\n")
	s.on("notes/b.md").keys("enter R")
	s.shows("undo v2 by claude", "undo its session other")
	s.keys("v")
	s.shows("undid")
}

func TestReview_UndoesTheSessionOfTheVersionShown(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"U", "enter U", "enter R s"} {
		s := engineSim(t, "evil", 100, 30)
		s.on("safe.md").keys(keys)
		s.shows("undo session")
		s.hides("undo session: ")
	}
}

// Opening, previewing, following and reading mark nothing as reviewed.
func TestReview_IsNotDoneByLooking(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	s.keys("g g j j j k ] ] [")
	s.rests()
	s.keys("enter G g g m B e esc H esc tab tab ctrl+o")
	s.send(screen.Open{Path: at("notes/c.md")})
	s.keys("W")
	s.store.write(agent, "a.md", "ONE\ntwo\nTHREE\nfour\nFIVE\n")
	s.deliver()
	s.rests()
	s.shows("● 3 to review")
	if err := s.app.tree.Saver()(context.Background()); err != nil {
		t.Fatal(err)
	}
	newSim(t, s.store, 100, 30).shows("● 3 to review")
}

func TestReview_IsWalkedByClickingTheStatusLine(t *testing.T) {
	t.Parallel()
	s := toReview(t)
	y := s.rowOf("● 3 to review")
	click := func(text string, y int) {
		t.Helper()
		row := strings.Split(s.screen(), "\n")[y]
		x := ansi.StringWidth(row[:strings.Index(row, text)])
		s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
	s.on("z.md")
	click("● 3", y)
	s.shows("/notes/b.md ─")
	click("to review", y)
	s.shows("/notes/c.md ─")
	click(". keep", y+1)
	s.shows("/a.md ─", "● 2 to review")
	click("edit", y+1)
	s.shows("edit /a.md")
	click("F1", y+1)
	s.shows("keys of the editor")
}

// What an agent that runs elsewhere was asked stands beside its change, and in the plan that
// undoes its session.
func TestReview_ShowsThePromptOfASessionElsewhere(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "plain", 120, 30, func(c *Config) {
		c.Prompt = func(id versions.SessionID) string {
			if id == "sesn_elsewhere" {
				return "Fix the refund rules"
			}
			return ""
		}
	})
	store := s.app.cfg.Store.(local.Store).Store
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "sesn_elsewhere"}
	s.keys(">")
	if _, err := store.Write(t.Context(), by, at("safe.md"), []byte("a safe line\nrefund all\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.run(s.app.live.Reload())
	s.send(screen.Open{Path: at("safe.md")})
	s.shows("changed by Claude Code", "“Fix the refund rules”")
	s.keys("U")
	s.shows("undo session sesn_elsewhere of Claude Code", "Fix the refund rules")
}

func TestReview_NamesWhatIsRestoredInFewColumns(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "long.md", reviewText(0, ""))
	s := newSim(t, f, 40, 12)
	f.write(agent, "long.md", reviewText(90, "POISON"))
	s.deliver()
	s.keys("] enter R")
	s.shows("undo v2 by claude", "all as you reviewed it")
}
