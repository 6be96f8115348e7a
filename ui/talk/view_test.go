package talk

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// many delivers a long conversation: n turns of a text and a call.
func (s *sim) many(n int) {
	s.setState(started(), prompt("Go on for long."))
	for i := range n {
		id := fmt.Sprint("toolu_m", i)
		s.setState(sent(), said(0, fmt.Sprintf("This is turn number %d.", i)), use(1, id, "view", fmt.Sprintf("/memories/%d.md", i)), replied(1000),
			result(id, "view", fmt.Sprintf("/memories/%d.md", i), "some text", 0))
	}
}

func TestText_StreamsAndStaysInPlace(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.setState(started(), prompt("Write."), sent(), began(0, "text"))
	s.setState(added(0, "text", "Hel"))
	s.shows("Hel")
	s.setState(added(0, "text", "lo **wor"))
	s.shows("Hello")
	s.setState(added(0, "text", "ld**, it is me"))
	before := s.screen()
	s.setState(said(0, "Hello **world**, it is me"), replied(10))
	if got := s.screen(); strings.Split(got, "\n")[4] != strings.Split(before, "\n")[4] || !strings.Contains(got, "Hello world, it is me") {
		t.Errorf("the text jumps when it is whole:\n%s\nbefore\n%s", got, before)
	}
}

func TestThinking_IsARowUntilUnfolded(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.setState(started(), prompt("Think."), sent(), began(0, "thinking"))
	s.shows("thinking…")
	s.setState(added(0, "thinking", "first line\nsecond line"))
	s.shows("thinking… second line")
	s.setState(thinking(0, "first line\nsecond line"))
	s.shows("thought · first line")
	s.hides("second line")
	s.keys("space")
	s.shows("second line")
	s.setState(sent(), thinking(0, ""), replied(10))
	s.shows("not shown by the API")
}

func TestCall_IsShownBeforeItsInputIsComplete(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	begin := began(0, "tool_use")
	begin.ToolUse, begin.Tool = "toolu_1", "memory"
	s.setState(started(), prompt("Go."), sent(), begin, added(0, "tool_use", `{"comm`))
	s.shows("memory")
	s.setState(added(0, "tool_use", `and": "create", "pa`), added(0, "tool_use", `th": "/memories/a\u00e9.md", "file_`))
	s.shows("create /memories/aé.md")
	s.setState(use(0, "toolu_1", "create", "/memories/b.md"))
	s.shows("create /memories/b.md")
}

func TestResult_IsShownUnfoldedAndErrorsImmediately(t *testing.T) {
	t.Parallel()
	s := newSim(t, 70, 30, withStore).morning()
	s.shows("The path /memories/plan.md does", "+2 −1", "- The release is on Monday.", "+ Tell kim.")
	s.hides("4.0K")
	s.keys("[ [ [")
	s.keys("space")
	s.shows("4.0K")
	s.keys("space")
	s.hides("4.0K")
	s.keys("_")
	s.hides("Tell kim")
	s.keys("=")
	s.shows("Tell kim")
}

func TestCall_OpensItsMemoryVersionBlameAndMoment(t *testing.T) {
	t.Parallel()
	s := newSim(t, 70, 30, withStore).morning()
	s.keys("[")
	for key, want := range map[string]tea.Msg{
		"v": screen.History{Memory: "mem_1", Version: "memver_2"},
		"t": screen.Timeline{Change: 7},
	} {
		s.sent = nil
		s.keys(key)
		if len(s.sent) != 1 || s.sent[0] != want {
			t.Errorf("%s asks for %#v, want %#v", key, s.sent, want)
		}
	}
	s.sent = nil
	s.keys("enter B")
	o, isOpen := s.sent[0].(screen.Open)
	b, isBlame := s.sent[1].(screen.Blame)
	if !isOpen || o.Path.String() != "/plan.md" || o.Line != 3 || !isBlame || b.Version != "memver_2" {
		t.Errorf("enter and b ask for %#v", s.sent)
	}
	s.keys("[") // a call that failed
	if why := s.v.changeDisabled(); why == "" {
		t.Error("a call that changed nothing has a version")
	}
}

func TestCallOfAFolder_SaysWhichCallsCanBeOpened(t *testing.T) {
	t.Parallel()
	s := newSim(t, 70, 20, withStore).morning()
	s.keys("g g ]")
	s.sent = nil
	s.keys("enter")
	if r, ok := s.sent[0].(keys.Refused); !ok || !strings.Contains(r.Why, "about a folder") || !strings.Contains(r.Why, "] and [") {
		t.Errorf("enter says %#v", s.sent)
	}
}

func TestCallInAnotherStore_CanNotBeOpened(t *testing.T) {
	t.Parallel()
	s := newSim(t, 70, 20, withStore)
	r := result("toolu_1", "create", "/memories/other/a.md", "ok", 3)
	r.Store = "memstore_other"
	s.setState(started(), prompt("Go."), sent(), use(0, "toolu_1", "create", "/memories/other/a.md"), replied(10), r)
	s.keys("[ [")
	if why := s.v.memoryDisabled(); !strings.Contains(why, "another store") {
		t.Errorf("it is refused because %q", why)
	}
}

func TestClearedResults_AreDimAndLabelled(t *testing.T) {
	t.Parallel()
	s := newSim(t, 100, 30)
	s.setState(started(), prompt("Go."))
	for i := range 4 {
		id := fmt.Sprint("toolu_", i)
		s.setState(sent(), use(0, id, "view", fmt.Sprint("/memories/", i)), replied(1000), result(id, "view", fmt.Sprint("/memories/", i), "text", 0))
	}
	edit := agent.AppliedEdit{Type: agent.ClearToolUses, ToolUses: 2, InputTokens: 50_000}
	s.setState(sent(), said(0, "Now some are gone."), replied(500, edit))
	s.shows("cleared 2 tool results, −50,000 tokens")
	if n := strings.Count(s.screen(), "≈ no longer visible to the model"); n != 2 {
		t.Errorf("%d calls are marked:\n%s", n, s.screen())
	}
	s.setState(sent(), said(0, "Still."), replied(500, edit)) // the same numbers again add no note
	if n := strings.Count(s.screen(), "cleared 2 tool results"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, s.screen())
	}
	s.setState(sent(), said(0, "Unknown."), replied(500, agent.AppliedEdit{Type: "clear_dreams_20270101", InputTokens: 7}))
	s.shows("cleared by clear_dreams_20270101, −7 tokens")
	s.hides("no longer visible")
}

func TestScriptedModel_ShowsNoEstimate(t *testing.T) {
	t.Parallel()
	s := newSim(t, 100, 30)
	begin := started()
	begin.Simulated = true
	s.setState(begin, prompt("Go."), sent(), use(0, "toolu_1", "view", "/memories/a"), replied(1000), result("toolu_1", "view", "/memories/a", "text", 0))
	s.setState(sent(), said(0, "Gone."), replied(500, agent.AppliedEdit{Type: agent.ClearToolUses, ToolUses: 1, InputTokens: 9}))
	s.shows(" no longer visible to the model")
	s.hides("≈ no longer")
}

func TestCompaction_IsSummarizedAndHidesEarlierBlocks(t *testing.T) {
	t.Parallel()
	s := newSim(t, 100, 40)
	s.setState(started(), prompt("Go."), sent(), use(0, "toolu_1", "view", "/memories/a"), replied(150_000), result("toolu_1", "view", "/memories/a", "text", 0))
	s.setState(agent.Event{Kind: agent.Compacting, Compacted: &agent.Compacted{Mode: agent.CompactClient, Before: 152_300}})
	s.shows("compacting… 152,300 tokens")
	s.setState(agent.Event{Kind: agent.CompactedNow, Compacted: &agent.Compacted{Mode: agent.CompactClient, Before: 152_300, After: 3100, Messages: 84, Summary: "<summary>\nWhat **matters** is Friday.\n</summary>"}})
	s.shows("compacted 152,300 → 3,100 tokens · 84 messages", "summed up")
	s.hides("What matters")
	s.keys("G space")
	s.shows("What matters is Friday.")
	s.hides("summary>")
}

func TestFailedCompaction_KeepsEverythingVisible(t *testing.T) {
	t.Parallel()
	s := newSim(t, 100, 40)
	s.setState(started(), prompt("Go."), sent(), said(0, "Hello."), replied(150_000))
	s.setState(agent.Event{Kind: agent.Compacting, Compacted: &agent.Compacted{Before: 152_300}},
		agent.Event{Kind: agent.CompactedNow, Compacted: &agent.Compacted{Before: 152_300}, Failure: &agent.Failure{Type: "api_error", Message: "no summary"}})
	s.shows("nothing was compacted", "no summary")
	if s.v.blocks.summed != 0 {
		t.Error("blocks count as summed up")
	}
}

func TestRetry_CountsDownAndDiscardsTheTurn(t *testing.T) {
	t.Parallel()
	s := newSim(t, 80, 20)
	s.setState(started(), prompt("Go."), sent(), began(0, "text"), added(0, "text", "half an ans"))
	fail := &agent.Failure{Type: "overloaded_error", Status: 529, Message: "Overloaded"}
	s.setState(agent.Event{Kind: agent.Retrying, Failure: fail, Attempt: 1, Wait: agent.Millis(4 * time.Second)})
	s.shows("again in 4 s", "Overloaded")
	s.hides("half an ans")
	s.run(s.v.ticked(s.now.Add(3 * time.Second)))
	s.shows("again in 1 s")
	s.setState(began(0, "text"), added(0, "text", "a whole answer"))
	s.shows("tried again", "a whole answer")
	s.hides("again in")
}

func TestTicks_RunOnlyWhileSomethingIsPending(t *testing.T) {
	t.Parallel()
	ticks := 0
	s := newSim(t, 80, 20, func(c *Config) {
		c.Tick = func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { ticks++; return nil }
	})
	s.setState(started())
	if ticks != 0 {
		t.Fatal("it ticks while nobody does anything")
	}
	s.setState(prompt("Go."), sent())
	s.setState(began(0, "text"))
	if ticks != 1 {
		t.Fatalf("%d ticks were asked for, want one until it comes", ticks)
	}
	s.run(s.v.ticked(s.now))
	if ticks != 2 {
		t.Fatalf("%d ticks, want another one", ticks)
	}
	s.setState(said(0, "Done."), replied(10), agent.Event{Kind: agent.Idle, Reason: "end_turn"})
	s.run(s.v.ticked(s.now))
	if ticks != 2 {
		t.Error("it ticks on after the end")
	}
}

func TestFailure_ShowsAHint(t *testing.T) {
	t.Parallel()
	for f, want := range map[*agent.Failure]string{
		{Type: "authentication_error", Status: 401, Message: "bad key"}: "ANTHROPIC_API_KEY",
		{Type: "not_found_error", Status: 404, Message: "model: x"}:     "check the model",
		{Type: "cut", Message: agent.ErrCut.Error()}:                    "prompt again",
		{Type: "connection", Message: "dial tcp: refused"}:              "ANTHROPIC_BASE_URL",
		{Type: "of tomorrow", Message: "new"}:                           "prompt again",
	} {
		for _, reason := range []string{f.Message, f.Error()} {
			s := newSim(t, 110, 20)
			s.setState(started(), prompt("Go."), sent(), began(0, "tool_use"), agent.Event{Kind: agent.Broken, Failure: f}, agent.Event{Kind: agent.Idle, Reason: reason})
			s.shows(f.Message, want, "failed")
			if n := strings.Count(s.screen(), f.Message); n != 1 {
				t.Errorf("%s is told %d times:\n%s", f.Type, n, s.screen())
			}
		}
	}
}

func TestStoppedTurn_KeepsItsTextAndDropsTheRest(t *testing.T) {
	t.Parallel()
	s := newSim(t, 80, 20)
	s.setState(started(), prompt("Go."), sent(), began(0, "text"), added(0, "text", "Half a text"), began(1, "tool_use"))
	s.keys("x")
	if !slices.Equal(s.session.asked, []string{"stop"}) {
		t.Fatalf("the session was asked %q", s.session.asked)
	}
	s.setState(agent.Event{Kind: agent.Broken, Failure: &agent.Failure{Type: "cancelled", Message: "stopped"}, Text: "Half a text"}, agent.Event{Kind: agent.Idle, Reason: "stopped"})
	s.shows("Half a text", "stopped", "your turn")
	if n := strings.Count(s.screen(), "Half a text"); n != 1 {
		t.Errorf("the text shows %d times", n)
	}
	for _, it := range s.v.blocks.items {
		if it.kind == callItem || it.open {
			t.Error("something unfinished is left")
		}
	}
}

func TestRecordedStoppedTurn_ShowsItsText(t *testing.T) {
	t.Parallel()
	s := newSim(t, 80, 20) // pieces are not recorded
	s.setState(started(), prompt("Go."), sent(), agent.Event{Kind: agent.Broken, Failure: &agent.Failure{Type: "cancelled", Message: "stopped"}, Text: "Half a text"})
	s.shows("Half a text")
}

func TestPrompt_IsSentAndRecalled(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.keys("i")
	s.typed("first")
	s.keys("alt+enter")
	s.typed("line")
	s.shows("> first", "  line")
	s.keys("enter")
	if !slices.Equal(s.session.asked, []string{"send first\nline"}) {
		t.Fatalf("the session was asked %q", s.session.asked)
	}
	s.typed("other")
	s.keys("up")
	s.shows("> first")
	s.keys("down down")
	s.shows("> other")
	s.session.err = errors.New("the session has ended")
	s.keys("enter")
	s.shows("> other") // refused, but not lost
	if n, ok := s.sent[len(s.sent)-1].(screen.Notice); !ok || !strings.Contains(n.Text, "ended") {
		t.Errorf("the person is told %#v", s.sent)
	}
}

// A key that another pane would get is not shown.
func TestStatus_ShowsKeysOnlyWithFocus(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.setState(started(), prompt("Go."), sent())
	s.keys("i")
	s.v.SetFocused(false)
	s.hides("^X stops")
	s.v.SetFocused(true)
	s.shows("^X stops")
}

func TestPrompt_EscLeavesAndOnlyCtrlXStopsTheAgent(t *testing.T) {
	t.Parallel()
	for _, leave := range []string{"esc", "ctrl+c"} {
		s := newSim(t, 60, 20)
		s.setState(started(), prompt("Go."), sent())
		s.keys("i")
		s.shows("^X stops")
		s.keys(leave)
		if s.v.TakesText() || len(s.session.asked) > 0 {
			t.Errorf("%s: the field is left: %v, the agent is asked %q", leave, !s.v.TakesText(), s.session.asked)
		}
		s.keys("i ctrl+x")
		if !s.v.TakesText() || !slices.Equal(s.session.asked, []string{"stop"}) {
			t.Errorf("Ctrl+X asks %q", s.session.asked)
		}
	}
}

func TestPaste_KeepsLinesInThePrompt(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.keys("i")
	s.run(s.v.Update(tea.PasteMsg{Content: "one\r\ntwo\x1b[31m\tthree\x00"}))
	if got := s.v.Unsent(); got != "one\ntwo[31m\tthree" {
		t.Errorf("it holds %q", got)
	}
	s.shows("one", "two")
}

func TestWindow_FollowsUntilScrolledAndCountsNewRows(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.many(20)
	s.shows("turn number 19")
	s.keys("pgup pgup")
	top := strings.Split(s.screen(), "\n")[0]
	s.setState(sent(), said(0, "One more line.\n\nAnd another."), replied(10))
	s.shows("new lines ↓ G")
	if got := strings.Split(s.screen(), "\n")[0]; got != top {
		t.Errorf("the window moved: %q, was %q", got, top)
	}
	if s.v.blocks.unseen != 4 { // a gap, two lines and the empty line between them
		t.Errorf("%d lines are counted", s.v.blocks.unseen)
	}
	s.keys("G")
	s.shows("And another.")
	s.hides("new lines")
}

func TestJumps_GoFromCallToCallAndCountsRepeatThem(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.many(20)
	s.keys("[")
	if c := s.v.blocks.call(); c == nil || c.path != "/memories/19.md" && c.path != "/memories/18.md" {
		t.Fatalf("the call before is %v", c)
	}
	at := s.v.blocks.call().path
	cmd, _ := s.v.Press([]string{"["}, 5)
	s.run(cmd)
	if got := s.v.blocks.call().path; got == at {
		t.Error("five back is here")
	}
	var was, now int
	fmt.Sscanf(at, "/memories/%d.md", &was)
	fmt.Sscanf(s.v.blocks.call().path, "/memories/%d.md", &now)
	if was-now != 5 {
		t.Errorf("five calls back from %d is %d", was, now)
	}
	s.shows(fmt.Sprintf("view /memories/%d.md", now))
}

func TestFind_FindsTextOfTheConversation(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.many(40)
	s.keys("/")
	s.typed("number 7.")
	s.keys("enter")
	s.shows("This is turn number 7.")
	s.keys("/")
	s.keys("esc")
	s.keys("g g /")
	s.typed("number 1")
	s.keys("enter n")
	first := s.v.blocks.cur
	s.keys("N")
	if s.v.blocks.cur == first {
		t.Error("N goes nowhere")
	}
}

func TestFind_GoesToTheLine(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	long := func(what string, lines int) string {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "%s %d is one of many, and so long that it is wrapped at this width.\n\n", what, i)
		}
		return b.String()
	}
	s.setState(started(), prompt("Go on."), sent(), said(0, long("Paragraph", 40)), use(1, "toolu_1", "view", "/memories/a.md"), replied(1000),
		result("toolu_1", "view", "/memories/a.md", long("Result", 40), 0))
	at := func(what string) {
		t.Helper()
		s.shows(what)
	}
	s.keys("/")
	s.typed("paragraph 20 ")
	at("Paragraph 20 is one of")
	s.hides("Paragraph 0 ", "Paragraph 39")
	s.keys("esc G /")
	s.typed("0 is one of")
	s.keys("enter")
	at("Paragraph 30 ") // the nearest above
	s.keys("n")
	at("Result 0 ") // in a folded block too
	s.keys("N N N")
	at("Paragraph 10 ")
	s.keys("N N N") // and wrap around
	at("Result 20 ")
	s.keys("/")
	s.typed("zzz")
	at("nothing found")
	s.keys("backspace backspace backspace")
	s.hides("nothing found")
}

// Older blocks that are read during a search move the match that the next key continues from.
func TestFind_GoesOnAfterOlderBlocksCame(t *testing.T) {
	t.Parallel()
	live := newSim(t, 60, 14)
	live.many(60)
	s := newSim(t, 60, 14, func(c *Config) { c.Session, c.Recorded = nil, recordedOf(live.log, 60) })
	first := s.v.blocks.items[0]
	s.keys("/")
	s.typed("turn number")
	s.keys("enter N")
	for s.v.blocks.items[0] == first {
		s.keys("N")
	}
	was := s.v.blocks.items[s.v.blocks.cur]
	s.keys("n")
	if s.v.blocks.items[s.v.blocks.cur] == was {
		t.Error("n stays where it is")
	}
}

func TestTheme_KeepsTheMarksOfASearch(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.many(3)
	s.keys("/")
	s.typed("number 2")
	want := s.v.View()
	s.v.SetTheme(s.v.env.Theme)
	if got := s.v.View(); got != want {
		t.Errorf("%q\nwas\n%q", got, want)
	}
}

// The field goes with the session, so nobody types into one that is not drawn.
func TestSessionThatEnds_TakesTheFocusOutOfTheField(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.setState(started(), prompt("Go."))
	s.keys("i")
	s.typed("half a pro")
	s.setState(agent.Event{Kind: agent.Ended})
	if s.v.TakesText() || s.v.Unsent() != "half a pro" {
		t.Errorf("keys are text: %v; it holds %q", s.v.TakesText(), s.v.Unsent())
	}
}

func TestRepeatedEvents_AreIgnored(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	s.setState(started(), prompt("Only once."))
	again := slices.Clone(s.log)
	s.run(s.v.batch(again, nil))
	if n := strings.Count(s.screen(), "Only once."); n != 1 {
		t.Errorf("the prompt shows %d times", n)
	}
}

func TestGauge_MarksAreVisibleWithoutColour(t *testing.T) {
	t.Parallel()
	s := newSim(t, 110, 20)
	s.setState(started(), prompt("Go."), sent(), said(0, "Hello."), replied(99_200))
	s.shows("100k/200k", "t clears at 60k", "c compacts at 150k", "in 99.2k", "cache 800 read")
	s.v.SetTheme(s.v.env.Theme.WithLines(theme.ASCII))
	s.shows("[#####", "...")
	bar := s.screen()[strings.Index(s.screen(), "["):]
	bar = bar[:strings.Index(bar, "]")+1]
	if strings.Count(bar, "t") != 1 || strings.Count(bar, "c") != 1 || strings.Index(bar, "t") > strings.Index(bar, "c") {
		t.Errorf("the bar is %q", bar)
	}
}

// The text of this conversation is ASCII, so everything drawn around it must be too.
func TestASCII_ConversationsDrawOnlyASCII(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 60}, {80, 24}, {40, 12}} {
		for _, keys := range []string{"", "g g", "g g = =", "g g _", "i", "G"} {
			s := newSim(t, size[0], size[1], withStore).morning()
			s.setState(prompt("Again."), sent(), began(0, "thinking"), added(0, "thinking", "Hm."))
			s.v.SetTheme(s.v.env.Theme.WithLines(theme.ASCII))
			s.keys(keys)
			for _, row := range strings.Split(s.screen(), "\n") {
				if strings.ContainsFunc(row, func(r rune) bool { return r > '~' }) {
					t.Errorf("%q, %dx%d: %s", keys, size[0], size[1], row)
				}
			}
		}
	}
}

func TestGauge_ShowsBothMarksWhereverTheyAre(t *testing.T) {
	t.Parallel()
	th := theme.New(true, theme.Mono)
	for trigger := int64(0); trigger <= 1000; trigger += 37 {
		for threshold := int64(0); threshold <= 1000; threshold += 41 {
			for w := 6; w < 30; w += 5 {
				g := gauge{prompt: 500, trigger: trigger, threshold: threshold, window: 1000}
				p := newRow(w)
				g.append(p, w, true, th)
				used := p.Used
				bar := string(p.End())
				if trigger > 0 && !strings.Contains(bar, "t") || threshold > 0 && !strings.Contains(bar, "c") || used != w {
					t.Fatalf("trigger %d, threshold %d, %d columns: %q", trigger, threshold, w, bar)
				}
			}
		}
	}
}

func TestEverySize_HasAFrame(t *testing.T) {
	t.Parallel()
	for _, typing := range []bool{false, true} {
		s := newSim(t, 80, 24, withStore).morning()
		s.setState(prompt("Again."), sent(), began(0, "thinking"), added(0, "thinking", "Hm."))
		if typing {
			s.keys("i")
			s.typed("some text that is long enough to be wrapped in a narrow field")
		} else {
			s.keys("g g = =")
		}
		for w := 0; w < 130; w += 1 + min(w/4, 3) {
			for h := 0; h < 40; h += 1 + min(h/4, 2) {
				s.v.SetSize(w, h)
				if wrong := drawtest.Problem(s.v.View(), w, h); wrong != "" {
					t.Fatalf("typing %v, %dx%d: %s", typing, w, h, wrong)
				}
				if x, y, ok := s.v.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
					t.Fatalf("%dx%d: the cursor is at %d,%d", w, h, x, y)
				}
			}
		}
	}
}

// hostile are strings that a model should not send.
var hostile = []string{"\x1b[31mred", "\x1b]52;c;AAAA\x07", "\u009b2J", "\u202eevil", "\u200b", "\xff\xfe", "e\u0301", "👩‍👩‍👧", "\r\n", "\t", "佐藤", "\x00", "\x1b", "[2J", "\U000e0041", "**", "```\n", "| a | b |\n|--|--|\n", "<!-- x -->", "\n\n", strings.Repeat("x", 300)}

var noiseSeeds = flag.Uint64("noise.seeds", 4, "how many conversations of noise are drawn")

func TestModelOutput_NeverReachesTheTerminal(t *testing.T) {
	t.Parallel()
	for seed := range *noiseSeeds {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newSim(t, 20+r.IntN(100), 6+r.IntN(30))
		noise := func() string {
			var b strings.Builder
			for range 1 + r.IntN(6) {
				b.WriteString(hostile[r.IntN(len(hostile))])
			}
			return b.String()
		}
		s.setState(started(), prompt(noise()))
		for turn := range 6 {
			s.setState(sent())
			i := 0
			for _, typ := range []string{"text", "thinking", "tool_use"} {
				if r.IntN(3) == 0 {
					continue
				}
				s.setState(began(i, typ))
				for rest := noise() + noise(); rest != ""; { // split anywhere
					n := min(1+r.IntN(4), len(rest))
					s.setState(added(i, typ, rest[:n]))
					if wrong := drawtest.Problem(s.v.View(), s.v.w, s.v.h); wrong != "" {
						t.Fatalf("seed %d: %s", seed, wrong)
					}
					rest = rest[n:]
				}
				i++
			}
			id := fmt.Sprint(noise(), turn)
			s.setState(use(i, id, noise(), noise()), replied(10, agent.AppliedEdit{Type: noise(), InputTokens: 3}))
			bad := result(id, noise(), noise(), noise(), 0)
			bad.IsError = r.IntN(2) == 0
			s.setState(bad, agent.Event{Kind: agent.Retrying, Failure: &agent.Failure{Type: noise(), Message: noise()}, Wait: agent.Millis(time.Second)})
			s.setState(agent.Event{Kind: agent.Broken, Failure: &agent.Failure{Type: noise(), Message: noise()}, Text: noise()})
			s.setState(agent.Event{Kind: agent.CompactedNow, Compacted: &agent.Compacted{Before: 9, Summary: noise()}}, agent.Event{Kind: agent.Idle, Reason: noise()})
			for _, k := range []string{"=", "_", "=", "g g", "G"} {
				s.keys(k)
				if wrong := drawtest.Problem(s.v.View(), s.v.w, s.v.h); wrong != "" {
					t.Fatalf("seed %d, after %s: %s", seed, k, wrong)
				}
			}
		}
	}
}

// A paste that is too large for a prompt is refused with a message, not dropped.
func TestPrompt_TooLargeAPasteIsRefusedAloud(t *testing.T) {
	t.Parallel()
	s := newSim(t, 80, 20)
	s.setState(started())
	s.keys("i")
	s.typed("before ")
	s.run(s.v.Update(tea.PasteMsg{Content: strings.Repeat("x", maxPrompt)}))
	if said := fmt.Sprintf("%+v", s.sent); !strings.Contains(said, "a prompt has at most 256K") {
		t.Errorf("it says %s", said)
	}
	if s.v.field.value != "before " {
		t.Errorf("the field holds %d bytes", len(s.v.field.value))
	}
}

func TestLongDiff_CountsHiddenRows(t *testing.T) {
	t.Parallel()
	d := compare(nil, []byte(strings.Repeat("a line\n", 250)))
	th := theme.New(true, theme.Mono)
	if got := string(d.append(nil, briefRows, 60, brief, th, nil)); !strings.Contains(got, "242 more rows") {
		t.Errorf("eight of 250 rows and then %q", got)
	}
	if got := string(d.append(nil, maxRows, 60, open, th, nil)); !strings.Contains(got, "50 more rows") || d.height(open, 60) != maxRows+1 {
		t.Errorf("200 of 250 rows and then %q", got)
	}
	if d.added != 250 || d.line != 1 {
		t.Errorf("it counts +%d, from line %d", d.added, d.line)
	}
}
