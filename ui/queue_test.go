package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	events "github.com/memend/memend/agent"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/review"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/gitsync"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	vreview "github.com/memend/memend/versions/review"
)

var (
	reviewer = versions.By{Door: versions.DoorTUI, Actor: me.Actor, Session: "sesn_me"}
	robot    = versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot", ToolUse: "toolu_9", Turn: 2}
)

// queue is a screen on a store of the engine whose policy is to review each change of an agent.
type queue struct {
	*sim
	versions *engine.Store
}

func newQueue(t *testing.T, w, h int, change ...func(*Config)) *queue {
	s := engineSim(t, "plain", w, h, append([]func(*Config){func(c *Config) { c.By = reviewer }}, change...)...)
	q := &queue{s, s.app.cfg.Store.(local.Store).Store}
	q.keys(">")
	q.policy("review")
	return q
}

func (q *queue) policy(preset string) {
	q.keys("P " + preset[:1])
	q.shows("policy of notes: " + preset)
}

// held writes as somebody, and returns the number under which the write is held.
func (q *queue) held(by versions.By, p, text string) int64 {
	q.t.Helper()
	_, err := q.versions.Write(context.Background(), by, at(p), []byte(text), versions.Pre{})
	var held *versions.HeldError
	if !errors.As(err, &held) {
		q.t.Fatalf("%s is not held: %v", p, err)
	}
	q.happens(versions.Event{Trust: true})
	return held.Number
}

// writes writes as somebody.
func (q *queue) writes(by versions.By, p, text string) versions.Change {
	q.t.Helper()
	c, err := q.versions.Write(context.Background(), by, at(p), []byte(text), versions.Pre{})
	if err != nil {
		q.t.Fatal(err)
	}
	q.happens(versions.Event{Changes: []versions.Change{c}})
	return c
}

// arrives delivers an event about the newest change.
func (q *queue) arrives() {
	q.t.Helper()
	c, err := history.Changes(context.Background(), q.versions, versions.Filter{}, 0, 1)
	if err != nil {
		q.t.Fatal(err)
	}
	q.happens(versions.Event{Changes: c, Trust: true})
}

// state returns what became of a held change.
func (q *queue) state(n int64) versions.Held {
	q.t.Helper()
	all, err := vreview.Held(context.Background(), q.versions, versions.HeldFilter{})
	if err != nil {
		q.t.Fatal(err)
	}
	for _, h := range all {
		if h.Number == n {
			return h
		}
	}
	q.t.Fatalf("#%d is not there", n)
	return versions.Held{}
}

func (q *queue) waiting() int {
	q.t.Helper()
	all, err := vreview.Held(context.Background(), q.versions, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil {
		q.t.Fatal(err)
	}
	return len(all)
}

func (q *queue) content(p string) string {
	text, ok := storetest.Content(q.t, q.versions, p)
	if !ok {
		return "no memory"
	}
	return text
}

// The announcement says how to open the queue: it is not shown where the queue is.
func TestQueue_AnnouncesNothingWhereItIsOpen(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 140, 30)
	q.elapse()
	q.held(robot, "safe.md", "a safe line\nanother\n")
	q.shows("#1 waits for you · ! shows it")
	q.keys("!")
	q.hides("waits for you · ! shows it")
	q.held(robot, "d/new.md", "new\n")
	q.shows("wants to change · 2")
	q.hides("waits for you · ! shows it")
	all := q.app.notices.All()
	if last := all[len(all)-1].Text; !strings.Contains(last, "#2 waits for you") {
		t.Errorf("the log ends with %q", last)
	}
	q.keys("q")
	q.held(robot, "d/newer.md", "new\n")
	q.shows("#3 waits for you, and 2 more · ! shows it") // all that wait, not only those of one reading
}

func TestQueue_AnnouncesWhatWaits(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 140, 30)
	q.elapse()
	q.shows("policy: review")
	q.hides("for you")
	q.held(robot, "safe.md", "a safe line\nanother\n")
	q.shows("robot wants to edit /safe.md: #1 waits for you · ! shows it")
	q.elapse()
	q.shows("! 1 waits for you", "?1")
	q.held(robot, "d/new.md", "new\n")
	q.elapse()
	q.shows("! 2 wait for you")
	y := q.rowOf("! 2 wait for you")
	row := strings.Split(q.screen(), "\n")[y]
	q.send(tea.MouseClickMsg{X: ansi.StringWidth(row[:strings.Index(row, "2 wait")]), Y: y, Button: tea.MouseLeft})
	q.shows("wants to change · 2", "#2 robot wants to create /d/new.md") // what the person was told of last
}

func TestQueue_ShowsWhoWhenAndWhatTheSessionTookIn(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36, func(c *Config) {
		c.Prompt = func(id versions.SessionID) string {
			if id == robot.Session {
				return "Read the page and note the refund rules"
			}
			return ""
		}
	})
	trail := q.app.cfg.Stores.(fakeStores).Home.(engineHome).Trail
	if err := trail.NoteInputs(t.Context(), robot, versions.InputWeb|versions.InputShell, clock.Add(-72*time.Hour)); err != nil {
		t.Fatal(err)
	}
	first := q.held(robot, "safe.md", "a safe line\neverybody gets a full refund at once\n")
	if err := vreview.Reject(t.Context(), q.versions, reviewer, first, "not our rule"); err != nil {
		t.Fatal(err)
	}
	q.held(robot, "safe.md", "a safe line\neverybody gets a full refund at once\nand more\n")
	q.keys("!")
	q.shows("#2 robot wants to edit /safe.md  +2", "its session had taken in web pages and output of commands from", "“Read the page and note the refund rules”", "through mcp",
		"session robot", "turn 2 · call toolu_9", "held by the rule: hold actor:agent", "brings back text that was rejected as #1: not our rule", "+ everybody gets a full refund")
}

// A conflict with git is held by no rule.
func TestQueue_SaysWhyAChangeFromGitIsHeld(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	ann := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Session: "0123456789", Door: versions.DoorGit}
	_, err := gitsync.TakeIn(t.Context(), q.versions, versions.Incoming{ID: "chg_1", Commit: "0123456789", By: ann, Time: clock, Files: []versions.IncomingFile{
		{Path: at("safe.md"), Before: []byte("another line\n"), After: []byte("her line\n")}, {Path: at("too.md"), After: []byte("new\n")}}})
	if held := (*versions.HeldError)(nil); !errors.As(err, &held) {
		t.Fatal(err)
	}
	q.keys("!")
	q.shows("#1 ann wants to edit / (2 memories)", "conflict · 1 of 2 · /safe.md · ", "through git", "held because: /safe.md was created since")
	q.hides("rule", "/memories")
}

func TestQueue_AcceptsWithTwoDifferentKeys(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	n := q.held(robot, "safe.md", "a safe line\nanother\n")
	q.keys("! a")
	q.shows("Accept #1: edit /safe.md (+1)?", "this one: #1", "nothing")
	q.keys("enter")
	if q.waiting() != 1 {
		t.Fatal("Enter accepts")
	}
	q.keys("a y")
	q.shows("accepted #1")
	if got := q.content("safe.md"); got != "a safe line\nanother\n" {
		t.Errorf("the memory is %q", got)
	}
	if h := q.state(n); h.State != versions.HeldAccepted || h.DecidedBy != reviewer.Actor {
		t.Errorf("%+v", h)
	}
	q.arrives()
	q.shows("Nothing waits for you")
	q.keys("esc")
	q.elapse()
	q.hides("to review", "for you")
}

// everyKey are keys that a person may hold down.
func everyKey() (out []string) {
	for c := '!'; c <= '~'; c++ {
		out = append(out, string(c))
	}
	return append(out, "space", "enter", "esc", "tab", "shift+tab", "up", "down", "left", "right", "pgup", "pgdown", "home", "end", "backspace",
		"ctrl+s", "ctrl+n", "ctrl+p", "ctrl+j", "ctrl+a", "ctrl+d", "ctrl+u", "ctrl+f", "ctrl+b")
}

var (
	queueEach   = flag.Int("queue.each", 3, "queue one of this many of the changes that few keys decide about")
	heldPresses = flag.Int("held.presses", 6, "how often a key that is held down repeats")
	heldKeys    = flag.Bool("held.keys", false, "hold every key down, not only those that the queue answers to")
)

// A key that is held down accepts nothing: neither from the list, nor when it is what answered last, even if
// the keys that ask and answer are bound to one.
func TestQueue_HoldingAKeyDownAcceptsNothing(t *testing.T) {
	t.Parallel()
	held := func(t *testing.T, before string, key string, change ...func(*Config)) *queue {
		q := newQueue(t, 100, 30, change...)
		for i := range 4 {
			q.held(robot, fmt.Sprintf("f%d.md", i), "text\n")
		}
		q.keys("! " + before)
		for range *heldPresses {
			q.send(screentest.Key(key))
		}
		return q
	}
	for _, key := range everyKey() {
		if !*heldKeys && !slices.Contains(strings.Fields("a y enter space - e . n s + f"), key) {
			continue
		}
		if n := held(t, "", key).waiting(); n != 4 {
			t.Errorf("holding %s decides about %d", key, 4-n)
		}
	}
	for _, key := range []string{"a", "y", "enter", "space", "n", "-", "e"} {
		if n := held(t, "a y", key).waiting(); n != 3 {
			t.Errorf("holding %s after a decision decides about %d more", key, 3-n)
		}
	}
	for _, key := range []string{"y", "s", "n", "+", "f"} {
		bound := func(c *Config) { c.Keys = map[string][]string{"review.accept": {key}, "change.reject": {}} }
		if n := held(t, "", key, bound).waiting(); n != 4 {
			t.Errorf("holding %s, to which accept is bound, decides about %d", key, 4-n)
		}
	}
}

func TestQueue_OfTwoHundredNeedsFewKeys(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	const each = 10
	sessions := 20 / *queueEach
	for s := range sessions {
		by := robot
		by.Session = versions.SessionID(fmt.Sprintf("sesn_%02d", s))
		for i := range each {
			if _, err := q.versions.Write(t.Context(), by, at(fmt.Sprintf("s%d/f%d.md", s, i)), []byte("text\n"), versions.Pre{}); err == nil {
				t.Fatal("it is not held")
			}
		}
	}
	q.happens(versions.Event{Trust: true})
	pressed := 0
	press := func(names string) {
		pressed += len(strings.Fields(names))
		q.keys(names)
	}
	press("!")
	for range sessions - 4 {
		press("a s")
	}
	press("- tab s enter") // two sessions, without a reason
	press("- tab s enter")
	press("a +")
	press("a f")
	if n := q.waiting(); n != 0 {
		t.Errorf("%d are left", n)
	}
	if pressed > 60 / *queueEach {
		t.Errorf("%d keys were pressed", pressed)
	}
	t.Logf("%d keys", pressed)
}

// A session of which all waits has changed nothing.
func TestQueue_OffersNoUndoOfASessionThatOnlyWaits(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	q.held(robot, "safe.md", "bad\n")
	q.keys("! U")
	q.shows("its session has changed nothing that is in effect")
	q.hides("Nothing to do", "no such session", "undo session")
}

func TestQueue_RejectsWithAReason(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	n := q.held(robot, "safe.md", "bad\n")
	q.keys("! -")
	q.typed("not true")
	q.keys("enter")
	q.shows("rejected #1")
	if h := q.state(n); h.State != versions.HeldRejected || h.Reason != "not true" {
		t.Errorf("%+v", h)
	}
	if got := q.content("safe.md"); got != "a safe line\n" {
		t.Errorf("the memory is %q", got)
	}
}

// An older change of the person's own is not undone in place of a rejection, and an accepted change does not wait again.
func TestUndo_SaysWhatOfADecisionCanNotBeTakenBack(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	q.held(robot, "safe.md", "bad\n")
	q.held(robot, "new.md", "new\n")
	q.writes(reviewer, "mine.md", "mine\n")
	q.keys("! -")
	q.typed("not true")
	q.keys("enter u")
	q.shows("rejected #", "that can't be undone: the agent may have read it")
	q.keys("a y")
	q.shows("accepted #")
	q.keys("u")
	q.shows("undid your decision: accepted #", "it doesn't wait again")
	if got := q.content("mine.md"); got != "mine\n" {
		t.Errorf("the memory is %q", got)
	}
	before, other := q.content("safe.md"), q.content("new.md")
	q.keys("u")
	q.shows("What you did last can't be undone. Before it: ")
	q.keys("y")
	q.arrives()
	q.shows("undid #")
	if q.content("mine.md") != "no memory" || q.content("safe.md") != before || q.content("new.md") != other {
		t.Errorf("the memories are %q, %q and %q", q.content("mine.md"), q.content("safe.md"), q.content("new.md"))
	}
	q.keys("ctrl+r")
	q.arrives()
	q.keys("ctrl+r")
	q.arrives()
	q.shows("redid #")
	q.keys("u") // the redo, of a change by another
	q.arrives()
	q.shows("undid #")
	if got := q.content("mine.md"); got != "mine\n" {
		t.Errorf("the memory is %q", got)
	}
}

// What is undone may be what another held change is about: that is shown again without a word about it.
func TestUndo_OfAnAcceptedChangeIsSaidBesideAnotherOfItsMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 30)
	q.held(robot, "safe.md", "a safe line\nmore\n")
	q.held(robot, "safe.md", "new\na safe line\n")
	q.keys("! a y")
	q.arrives()
	q.shows("accepted #")
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: accepted #")
	q.hides("is shown again")
}

func TestUndo_CountsTheAcceptedChangesThatDoNotWaitAgain(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 30)
	q.held(robot, "new.md", "new\n")
	q.held(robot, "other.md", "new\n")
	q.keys("! a s")
	q.arrives()
	q.shows("accepted 2 changes")
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: accepted 2 changes", "they don't wait again")
}

// With several held changes too, the reason for the one that is shown is asked at once; what else it may be for is behind Tab.
func TestQueue_RejectsWhatIsShown(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	var held []int64
	for i := range 4 {
		held = append(held, q.held(robot, fmt.Sprintf("f%d.md", i), "text\n"))
	}
	q.keys("! -")
	q.shows("reject #4", "Tab more")
	q.typed("not true")
	q.keys("enter")
	q.shows("rejected #4")
	if n := q.waiting(); n != 3 || q.state(held[3]).Reason != "not true" {
		t.Errorf("%d are left; %+v", n, q.state(held[3]))
	}
	q.keys("-")
	q.typed("none of it")
	q.keys("tab")
	q.shows("the 3 of session robot", "this one: #3")
	q.keys("enter")
	q.shows("reject 3 changes", "none of it")
	q.keys("enter")
	if n := q.waiting(); n != 0 || q.state(held[0]).Reason != "none of it" {
		t.Errorf("%d are left; %+v", n, q.state(held[0]))
	}
}

func TestQueue_EditsAndThenAccepts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	n := q.held(robot, "safe.md", "a safe line\nadded\n")
	q.keys("! e")
	q.shows("edit #1, then accept: /safe.md", "Saving accepts the change")
	q.typed("mine: ")
	q.keys("ctrl+s")
	q.shows("accepted #1 with your text", "Nothing waits for you")
	if got := q.content("safe.md"); got != "a safe line\nmine: added\n" { // the editor begins at the hunk
		t.Errorf("the memory is %q", got)
	}
	v, err := q.versions.VersionAt(t.Context(), at("safe.md"), 0)
	if err != nil || v.Actor != reviewer.Actor || q.state(n).State != versions.HeldAccepted {
		t.Errorf("%+v, %v", v, err)
	}
}

// A hunk that is decided elsewhere was not changed: the person is told which of the two it was.
func TestQueue_SaysWhetherAHunkChangedOrWasDecidedElsewhere(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "safe.md", "1\n2\n3\n")
	q.writes(robot, "safe.md", "one\n2\nthree\n")
	q.keys("!")
	entries, err := history.Tree(t.Context(), q.versions)
	if err != nil {
		t.Fatal(err)
	}
	m := entries[slices.IndexFunc(entries, func(e versions.Entry) bool { return e.Path == at("safe.md") })].Memory
	p, err := vreview.PendingOf(t.Context(), q.versions, m, reviewer.Actor)
	if err == nil {
		_, err = vreview.Keep(t.Context(), q.versions, reviewer.Actor, p, p.With(p.Hunks()[0]))
	}
	if err != nil {
		t.Fatal(err)
	}
	q.keys(".")
	q.shows("hunks of /safe.md were decided elsewhere meanwhile")
}

func TestQueue_AsksBeforeAnEditedTextIsLost(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 100, 30)
	q.held(robot, "safe.md", "a safe line\nadded\n")
	q.keys("! e")
	q.typed("mine: ")
	q.keys("ctrl+k")
	q.typed("quit")
	q.keys("enter")
	q.shows("Your text is not saved", "keep editing")
	q.keys("esc")
	if q.over {
		t.Fatal("the program quit")
	}
	q.keys("esc d")
	q.shows("wants to change · 1")
}

// What was shown is what is accepted: otherwise it is shown again.
func TestQueue_ShowsAgainWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "1\n2\n3\n4\n5\n")
	q.held(robot, "safe.md", "1\n2\n3\n4\nFIVE\n")
	q.keys("! a")
	if _, err := q.versions.Write(t.Context(), reviewer, at("safe.md"), []byte("ONE\n2\n3\n4\n5\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	q.keys("y")
	q.shows("/safe.md changed since it was shown: #1 is shown again", "both changes are merged")
	if q.waiting() != 1 {
		t.Fatal("it was accepted")
	}
	q.keys("a y")
	if got := q.content("safe.md"); got != "ONE\n2\n3\n4\nFIVE\n" {
		t.Errorf("the memory is %q", got)
	}
}

func TestQueue_ShowsBothTextsOfWhatTwoCreated(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "new.md", "of the robot\n")
	q.writes(reviewer, "new.md", "of the person\n")
	q.keys("!")
	q.shows("it conflicts with what changed since", "of the robot", "of the person")
	q.keys("a")
	q.shows("1 to decide", "of the robot", "of the person")
	q.keys("b a")
	q.arrives()
	if got := q.content("new.md"); got != "of the robot\n" {
		t.Errorf("the memory is %q", got)
	}
}

func TestQueue_SaysWhoDecidedMeanwhile(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	n := q.held(robot, "safe.md", "bad\n")
	q.held(robot, "other.md", "x\n")
	q.keys("! j a")
	lee := versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "lee"}}
	if err := vreview.Reject(t.Context(), q.versions, lee, n, ""); err != nil {
		t.Fatal(err)
	}
	q.keys("y")
	q.shows("#1 was rejected by lee already", "wants to change · 1", "#2 robot wants to create /other.md")
}

// Of a conflict the queue shows what was proposed, and the plan what accepting does: neither shows later changes of others as if the agent
// had wanted to undo them.
func TestQueue_ShowsWhatWasProposedOfAConflict(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "1\n2\n3\n4\n5\n")
	n := q.held(robot, "safe.md", "1\n2\n3\n4\nFIVE\n")
	q.writes(reviewer, "safe.md", "ONE\n2\n3\n4\nfive\n")
	q.keys("!")
	q.shows("conflict: before → held", "- 5", "+ FIVE", "it conflicts with what changed since: a lets you decide")
	q.hides("- ONE", "- five")
	q.keys("a")
	q.shows("now → held", "- five", "+ FIVE")
	q.hides("- ONE")
	q.keys("b a")
	if got := q.content("safe.md"); got != "ONE\n2\n3\n4\nFIVE\n" || q.state(n).State != versions.HeldAccepted {
		t.Errorf("the memory is %q", got)
	}
}

func TestQueue_DecidesConflictsInAPlan(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "1\n")
	q.held(robot, "safe.md", "one\n")
	q.writes(reviewer, "safe.md", "uno\n")
	q.keys("!")
	q.shows("it conflicts with what changed since: a lets you decide", "conflict")
	q.keys("a")
	q.shows("accept #1: edit /safe.md", "1 to decide", "now → held", "b held")
	q.keys("?")
	q.shows("keys of the plan", "held for all that are left")
	q.hides("before")
	q.keys("esc m")
	q.shows("/safe.md", "held")
	q.hides("before")
	q.keys("esc b a")
	q.arrives()
	q.shows("accepted #1", "Nothing waits for you")
	q.hides("u undoes")
	if got := q.content("safe.md"); got != "one\n" {
		t.Errorf("the memory is %q", got)
	}
}

func TestQueue_KeepsAndRevertsWhatHasChanged(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	for i := range 6 {
		q.writes(reviewer, fmt.Sprintf("m%d.md", i), "mine\n")
	}
	q.writes(robot, "safe.md", "a safe line\nmore\n")
	q.writes(robot, "two.md", "2\n")
	outside := versions.By{Actor: versions.Actor{Kind: versions.Outside}}
	q.writes(outside, "loose.md", "x\n")
	other := robot
	other.Session = "sesn_other"
	for i := 0; i < 6; i += 3 {
		c, err := q.versions.Delete(t.Context(), other, at(fmt.Sprintf("m%d.md", i)), at(fmt.Sprintf("m%d.md", i+1)), at(fmt.Sprintf("m%d.md", i+2)))
		if err != nil {
			t.Fatal(err)
		}
		q.happens(versions.Event{Changes: []versions.Change{c}})
	}
	q.keys("!")
	q.shows("robot changed 6 memories", "deleted 6", "another program changed 1 memory", "robot changed 2 memories")
	q.keys("space space space space space space -")
	q.shows("undid 6 memories · u undoes that")
	q.arrives()
	q.shows("nobody claims it: the folder was changed directly")
	q.hides("changed 6 memories")
	if q.content("m3.md") != "mine\n" {
		t.Error("what was deleted is not back")
	}
	q.keys(".")
	q.shows("kept /loose.md · u undoes that", "robot changed 2 memories", "+ more")
	q.keys("u")
	q.shows("undid your decision: kept /loose.md", "another program changed 1 memory")
	q.keys(". . .")
	q.shows("Nothing waits for you")
	q.keys("u")
	q.shows("robot changed 1 memory", "/two.md")
	q.keys(". esc")
	q.elapse()
	q.hides("to review")
}

// V begins to select lines from the list, too: another key must not decide the next memory instead.
func TestQueue_SelectsLinesFromTheList(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 80, 24)
	q.policy("open")
	q.writes(reviewer, "a.md", "1\n2\n3\n4\n")
	q.writes(reviewer, "b.md", "1\n")
	q.writes(robot, "b.md", "one\n")
	q.writes(robot, "a.md", "1\ntwo\nthree\n4\n")
	q.keys("!")
	q.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	q.shows(". keep  - undo it  ] next hunk")
	q.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	q.shows(". keep  - undo it  ] next hunk")
	q.keys("V")
	q.shows(". keep lines  - undo lines")
	q.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	q.shows(". keep lines  - undo lines")
	q.keys("?")
	q.shows("keys of the review")
	q.keys("esc")
	q.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	q.writes(robot, "c.md", "1\n") // news must not end the selection
	q.arrives()
	q.shows("/c.md", ". keep lines  - undo lines")
	q.keys("-")
	q.shows("undid 1 line of /a.md")
	if got := q.content("a.md"); got != "1\n2\ntwo\nthree\n4\n" {
		t.Errorf("the memory is %q", got)
	}
	if got := q.content("b.md"); got != "one\n" {
		t.Errorf("the other memory is %q", got)
	}
}

// A selection may begin in the middle of a hunk, as in a memory.
func TestQueue_SelectsFromTheOtherEnd(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "1\n2\n3\n4\n")
	q.keys("! V")
	q.shows(". keep lines  - undo lines  o other end")
	q.keys("j j o j -")
	q.shows("undid 2 lines of /a.md")
	if got := q.content("a.md"); got != "1\n4\n" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("o") // nothing is selected any more
	if len(q.app.screens) != 0 {
		t.Error("the memory is not opened")
	}
}

// In the diff a key decides the hunk that is shown, or the lines that are selected in it, stays there, and goes to the next hunk.
func TestQueue_DecidesHunkByHunk(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	lines := func(change ...string) string {
		text := ""
		for i := range 30 {
			text += fmt.Sprintf("line %d\n", i)
		}
		return strings.NewReplacer(change...).Replace(text)
	}
	q.writes(reviewer, "a.md", lines())
	q.writes(reviewer, "b.md", lines())
	q.writes(robot, "a.md", lines("line 3\n", "three\n", "line 12\n", "twelve\n", "line 25\n", "new\nand new\n"))
	q.writes(robot, "b.md", lines("line 7\n", ""))
	q.keys("!")
	q.shows("● 2 to review", "reviewed → now · 3 hunks")
	q.keys("enter")
	q.shows("reviewed → now · hunk 1 of 3", "/a.md  3 hunks")
	q.keys("]")
	q.shows("hunk 2 of 3")
	q.keys("-")
	q.shows("undid 1 hunk of /a.md", "hunk 2 of 2", "/a.md  2 hunks", "● 2 to review")
	q.hides("twelve")
	if got := q.content("a.md"); got != lines("line 3\n", "three\n", "line 25\n", "new\nand new\n") {
		t.Errorf("the memory is %q", got)
	}
	q.keys("u")
	q.shows("undid your decision: undid 1 hunk of /a.md", "/a.md  3 hunks", "twelve")
	q.keys("V j")
	q.shows("hunk 2 of 3")
	q.keys("esc .")
	q.shows("kept 1 hunk of /a.md", "hunk 2 of 2", "- line 3")
	q.keys("[ .")
	q.shows("/a.md", "and new")
	q.hides("- line 3")
	q.keys(".")
	q.shows("kept 1 hunk of /a.md", "robot changed 1 memory", "- line 7", "● 1 to review")
	q.keys("-")
	q.shows("Nothing waits for you")
	if got := q.content("b.md"); got != lines() {
		t.Errorf("the memory is %q", got)
	}
	q.keys("esc")
	q.elapse()
	q.hides("to review")
}

// In the memory lines are decided as in the diff: those selected, of one hunk or of several, with the lines that they replaced.
func TestQueue_DecidesLinesSelectedInTheMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	q.writes(robot, "a.md", "ONE\nTWO\nTHREE\nfour\nFIVE\nseven\n")
	q.on("a.md").keys("enter")
	q.shows("▌ONE", "▌FIVE")
	q.keys("j V j") // TWO and THREE, of one hunk
	q.shows("2 lines selected", " . keep lines  - undo lines  y copy")
	q.hides(". keep  ")
	q.keys("-")
	q.arrives()
	q.shows("undid 2 lines of /a.md", "▌ONE")
	q.hides("selected", "TWO")
	if got, want := q.content("a.md"), "ONE\ntwo\nthree\nfour\nFIVE\nseven\n"; got != want {
		t.Errorf("the memory is %q and not %q", got, want)
	}
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: undid 2 lines of /a.md", "▌THREE")
	q.keys("g g V -")
	q.arrives()
	if got, want := q.content("a.md"), "one\nTWO\nTHREE\nfour\nFIVE\nseven\n"; got != want {
		t.Errorf("the memory is %q and not %q", got, want)
	}
	q.keys("u")
	q.arrives()
	q.keys("g g j j V j j .") // THREE and, of the next hunk, FIVE with the line that is gone
	q.shows("kept 2 lines of /a.md", "▌TWO")
	q.hides("▌FIVE", "▌THREE")
	q.keys("g g j j j V .")
	q.shows("nothing to review is selected")
	q.keys("esc g g V j j j -")
	q.arrives()
	q.shows("undid 2 lines of /a.md")
	if got, want := q.content("a.md"), "one\ntwo\nTHREE\nfour\nFIVE\nseven\n"; got != want {
		t.Errorf("the memory is %q and not %q", got, want)
	}
	q.keys("esc")
	q.elapse()
	q.hides("to review")

	q.writes(robot, "new.md", "good\nbad\n") // a part of a memory that is new
	q.on("new.md").keys("enter G V -")
	q.shows("undid 1 line of /new.md")
	if got := q.content("new.md"); got != "good\n" {
		t.Errorf("the memory is %q", got)
	}
}

// In the list a key decides the whole memory, and no hunk of it is marked; ] and [ go from there to its first hunk and to its last, and on
// over all memories.
func TestQueue_MarksAHunkOnlyWhereItIsDecided(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	for _, p := range []string{"a.md", "b.md"} {
		q.writes(reviewer, p, reviewText(0, ""))
		q.writes(robot, p, "new\n"+reviewText(90, "changed"))
	}
	q.keys("!")
	q.shows("reviewed → now · 2 hunks")
	q.hides("hunk 1 of 2", "▌")
	q.keys("]")
	q.shows("robot edited /a.md", "hunk 1 of 2", "▌")
	q.keys("]")
	q.shows("robot edited /a.md", "hunk 2 of 2", "+ changed")
	q.keys("]")
	q.shows("robot edited /b.md", "hunk 1 of 2")
	q.keys("[")
	q.shows("robot edited /a.md", "hunk 2 of 2")
	q.keys("esc")
	q.hides("▌")
	q.keys("j [")
	q.shows("robot edited /b.md", "hunk 2 of 2")
	q.keys("esc -")
	q.shows("undid 2 hunks of /b.md")
	q.keys("e esc")
	q.shows("robot edited /a.md", "hunk 1 of 2", "▌") // that the saved text would have decided
}

// From a memory, its diff opens at the hunk of the cursor; leaving it leads back there. What was decided there is decided in the
// memory, in the tree and in the queue, and one key undoes it in each.
func TestQueue_OpensAtTheHunkOfTheMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", reviewText(0, ""))
	q.writes(reviewer, "b.md", "one\n")
	q.writes(robot, "b.md", "two\n")
	q.writes(robot, "a.md", strings.Replace(reviewText(90, "POISON"), "line 20\n", "twenty\n", 1))
	q.send(screen.Open{Path: at("a.md")})
	q.shows("20▌twenty", "● +2 −2 to review")
	q.keys("] d")
	q.shows("reviewed → now · hunk 2 of 2", "+ POISON")
	q.keys("-")
	q.shows("undid 1 hunk of /a.md", "twenty")
	q.arrives()
	q.keys("esc")
	q.shows("line 90 of 120", "● +1 −1 to review", "● 2 to review")
	q.keys("g g ] .")
	q.shows("kept 1 hunk of /a.md", "/b.md ─", "▌two")
	q.keys("u")
	q.shows("undid your decision: kept 1 hunk of /a.md", "/a.md ─", "▌twenty", "● 2 to review")
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: undid 1 hunk of /a.md", "● +2 −2 to review")
}

// From a memory, a selection begins at the line where the cursor was there.
func TestQueue_SelectsFromTheLineOfTheMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", "1\n2\n3\n4\n")
	q.writes(robot, "a.md", "1\ntwo\nthree\n4\n")
	q.send(screen.Open{Path: at("a.md"), Line: 3})
	q.keys("d V -")
	q.shows("undid 1 line of /a.md")
	if got := q.content("a.md"); got != "1\ntwo\n4\n" {
		t.Errorf("the memory is %q", got)
	}
}

// Beside a hunk, one key says which call made it and what was said before it; once more shows the conversation at that call, and from
// there one comes back to the same hunk.
func TestQueue_SaysWhy(t *testing.T) {
	t.Parallel()
	var told []events.Event
	say := func(text string) {
		block := events.TextBlock(text)
		told = append(told, events.Event{Kind: events.BlockEnded, Block: &block})
	}
	call := func(id, path string) {
		told = append(told, events.Event{Kind: events.Answered, ToolUse: id, Tool: "Edit", Path: path})
	}
	told = append(told, events.Event{Kind: events.Prompted, Text: "Learn the refund rules"})
	say("I look first.")
	call("toolu_0", "/elsewhere/b.md")
	say("Refunds are 50 now\x1b[31m.")
	call("toolu_1", "a.md")
	for range 60 {
		say("something else")
	}
	say("And the end of the file.")
	call("toolu_2", "a.md")
	q := newQueue(t, 120, 36, func(c *Config) {
		c.Transcript = func(_ context.Context, id versions.SessionID) ([]events.Event, error) {
			if id != "sesn_robot" {
				return nil, nil
			}
			out := slices.Clone(told)
			for i := range out { // as an agent names a file
				if p := out[i].Path; p != "" && !filepath.IsAbs(p) {
					out[i].Path = filepath.Join(c.Store.Info().Folder, p)
				}
			}
			return out, nil
		}
	})
	q.policy("open")
	q.writes(reviewer, "a.md", reviewText(0, ""))
	by := robot
	by.ToolUse = "toolu_1"
	q.writes(by, "a.md", reviewText(20, "refunds: 50"))
	by.ToolUse = "toolu_2"
	q.writes(by, "a.md", reviewText(20, "refunds: 50")+"the end\n")
	q.keys("! enter c")
	q.shows("hunk 1 of 2", "ago · change #10 ·", "it said: “Refunds are 50 now", "then: Edit /memories/a.md · c shows the conversation")
	q.hides("something else")
	q.keys("] c")
	q.shows("hunk 2 of 2", "And the end of the")
	q.hides("Refunds are 50 now")
	q.keys("[ c c")
	q.shows("conversation of session robot", "Refunds are 50 now", "± Edit /memories/a.md")
	q.hides("And the end of the")
	q.keys("[ enter")
	q.shows("it is not about a memory of this store")
	q.keys("]")
	q.keys("esc")
	q.shows("hunk 1 of 2", "refunds: 50")

	other := robot
	other.Session = "sesn_other"
	q.writes(other, "z.md", "z\n")
	q.keys("esc g g c")
	q.shows("its conversation is not recorded here")
}

// A run of an agent over 40 memories, some with two hunks, is decided with at most 60 keys, none of them to find the next one.
func TestQueue_FortyMemoriesNeedSixtyKeys(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	pressed, want := 0, map[string]string{}
	memories := 40 / *queueEach / 4 * 4
	for i := range memories {
		p := fmt.Sprintf("m%02d.md", i)
		q.writes(reviewer, p, reviewText(0, ""))
		text := reviewText(50, fmt.Sprintf("wrong %d", i))
		want[p] = text
		if i%4 == 0 { // the second hunk is wrong
			text, want[p] = "new\n"+text, "new\n"+reviewText(0, "")
		}
		if i%4 == 1 { // all of it is
			want[p] = reviewText(0, "")
		}
		q.writes(robot, p, text)
	}
	key := func(k string) {
		pressed++
		q.keys(k)
	}
	key("!")
	key("enter")
	for i := range memories {
		q.shows(fmt.Sprintf("robot edited /m%02d.md", i))
		switch i % 4 {
		case 0:
			key(".")
			key("-")
		case 1:
			key("-")
		default:
			key(".")
		}
	}
	q.shows("Nothing waits for you")
	if pressed > memories*60/40 {
		t.Errorf("it took %d keys", pressed)
	}
	for p, text := range want {
		if got := q.content(p); got != text {
			t.Errorf("%s is %.80q", p, got)
		}
	}
	q.keys("u u u u u")
	q.shows("robot changed 4 memories", "● 4 to review")
}

// What the person did last is undone first: a change, or a decision about one. What is of an earlier sitting is asked about.
func TestUndo_TakesBackWhatWasDoneLast(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	q.on("a.md").keys(".")
	q.shows("kept /a.md · u undoes that", "● 1 to review")
	q.writes(reviewer, "mine.md", "mine\n")
	q.keys(">")
	q.shows("kept all that was to be reviewed: 1 memory · u undoes that")
	q.hides("to review")
	q.keys("u")
	q.shows("undid your decision: kept all that was to be reviewed: 1 memory", "● 1 to review")
	q.keys("u")
	q.arrives()
	q.shows("undid #")
	if got := q.content("mine.md"); got != "no memory" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("u")
	q.shows("undid your decision: kept /a.md", "● 2 to review")
	q.keys("ctrl+r") // not the older undo of mine.md
	q.shows("kept /a.md · u undoes that", "● 1 to review")
	if got := q.content("mine.md"); got != "no memory" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("ctrl+r")
	q.arrives()
	if got := q.content("mine.md"); got != "mine\n" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("ctrl+r")
	q.shows("kept all that was to be reviewed: 1 memory · u undoes that · nothing more to review")
	q.keys("ctrl+r")
	q.shows("nothing to redo: you undid nothing since your last change or decision")
	q.keys("u")
	q.shows("undid your decision: kept all that was to be reviewed: 1 memory", "● 1 to review")
	q.keys("u")
	q.arrives()
	q.shows("undid #")
	q.keys("u")
	q.shows("undid your decision: kept /a.md", "● 2 to review")
	before := q.content("safe.md")
	q.keys("u")
	q.shows("left to undo.")
	q.keys("n")
	if q.content("safe.md") != before {
		t.Error("it was undone without an answer")
	}
	q.keys("u y")
	q.arrives()
	q.shows("undid #")
	q.keys("ctrl+r") // of what was undone since
	q.arrives()
	q.shows("redid #")
}

// The tree shows what was deleted until that is decided, and again when the decision is undone.
func TestDeletion_IsShownUntilItIsDecided(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "gone.md", "one\n")
	c, err := q.versions.Delete(t.Context(), robot, at("gone.md"))
	if err != nil {
		t.Fatal(err)
	}
	q.happens(versions.Event{Changes: []versions.Change{c}})
	q.shows("● 1 to review", "●  gone.md")
	for _, key := range []string{".", ">"} {
		q.on("gone.md").keys(key)
		q.hides("gone.md                      ", "●")
		q.keys("u")
		q.shows("● 1 to review", "●  gone.md")
	}
	for _, open := range []string{"enter", "tab ."} { // the memory pane has nothing to decide: the queue has
		q.on("gone.md").keys(open)
		q.shows("gone.md", "- one")
		q.keys("-")
		q.shows("undid the deletion of /gone.md", "Nothing waits for you")
		q.keys("u")
		q.arrives()
		q.shows("undid your decision: undid the deletion of /gone.md", "- one")
		q.keys("esc")
	}
}

// What is saved in place of a hunk is reviewed.
func TestQueue_EditsAHunkInPlace(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "safe.md", "a safe line\nwrong\n")
	q.keys("! e")
	q.shows("edit /safe.md", "marks the hunk as reviewed")
	q.typed("not ")
	q.keys("ctrl+s")
	q.shows("edited 1 hunk of /safe.md · u undoes that", "Nothing waits for you")
	if got := q.content("safe.md"); got != "a safe line\nnot wrong\n" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("u")
	q.shows("undid your decision: edited 1 hunk of /safe.md", "+ wrong")
	if got := q.content("safe.md"); got != "a safe line\nwrong\n" {
		t.Errorf("the memory is %q", got)
	}
}

// What an agent changed and a person renamed afterwards is listed, and opened, where it is now.
func TestQueue_FollowsARename(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "was.md", "a line\n")
	q.writes(robot, "was.md", "a line\nand another\n")
	if _, err := q.versions.Rename(t.Context(), reviewer, at("was.md"), at("now.md")); err != nil {
		t.Fatal(err)
	}
	q.arrives()
	q.keys("! enter")
	q.shows("robot edited /now.md")
	q.hides("was.md")
	q.keys("o")
	q.shows("and another")
	q.hides("no such memory")
	q.keys("! enter -")
	q.shows("undid 1 hunk of /now.md")
}

// Of a memory that came and went there is nothing to undo: that keeps it.
func TestQueue_KeepsWhatCameAndWent(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "moment.md", "a line\n")
	if _, err := q.versions.Delete(t.Context(), robot, at("moment.md")); err != nil {
		t.Fatal(err)
	}
	q.arrives()
	q.keys("!")
	q.shows("created and deleted since your last review")
	q.keys("-")
	q.shows("kept /moment.md", "there was nothing to undo", "Nothing waits for you")
	q.keys("u")
	q.shows("undid your decision: kept /moment.md", "created and deleted since your last review")
}

// A decision that a later change conflicts with is undone in a plan, at once.
func TestUndo_ShowsThePlanOfADecisionThatConflicts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", "one\ntwo\nthree\n")
	q.writes(robot, "a.md", "one\nTWO\nthree\n")
	q.keys("! enter -")
	q.shows("undid 1 hunk of /a.md")
	q.writes(robot, "a.md", "one\n2\nthree\n")
	q.keys("u")
	q.shows("conflict", "undo")
	q.hides("undo your decision:")
	q.keys("m")
}

// A rename is a hunk of its own, before those of the text.
func TestQueue_DecidesARenameAsAHunk(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "was.md", "one\ntwo\n")
	if _, err := q.versions.Rename(t.Context(), robot, at("was.md"), at("now.md")); err != nil {
		t.Fatal(err)
	}
	q.writes(robot, "now.md", "one\nTWO\n")
	q.keys("! enter")
	q.shows("/was.md → /now.md · hunk 1 of 2", "▌Renamed from /was.md")
	q.keys("]")
	q.shows("hunk 2 of 2", " Renamed from /was.md")
	q.keys("[")
	q.shows("hunk 1 of 2", "▌Renamed from /was.md")
	q.keys("-")
	q.shows("undid the rename of /now.md", "- two", "/was.md")
	if got := q.content("was.md"); got != "one\nTWO\n" {
		t.Errorf("the memory is %q", got)
	}
	q.keys("u")
	q.shows("hunk 1 of 2", "▌Renamed from /was.md")
	q.keys("] .")
	q.shows("kept 1 hunk of /now.md", "Renamed from /was.md: the text stays as it is")
	q.keys("o")
	q.shows("● renamed")
	q.hides("+0 −0")
}

// The reason to look at a row is shown at the smallest size, before its age and numbers.
func TestQueue_SaysTheReasonOnASmallScreen(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 40, 12)
	q.policy("open")
	q.writes(reviewer, "customers/a-rather-long-name.md", "one\n")
	q.writes(robot, "customers/a-rather-long-name.md", "one\ntoken ghp_16C7e42F292c6912E7710c838347Ae178B4a\n")
	q.keys("!")
	q.shows(".md adds a secret", "it adds a secret: the guard found it")
}

// In the diff, a hunk is headed by who wrote it, and U undoes their session: another one may have changed the memory last.
func TestQueue_NamesWhoWroteEachHunk(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	tickets := versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "tickets"}, Session: "sesn_tickets"}
	text := "one\n2\n3\n4\n5\n6\n7\neight\n"
	q.writes(reviewer, "a.md", text)
	text = strings.Replace(text, "one", "ONE", 1)
	q.writes(robot, "a.md", text)
	text = strings.Replace(text, "eight", "EIGHT", 1)
	q.writes(tickets, "a.md", text)
	q.keys("!")
	q.shows("tickets changed 1 memory", "tickets edited /a.md")
	q.keys("enter")
	q.shows("robot edited /a.md", "session robot")
	q.keys("]")
	q.shows("hunk 2 of 2", "tickets edited /a.md")
	q.keys("[ U")
	q.shows("robot")
	q.keys("a")
	if q.content("a.md") == text {
		q.keys("enter")
	}
	if got := q.content("a.md"); got != strings.Replace(text, "ONE", "one", 1) {
		t.Errorf("the memory is %q\n%s", got, q.screen())
	}
}

func TestQueue_SaysWhatContradictsAPinnedMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "team/rules.md", "# Rules\n\n- Never deploy on Fridays.\n")
	if err := vreview.Pin(t.Context(), q.versions, reviewer, at("team"), versions.PinAgents); err != nil {
		t.Fatal(err)
	}
	q.writes(robot, "a.md", "plain\n")
	q.writes(robot, "b.md", "The release:\nDeploy on Fridays\n")
	q.arrives()
	q.keys("!")
	q.shows("/b.md", "contradicts a pin", "it contradicts what is pinned in /team/rules.md: Never deploy", "on Fridays.")
}

func TestQueue_SaysThatAPinnedMemoryWasWritten(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "team/rules.md", "ask first\n")
	q.writes(reviewer, "team/before.md", "one\n")
	q.writes(robot, "team/before.md", "two\n")
	if err := vreview.Pin(t.Context(), q.versions, reviewer, at("team"), versions.PinAgents); err != nil {
		t.Fatal(err)
	}
	folder := q.versions.Info().Folder
	if err := os.WriteFile(filepath.Join(folder, "team", "rules.md"), []byte("never ask\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := q.versions.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	q.arrives()
	q.keys("!")
	q.shows("changed 1 memory", "is pinned", "it is pinned, and was changed all the same")
	q.keys("down") // what was changed before it was pinned
	q.shows("edited /team/before.md ")
	q.hides("all the same")
	q.keys("up -")
	q.arrives()
	if got := q.content("team/rules.md"); got != "ask first\n" {
		t.Errorf("%q", got)
	}
}

func TestQueue_RejectsWhatHasChanged(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "bad.md", "everybody gets a refund at once\n")
	q.keys("!")
	q.keys("U")
	q.shows("undo session sesn_robot of robot", "- apply and reject")
	q.keys("-")
	q.typed("we never agreed to that")
	q.keys("enter")
	q.arrives()
	q.shows("Nothing waits for you")
	held, err := vreview.Held(t.Context(), q.versions, versions.HeldFilter{State: versions.HeldRejected})
	if err != nil || len(held) != 1 || held[0].Reason != "we never agreed to that" || held[0].By.Session != robot.Session {
		t.Errorf("%+v, %v", held, err)
	}
}

func TestQueue_RefusesWhatARowIsNotFor(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "safe.md", "x\n")
	q.keys("! .")
	q.shows("it is not done; a accepts it, - rejects it")
	q.keys("u")
	q.shows("left to undo.", "Undo it?")
	q.keys("n a y")
	q.policy("open")
	q.writes(robot, "safe.md", "y\n")
	q.keys("a")
	q.shows("it is done already; . keeps it, - undoes it")
}

func TestQueue_DecidesAboutWhatIsChosen(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	for i := range 4 {
		q.held(robot, fmt.Sprintf("f%d.md", i), "x\n")
	}
	q.keys("! space j space")
	q.shows("2 chosen")
	q.keys("a")
	q.shows("the 2 that are chosen")
	q.keys("y")
	q.shows("accepted 2 changes", "wants to change · 2")
	if q.content("f3.md") != "x\n" || q.content("f2.md") != "no memory" || q.content("f1.md") != "x\n" {
		t.Error("others were accepted")
	}
}

// In the diff a key decides what is shown there, whatever is chosen in the list.
func TestQueue_DecidesWhatTheDiffShowsNotWhatIsChosen(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	for _, p := range []string{"a.md", "c.md"} {
		q.writes(reviewer, p, reviewText(0, ""))
		q.writes(robot, p, "new\n"+reviewText(90, "changed"))
	}
	q.keys("! space enter -")
	q.shows("undid 1 hunk of /c.md", "1 chosen", "✓")
	if got := q.content("a.md"); got != "new\n"+reviewText(90, "changed") {
		t.Errorf("the chosen memory is %.20q", got)
	}
	if got := q.content("c.md"); got != reviewText(90, "changed") {
		t.Errorf("the memory that is shown is %.20q", got)
	}
	q.keys("space")
	q.shows("choose: it works in the list")
	q.keys("esc .")
	q.shows("kept 2 hunks of /a.md")
	q.hides("chosen")
}

// What was chosen is decided as it was shown then: otherwise it is shown again.
func TestQueue_ShowsAgainWhatChangedSinceItWasChosen(t *testing.T) {
	t.Parallel()
	for _, key := range []string{".", "-"} {
		q := newQueue(t, 120, 36)
		q.policy("open")
		q.writes(robot, "a.md", "one\n")
		q.writes(robot, "b.md", "one\n")
		q.writes(robot, "c.md", "one\n")
		q.keys("! space space")
		q.writes(robot, "a.md", "one\nnever shown\n")
		q.arrives()
		q.keys(key)
		q.shows("/a.md changed since it was shown: shown again", "robot created /a.md", "+ never shown", "/c.md")
		q.hides("/b.md", "chosen", "1 hunk of ")
		if got := q.content("a.md"); got != "one\nnever shown\n" {
			t.Errorf("%s: the memory is %q", key, got)
		}
		q.keys(key)
		q.shows(map[string]string{".": "kept /a.md", "-": "undid the creation of /a.md"}[key])
	}
}

func TestQueue_ShowsAgainWhatIsHeldAndChangedSinceItWasChosen(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "1\n2\n3\n4\n5\n")
	q.held(robot, "safe.md", "1\n2\n3\n4\nFIVE\n")
	q.held(robot, "other.md", "x\n")
	q.keys("! j space k")
	q.shows("1 chosen", "#2 robot wants to create /other.md")
	q.writes(reviewer, "safe.md", "ONE\n2\n3\n4\n5\n")
	q.arrives()
	q.keys("a y")
	q.shows("/safe.md changed since it was shown: #1 is shown again", "both changes are merged")
	if q.waiting() != 2 {
		t.Fatal("it was accepted")
	}
}

func TestPolicy_StandsInTheListOfStores(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 30)
	q.held(robot, "safe.md", "x\n")
	q.keys("@")
	q.shows("policy: review · P changes it · ! 1 waits for you")
	q.keys("P o")
	q.shows("policy: open · P changes it")
}

func TestPolicy_OfTheSelectedSession(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "safe.md", "x\n")
	q.keys("! P")
	q.shows("Whose policy?", "all of notes: review", "session robot: as the store")
	q.keys("s o")
	q.shows("policy of session robot: open")
	q.writes(robot, "safe.md", "y\n")
	q.elapse()
	q.keys("j")
	q.shows("policy: review")
}

// The session of a person has no policy of its own to choose.
func TestPolicy_OfAPersonsSessionIsNotAsked(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "mine\n")
	q.on("safe.md").keys("enter H P")
	q.shows("policy of notes", "Now review: every change by an agent waits for a person.")
	q.keys("n j P")
	q.shows("Whose policy?")
}

func TestPin_IsShownAndStopsTheEditor(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 30)
	run := func(action string) {
		q.keys("ctrl+k")
		q.typed(action)
		q.keys("enter")
	}
	q.on("d")
	run("pin for all")
	q.shows("pinned /d: read-only for everybody", "pin all")
	q.on("d/plain")
	q.keys("enter e")
	q.shows("/d/plain is read-only: /d is pinned for all", "unpin")
	q.hides("edit /d/plain")
	run("unpin")
	q.shows("/d is pinned; unpin that")
	q.send(screen.FocusTree{})
	q.on("d")
	run("unpin")
	q.shows("unpinned /d")
	q.hides("pin all")
	q.on("safe.md")
	run("pin for agents")
	q.shows(" pin")
	q.keys("enter e")
	q.shows("Esc close")
}

func TestDenied_IsShownInFull(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 60, 24)
	if err := vreview.Pin(t.Context(), q.versions, reviewer, at("safe.md"), versions.PinAll); err != nil {
		t.Fatal(err)
	}
	q.on("safe.md").keys("d")
	q.shows("delete /safe.md: denied: /safe.md is pinned for all: unpin", "it first")
}

func TestQueueFrames_MatchGoldens(t *testing.T) {
	t.Parallel()
	frame := func(name string, w, h int, change ...func(*Config)) {
		q := newQueue(t, w, h, change...)
		q.policy("open")
		q.writes(reviewer, "team/billing.md", "# Billing\n\nRefunds above 50 EUR need an approval.\nInvoices are sent on the first.\n")
		q.writes(robot, "safe.md", "a safe line\nand one more\n")
		q.writes(versions.By{Actor: versions.Actor{Kind: versions.Outside}}, "loose.md", "x\n")
		q.policy("review")
		trail := q.app.cfg.Stores.(fakeStores).Home.(engineHome).Trail
		if err := trail.NoteInputs(t.Context(), robot, versions.InputWeb|versions.InputShell, clock.Add(-72*time.Hour)); err != nil {
			t.Fatal(err)
		}
		q.held(robot, "team/billing.md", "# Billing\n\nRefunds above 50 EUR need no approval any more.\nInvoices are sent on the first.\n")
		q.held(robot, "people/kim.md", "# Kim\n\njoined in March\n")
		q.elapse()
		q.keys("!")
		drawtest.Styled(t, *update, "queue-"+name, q.app.View())
		q.keys("G")
		drawtest.Styled(t, *update, "queue-changed-"+name, q.app.View())
	}
	frame("120x36", 120, 36)
	frame("80x24", 80, 24)
	frame("40x12", 40, 12)
	frame("80x24-light", 80, 24, themeOptions["light"])
	frame("80x24-mono", 80, 24, themeOptions["mono"])
}

// What a session had taken in stands in the history, over the text, and in the blame.
func TestProvenance_IsShownWhereAChangeIs(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 150, 36)
	q.policy("open")
	trail := q.app.cfg.Stores.(fakeStores).Home.(engineHome).Trail
	if err := trail.NoteInputs(t.Context(), robot, versions.InputWeb|versions.InputShell, clock.Add(-72*time.Hour)); err != nil {
		t.Fatal(err)
	}
	q.writes(robot, "safe.md", "a safe line\nand one more\n")
	q.on("safe.md").keys("enter")
	q.shows("changed by robot 1d ago · after web, shell")
	q.keys("B G")
	q.shows("after web, shell")
	q.keys(". B")
	q.hides("after web")
	q.keys("H")
	q.shows("after web, shell")
	q.keys("c")
	q.shows("/safe.md after web, shell")
}

func TestQueue_OpensAtANumberAndOnce(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "a.md", "x\n")
	n := q.held(robot, "b.md", "x\n")
	q.keys("!")
	q.send(screen.Queue{Number: n})
	q.shows("#2 robot wants to create /b.md")
	if len(q.app.screens) != 1 {
		t.Errorf("%d screens are open", len(q.app.screens))
	}
	q.keys("e")
	q.send(screen.Queue{})
	q.shows("finish or leave the text first")
	q.keys("esc")
	q.shows("#2 robot wants to create /b.md")
	if !slices.ContainsFunc(q.app.screens, func(p screen.Pane) bool { _, ok := p.(*review.Pane); return ok }) {
		t.Error("the queue is not open")
	}
}

// The list takes the columns that its paths need, and where a call is told takes one row.
func TestQueue_CutsNoPathBesideFreeColumns(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	by := robot
	by.ToolUse = "toolu_01ABCDEFGHIJKLMN"
	q.held(by, "customers/agreements/blue-kite-ltd.md", "x\n")
	q.keys("!")
	q.shows("create  /customers/agreements/blue-kite-ltd.md +1")
	screen := q.screen()
	i := strings.Index(screen, "through mcp")
	if row, _, _ := strings.Cut(screen[max(i, 0):], "\n"); i < 0 || !strings.Contains(row, "turn 2") || strings.Contains(row, "…") {
		t.Errorf("the call is told as %q", row)
	}
}

// What changed several memories says so in the column where others say how they changed one.
func TestQueue_NamesWhatWasDoneInOneColumn(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "one.md", "x\n")
	q.writes(robot, "two.md", "x\n")
	other := robot
	other.Session = "sesn_other"
	q.writes(other, "three.md", "x\n")
	q.keys("!")
	q.shows("created /three.md", "changed 2 memories")
}

// A person's own change over an agent's is not what the key for the session is pressed for.
func TestUndoSession_IsOfTheAgentBelowThePersonsOwnChange(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "safe.md", "the robot's\n")
	q.writes(me, "safe.md", "mine, and\nthe robot's\n")
	q.on("safe.md").keys("U")
	q.shows("undo session sesn_robot of robot")
	q.keys("esc")
	q.writes(me, "own.md", "mine\n")
	q.on("own.md").keys("U")
	q.shows("no change of /own.md by a session of an agent is in effect")
}

// What is undone from the queue, and brought back from elsewhere, is to be reviewed again at once.
func TestQueue_ListsWhatIsBroughtBackAgain(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", "1\n")
	q.writes(robot, "a.md", "one\n")
	q.keys("! -")
	q.shows("undid 1 hunk of /a.md", "Nothing waits for you")
	q.arrives()
	undo, err := history.Changes(t.Context(), q.versions, versions.Filter{}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), q.versions, reviewer, plan.UndoChanges{undo[0].Number}); err != nil {
		t.Fatal(err)
	}
	q.arrives()
	q.shows("/a.md", "+ one")
	q.keys("esc")
	q.shows("● 1 to review")
}

// What is kept by another process leaves the queue and the counter.
func TestQueue_FollowsWhatIsKeptElsewhere(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	q.keys("!")
	q.shows("/a.md", "/b.md")
	made, err := vreview.Unreviewed(t.Context(), q.versions, me.Actor, 10)
	if err != nil {
		t.Fatal(err)
	}
	of, err := vreview.PendingOf(t.Context(), q.versions, made[0].Memory, me.Actor)
	if err == nil {
		_, err = vreview.Keep(t.Context(), q.versions, me.Actor, of, of.Now)
	}
	if err != nil {
		t.Fatal(err)
	}
	q.happens(versions.Event{Reviewed: true})
	q.hides(of.Now.Path.String())
	q.shows("● 1 to review")
}

// What is undone is shown again: its hunk, not another one of the memory.
func TestQueue_GoesBackToTheHunkThatIsTakenBack(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "a.md", reviewText(0, ""))
	q.writes(robot, "a.md", reviewText(20, "twenty")+"the end\n")
	q.keys("! ] ]")
	q.shows("hunk 2 of 2")
	for _, key := range []string{".", "-"} {
		q.keys(key)
		q.hides("hunk 2 of 2", "the end")
		q.keys("u")
		q.shows("hunk 2 of 2", "+ the end")
	}
}

// A list that is longer than its part of the screen says so.
func TestQueue_SaysWhereInALongListItIs(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 80, 24)
	q.policy("open")
	for i := range 12 {
		q.writes(robot, fmt.Sprintf("m%02d.md", i), "one\n")
	}
	q.keys("! j j")
	q.shows("row 3 of 12")
	q.keys("k k . . . . . . . .")
	q.hides(" of 12", "row ")
}

// readingStore is a store whose changes are read as soon as they are applied.
type readingStore struct {
	Store
	read func(versions.Change)
}

func (s readingStore) Apply(ctx context.Context, by versions.By, p *plan.Plan, c map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	change, err := s.Store.Apply(ctx, by, p, c)
	if err == nil {
		s.read(change)
	}
	return change, err
}

// What an accepted change did is reviewed, even if it is read before all of them are accepted.
func TestQueue_HasReviewedWhatIsReadWhileItAccepts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	for i := range 5 {
		q.held(robot, fmt.Sprintf("f%d.md", i), "x\n")
	}
	q.app.cfg.Store = readingStore{q.app.cfg.Store, func(c versions.Change) { q.happens(versions.Event{Changes: []versions.Change{c}, Trust: true}) }}
	q.keys("! g g space space space space space a y")
	q.arrives()
	q.shows("accepted 5 changes", "Nothing waits for you")
	q.keys("esc")
	q.elapse()
	q.hides("to review")
}

func TestQueue_HasReviewedWhatIsReadWhileAPlanAccepts(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.writes(reviewer, "safe.md", "1\n")
	q.held(robot, "safe.md", "one\n")
	q.writes(reviewer, "safe.md", "uno\n")
	q.app.cfg.Store = readingStore{q.app.cfg.Store, func(c versions.Change) { q.happens(versions.Event{Changes: []versions.Change{c}, Trust: true}) }}
	q.keys("! a b a")
	q.arrives()
	q.shows("accepted #1", "Nothing waits for you")
	q.keys("esc")
	q.elapse()
	q.hides("to review")
}

// The undo of a session is what the person did last: neither a decision nor a change before it is undone instead.
func TestUndo_TakesBackTheUndoOfASession(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	q.writes(reviewer, "mine.md", "mine\n")
	gone := func(want bool) {
		t.Helper()
		if (q.content("a.md") == "no memory") != want || (q.content("b.md") == "no memory") != want || q.content("mine.md") != "mine\n" {
			t.Errorf("a: %q, b: %q, mine: %q", q.content("a.md"), q.content("b.md"), q.content("mine.md"))
		}
	}
	q.keys("! U a")
	q.arrives()
	q.shows("undid changes of session robot (2 memories)", "^R redoes it")
	gone(true)
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: undid changes of session robot")
	gone(false)
	q.keys("ctrl+r")
	q.arrives()
	q.shows("redid #")
	gone(true)
	q.keys("u")
	q.arrives()
	q.shows("undid #")
	gone(false)
	q.keys("U a")
	q.arrives()
	gone(true)
	q.keys("ctrl+r")
	q.arrives()
	q.shows("redid")
	gone(false)
	q.keys("u") // what was redone
	q.arrives()
	gone(true)
}

func TestUndo_GoesOnBeforeTheUndoOfASessionThatIsTakenBack(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(reviewer, "mine.md", "mine\n")
	q.keys("! U a")
	q.arrives()
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: undid changes of session robot")
	q.keys("u")
	q.arrives()
	q.shows("undid #")
	if q.content("a.md") != "one\n" || q.content("mine.md") != "no memory" {
		t.Errorf("a: %q, mine: %q", q.content("a.md"), q.content("mine.md"))
	}
}

// What was undone, redone and undone again is undone like what was undone once.
func TestUndo_TakesBackWhatWasUndoneAgain(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	q.writes(reviewer, "mine.md", "mine\n")
	press := func(keys, said, a, mine string) {
		t.Helper()
		q.keys(keys)
		q.arrives()
		q.shows(said)
		if q.content("a.md") != a || q.content("b.md") != a || q.content("mine.md") != mine {
			t.Fatalf("after %s a is %q, b is %q and mine is %q", keys, q.content("a.md"), q.content("b.md"), q.content("mine.md"))
		}
	}
	press("! U a", "undid changes of session robot (2 memories)", "no memory", "mine\n")
	press("ctrl+r", " · u undoes", "one\n", "mine\n")
	q.hides("then u undoes")
	press("u", "undid", "no memory", "mine\n")
	press("ctrl+r", "redid", "one\n", "mine\n")
	press("u", "undid", "no memory", "mine\n")
	press("u", "undid your decision: undid changes of session robot", "one\n", "mine\n")
	press("ctrl+r", "redid #", "no memory", "mine\n")
	press("u", "undid #", "one\n", "mine\n")
	press("u", "undid #", "one\n", "no memory")
	press("u", "left to undo.", "one\n", "no memory")
}

// What was undone elsewhere, too, leaves the question about what was done before.
func TestUndo_AsksAboutAnEarlierSittingWhenAnUndoWasTakenBack(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	undo, err := plan.Do(t.Context(), q.versions, reviewer, plan.UndoSession(robot.Session))
	if err == nil {
		_, err = plan.Do(t.Context(), q.versions, reviewer, plan.UndoChange(undo.Number))
	}
	if err != nil {
		t.Fatal(err)
	}
	q.keys("u")
	q.shows("left to undo.")
}

// The open memory is followed to the path that an undo gives it back, and to the other one again.
func TestUndo_OfASessionFollowsTheOpenMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "first.md", "the text\n")
	q.writes(robot, "a.md", "one\n")
	c, err := q.versions.Rename(t.Context(), robot, at("first.md"), at("later.md"))
	if err != nil {
		t.Fatal(err)
	}
	q.happens(versions.Event{Changes: []versions.Change{c}})
	q.on("later.md").keys("enter")
	q.shows("the text")
	q.keys("! U a")
	q.arrives()
	q.keys("esc")
	q.shows("─ /first.md ─", "the text")
	q.hides("no such memory")
	q.keys("u")
	q.arrives()
	q.shows("─ /later.md ─", "the text")
}

// The undo of one change of somebody else is a decision, too, wherever it is made.
func TestUndo_TakesBackTheUndoOfAChangeOfSomebodyElse(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "mine.md", "mine\n")
	q.writes(robot, "a.md", "one\n")
	contents := func(a, mine string) {
		t.Helper()
		q.arrives()
		if q.content("a.md") != a || q.content("mine.md") != mine {
			t.Fatalf("a is %q and mine is %q", q.content("a.md"), q.content("mine.md"))
		}
	}
	q.on("a.md").keys("enter H")
	q.shows("history of /a.md")
	q.keys("u")
	q.shows("undid #", ": created /a.md")
	contents("no memory", "mine\n")
	q.keys("H u")
	q.shows("undid your decision: undid #", ": created /a.md")
	contents("one\n", "mine\n")
	q.keys("u")
	contents("one\n", "no memory")
	q.keys("u")
	q.shows("left to undo.")
	q.keys("esc ctrl+r")
	contents("one\n", "mine\n")

	q.writes(robot, "a.md", "two\n")
	q.writes(robot, "a.md", "three\n")
	q.on("a.md").keys("enter H j u") // a conflict is decided in a plan
	q.shows("1 to decide")
	q.keys("b a")
	contents("one\n", "mine\n")
	q.keys("H u")
	q.shows("undid your decision: undid change #")
	contents("three\n", "mine\n")
}

// The history of a memory knows what was undone of it, without the list of all changes.
func TestHistory_RedoesAChangeThatWasUndone(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.on("a.md").keys("enter H u")
	q.arrives()
	q.shows("u redo it")
	q.keys("u")
	q.arrives()
	q.shows("redid #", "u undo it")
	if got := q.content("a.md"); got != "one\n" {
		t.Errorf("the memory is %q", got)
	}
}

// What was accepted counts as reviewed, also when that was undone and redone.
func TestRedo_LeavesWhatWasAcceptedReviewed(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "new.md", "new\n")
	q.held(robot, "safe.md", "a safe line\nmore\n")
	q.keys("! space space a y")
	for _, key := range []string{"u", "ctrl+r"} {
		q.keys(key)
		q.arrives()
		q.elapse()
		q.shows("Nothing waits for you")
		q.hides("to review ")
	}
	if got := q.content("new.md") + q.content("safe.md"); got != "new\na safe line\nmore\n" {
		t.Errorf("the memories are %q", got)
	}
}

// A decision that was undone elsewhere needs no error.
func TestUndo_SaysThatADecisionIsTakenBackAlready(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "safe.md", "a safe line\nmore\n")
	q.keys("! -")
	q.shows("undid 1 hunk of /safe.md · u undoes that")
	c, err := history.Changes(t.Context(), q.versions, versions.Filter{}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), q.versions, me, plan.UndoChange(c[0].Number)); err != nil {
		t.Fatal(err)
	}
	q.arrives()
	q.keys("u")
	q.shows("your decision was undone already: undid 1 hunk of /safe.md")
	q.hides("change is undone already")
	if got := q.content("safe.md"); got != "a safe line\nmore\n" {
		t.Errorf("the memory is %q", got)
	}
}

// As the memory pane says of it.
func TestDeletion_IsRestoredFromTheTree(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "gone.md", "one\n")
	c, err := q.versions.Delete(t.Context(), robot, at("gone.md"))
	if err != nil {
		t.Fatal(err)
	}
	q.happens(versions.Event{Changes: []versions.Change{c}})
	q.on("gone.md").keys("R")
	q.arrives()
	q.shows("restored version 1 of /gone.md")
	if got := q.content("gone.md"); got != "one\n" {
		t.Errorf("the memory is %q", got)
	}
}

func TestTree_EditsTheMemoryUnderTheCursor(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.on("safe.md").keys("e")
	q.typed("more ")
	q.keys("ctrl+s")
	if got := q.content("safe.md"); got != "more a safe line\n" {
		t.Errorf("the memory is %q", got)
	}
}

// The history that the queue opens is of the memory under the cursor, also if a history is open already.
func TestQueue_OpensTheHistoryOfTheMemoryUnderTheCursor(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.held(robot, "new.md", "new\n")
	q.keys("! H")
	q.shows("/new.md has no history yet")
	q.keys("esc")
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.writes(robot, "b.md", "one\n")
	q.keys("H ! j j H")
	q.shows("history of /b.md")
}

// A message names the key's action, a colon, and why it can't run: no second colon.
func TestRefusal_HasOneColon(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(robot, "a.md", "one\n")
	q.keys("! a")
	q.shows("accept what is held…: it is done already; . keeps it, - undoes it")
}

// A memory that was created, deleted or renamed is decided as that, not as a hunk.
func TestQueue_NamesWhatIsDecidedWhole(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	q.writes(reviewer, "old.md", "text\n")
	q.keys(">")
	press := func(keys string, want ...string) {
		t.Helper()
		q.keys(keys)
		q.arrives()
		q.shows(want...)
	}
	rename := func() {
		if _, err := q.versions.Rename(t.Context(), robot, at("old.md"), at("new.md")); err != nil {
			t.Fatal(err)
		}
		q.arrives()
	}
	rename()
	press("! -", "undid the rename of /new.md · u undoes that")
	press("u", "undid your decision: undid the rename of /new.md")
	press("l .", "kept the rename of /new.md · u undoes that", "Nothing waits for you")
	for _, keys := range []string{"-", "l -"} {
		q.writes(robot, "made.md", "1\n")
		press(keys, "undid the creation of /made.md · u undoes that", "Nothing waits for you")
		if got := q.content("made.md"); got != "no memory" {
			t.Errorf("the memory is %q", got)
		}
		press("u", "undid your decision: undid the creation of /made.md")
		press(".", "kept /made.md · u undoes that")
		q.versions.Delete(t.Context(), reviewer, at("made.md"))
		q.arrives()
	}
}
