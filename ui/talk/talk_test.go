package talk

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

var update = flag.Bool("update", false, "write the golden frames anew")

const here = versions.StoreID("memstore_here")

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// fakeSession is a session that delivers the events of a test and records the requests to it.
type fakeSession struct {
	asked []string
	err   error
	sub   chan []agent.Event
	idle  bool // the last request found no pending event
}

func (f *fakeSession) ID() versions.SessionID      { return "sesn_01" }
func (f *fakeSession) State() agent.State          { return agent.State{} }
func (f *fakeSession) Send(s string) error         { f.asked = append(f.asked, "send "+s); return f.err }
func (f *fakeSession) Close() error                { f.asked = append(f.asked, "close"); return f.err }
func (f *fakeSession) Stop()                       { f.asked = append(f.asked, "stop") }
func (f *fakeSession) Compact() error              { f.asked = append(f.asked, "compact"); return f.err }
func (f *fakeSession) Watch(context.Context) Watch { return f }
func (f *fakeSession) Next(context.Context) ([]agent.Event, error) {
	select {
	case b := <-f.sub:
		return b, nil
	default:
		f.idle = true
		return nil, io.EOF
	}
}

// fakeRecorded records a conversation in memory, in pages of a given number of events.
type fakeRecorded struct {
	objects [][]byte
	page    int
	reads   int
}

func (f *fakeRecorded) Read(_ versions.SessionID, from int64) ([][]byte, int64, error) {
	to := min(int(from)+f.page, len(f.objects))
	return f.objects[from:to], int64(to), nil
}

func (f *fakeRecorded) ReadBack(_ versions.SessionID, before int64) ([][]byte, int64, error) {
	f.reads++
	if before < 0 {
		before = int64(len(f.objects))
	}
	from := max(int(before)-f.page, 0)
	return f.objects[from:before], int64(from), nil
}

// sim is a view and the session that it watches.
type sim struct {
	t       testing.TB
	v       *View
	session *fakeSession
	sent    []tea.Msg
	seq     int64
	turn    int
	now     time.Time
	log     []agent.Event
}

func newSim(t testing.TB, w, h int, change ...func(*Config)) *sim {
	s := &sim{t: t, session: &fakeSession{}, now: noon}
	c := Config{ID: "sesn_01", Session: s.session, Here: here,
		Tick: func(time.Duration, func(time.Time) tea.Msg) tea.Cmd { return nil }}
	for _, f := range change {
		f(&c)
	}
	s.v = New(screentest.Env(t.Context()), c)
	s.v.SetSize(w, h)
	s.v.SetFocused(true)
	s.v.SetNow(noon)
	s.run(s.v.Start())
	s.v.watch = s.session // the test delivers the batches
	return s
}

func (s *sim) run(cmd tea.Cmd) {
	for queue := []tea.Cmd{cmd}; len(queue) > 0; {
		s.sent = append(s.sent, screentest.Requests(s.v.env)...)
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		s.session.idle = false
		msg := cmd()
		if several := screentest.Several(msg); several != nil {
			queue = append(queue, several...)
			continue
		}
		if s.session.idle {
			continue // the test delivers the events
		}
		if reply, ok := msg.(screen.Reply); ok {
			queue = append(queue, reply.Take())
		} else if msg != nil {
			s.sent = append(s.sent, msg)
		}
	}
}

// setState delivers events as one batch, numbered as a session numbers them.
func (s *sim) setState(events ...agent.Event) {
	for i := range events {
		e := &events[i]
		s.now = s.now.Add(time.Second)
		if e.Time.IsZero() {
			e.Time = s.now
		}
		if e.Kind == agent.Sent {
			s.turn++
		}
		if e.Turn == 0 {
			e.Turn = s.turn
		}
		if !e.IsLive() {
			s.seq++
		}
		e.Seq = s.seq
		e.Session = "sesn_01"
		s.log = append(s.log, *e)
	}
	s.run(s.v.batch(events, nil))
}

func (s *sim) keys(names string) {
	s.t.Helper()
	var seq []string
	for _, k := range strings.Fields(names) {
		if s.v.TakesText() {
			s.run(s.v.Update(screentest.Key(k)))
			continue
		}
		seq = append(seq, k)
		cmd, r := s.v.Press(seq, 0)
		if r == keys.None {
			s.t.Fatalf("nothing obeys %q", seq)
		}
		if r == keys.Done {
			seq = nil
			s.run(cmd)
		}
	}
}

func (s *sim) typed(text string) {
	for _, r := range text {
		s.run(s.v.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

func (s *sim) screen() string { return ansi.Strip(s.v.View()) }

func (s *sim) shows(want ...string) {
	s.t.Helper()
	if wrong := drawtest.Problem(s.v.View(), s.v.w, s.v.h); wrong != "" {
		s.t.Fatalf("%s\n%s", wrong, s.screen())
	}
	screentest.Shows(s.t, s.screen, want...)
}

func (s *sim) hides(unwanted ...string) {
	s.t.Helper()
	screentest.Hides(s.t, s.screen, unwanted...)
}

// Events of a session.

func started() agent.Event {
	set := agent.Settings{Model: "model-1", Edits: []agent.Edit{{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 60_000}}},
		Compact: agent.Compaction{Mode: agent.CompactClient, Threshold: 150_000}}
	return agent.Event{Kind: agent.Started, Model: "model-1", Settings: &set, Stores: []agent.Attachment{{Store: here, Name: "notes", Mount: "/memories", Access: "read_write"}}}
}

func prompt(s string) agent.Event { return agent.Event{Kind: agent.Prompted, Text: s} }

func sent() agent.Event {
	return agent.Event{Kind: agent.Sent, Model: "model-1", Tokens: 1200, Window: 200_000}
}

func began(i int, typ string) agent.Event {
	return agent.Event{Kind: agent.BlockBegan, Index: i, Type: typ}
}

func added(i int, typ, s string) agent.Event {
	return agent.Event{Kind: agent.Added, Index: i, Type: typ, Text: s}
}

func block(i int, raw map[string]any) agent.Event {
	b, _ := json.Marshal(raw)
	x, err := agent.ParseBlock(b)
	if err != nil {
		panic(err)
	}
	e := agent.Event{Kind: agent.BlockEnded, Index: i, Type: x.Type, Block: &x}
	if x.Type == agent.TypeToolUse {
		e.ToolUse, e.Tool = x.ID, x.Name
	}
	return e
}

func said(i int, s string) agent.Event {
	return block(i, map[string]any{"type": "text", "text": s})
}

func thinking(i int, s string) agent.Event {
	return block(i, map[string]any{"type": "thinking", "thinking": s, "signature": "c2ln"})
}

func use(i int, id, command, path string) agent.Event {
	return block(i, map[string]any{"type": "tool_use", "id": id, "name": "memory", "input": map[string]any{"command": command, "path": path}})
}

func result(id, command, path, s string, change int64) agent.Event {
	return agent.Event{Kind: agent.Answered, ToolUse: id, Tool: "memory", Command: command, Path: path, Text: s, Change: change, Store: here}
}

func replied(prompt int64, applied ...agent.AppliedEdit) agent.Event {
	return agent.Event{Kind: agent.Replied, Stop: "tool_use", Usage: &agent.Usage{Input: prompt, CacheRead: 800, Output: 74}, Applied: applied}
}

// morning is a conversation with events of every kind.
func (s *sim) morning() *sim {
	s.setState(started(), prompt("Remember what we decided about the **release**.\nKeep it short."))
	s.setState(sent(), began(0, "thinking"), added(0, "thinking", "Check memory first.\nThen write."), thinking(0, "Check memory first.\nThen write."),
		said(1, "Looking at my notes.\n\n- the plan\n- the people\n\nThen I write `plan.md`."),
		use(2, "toolu_1", "view", "/memories"), use(3, "toolu_2", "view", "/memories/plan.md"), replied(31_200))
	s.setState(result("toolu_1", "view", "/memories", "Here're the files and directories up to 2 levels deep:\n4.0K\t/memories\n1.0K\t/memories/plan.md", 0),
		agent.Event{Kind: agent.Answered, ToolUse: "toolu_2", Tool: "memory", Command: "view", Path: "/memories/plan.md", IsError: true, Text: "The path /memories/plan.md does not exist. Please provide a valid path."})
	s.setState(sent(), use(0, "toolu_3", "create", "/memories/plan.md"), replied(32_000))
	s.setState(result("toolu_3", "create", "/memories/plan.md", "File created successfully at: /memories/plan.md", 7))
	s.setState(sent(), said(0, "Done: the release is on **Friday**."),
		agent.Event{Kind: agent.Replied, Stop: "end_turn", Usage: &agent.Usage{Input: 33_000, Output: 40}}, agent.Event{Kind: agent.Idle, Reason: "end_turn"})
	return s
}

func TestFrames_MatchGoldens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 36}, {80, 24}, {40, 12}} {
		s := newSim(t, size[0], size[1], withStore).morning()
		drawtest.Golden(t, *update, fmt.Sprintf("morning-%dx%d", size[0], size[1]), s.v.View())
	}
}

// store is one memory that was written twice.
type store struct{}

func withStore(c *Config) {
	c.Store = func(context.Context, versions.StoreID) (Store, error) { return store{}, nil }
}

func (store) Change(_ context.Context, n int64) (versions.Change, []versions.Version, error) {
	return versions.Change{Number: n}, []versions.Version{{ID: "memver_2", Memory: "mem_1", Number: 2}}, nil
}

func (store) History(context.Context, versions.MemoryID, int, int) ([]versions.Version, error) {
	return []versions.Version{{ID: "memver_1"}}, nil
}

func (store) Content(_ context.Context, v versions.VersionID) ([]byte, error) {
	if v == "memver_1" {
		return []byte("# Plan\n\nThe release is on Monday.\n"), nil
	}
	return []byte("# Plan\n\nThe release is on Friday.\nTell kim.\n"), nil
}

func newRow(w int) *draw.Row { r := draw.NewRow(nil, w); return &r }

// A call that waits for a person says so, and Enter goes to it in the review queue.
func TestHeldCall_NamesItsNumberAndOpensTheQueue(t *testing.T) {
	t.Parallel()
	s := newSim(t, 100, 24)
	s.setState(started(), prompt("note it"), sent(), use(0, "toolu_1", "create", "/memories/plan.md"), replied(1000))
	held := result("toolu_1", "create", "/memories/plan.md", (&versions.HeldError{Number: 27, Path: screentest.Path("plan.md"), Rule: "hold actor:agent"}).Error(), 0)
	held.IsError = true
	s.setState(held)
	s.shows("? create /memories/plan.md", "held for review as #27")
	s.keys("]")
	s.keys("enter")
	s.run(nil)
	if q, ok := s.sent[len(s.sent)-1].(screen.Queue); !ok || q.Number != 27 {
		t.Errorf("it asks for %+v", s.sent)
	}
}

// The number of a held call is shown whatever the length of its path.
func TestHeldCall_ShowsItsNumberInFewColumns(t *testing.T) {
	t.Parallel()
	for cols, want := range map[int][]string{60: {"…emories/support/team/escalation.md held: #27"}, 40: {"escalation.md held: #27"}, 100: {"held for review as #27"}} {
		s := newSim(t, cols, 24)
		path := "/memories/support/team/escalation.md"
		s.setState(started(), prompt("note it"), sent(), use(0, "toolu_1", "str_replace", path), replied(1000))
		held := result("toolu_1", "str_replace", path, (&versions.HeldError{Number: 27, Path: screentest.Path("plan.md"), Rule: "hold actor:agent"}).Error(), 0)
		held.IsError = true
		s.setState(held)
		s.shows(want...)
	}
}

// Text that an agent or a memory holds is not taken for the number.
func TestHeldCall_IsNotWhatAMemorySays(t *testing.T) {
	t.Parallel()
	for _, ev := range []agent.Event{
		{Kind: agent.Answered, Command: "view", IsError: true, Text: "held for review as #5"},
		{Kind: agent.Answered, Command: "create", Text: "held for review as #5"},
		{Kind: agent.Answered, Command: "create", IsError: true, Text: "held for review as #"},
	} {
		if n := heldIn(ev); n != 0 {
			t.Errorf("%+v: #%d", ev, n)
		}
	}
}
