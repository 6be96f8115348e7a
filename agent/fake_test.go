package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// fakeAPI answers request after request with what its script says.
type fakeAPI struct {
	mu     sync.Mutex
	script []step
	got    []Request
	asked  []bool // whether it was Ask
	models []Model
}

// step is one answer. Its parts are reported before the reply is returned.
type step struct {
	reply *Reply
	err   error // instead, after cut pieces of the reply
	cut   int
	after time.Duration                     // between two pieces
	hook  func(ctx context.Context, at int) // before each piece
}

func (f *fakeAPI) next(r Request, ask bool) step {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got, f.asked = append(f.got, r), append(f.asked, ask)
	if err := validRequest(r); err != nil {
		return step{err: &Failure{Type: "invalid_request_error", Status: 400, Message: err.Error()}}
	}
	if len(f.script) == 0 {
		return step{reply: says("end_turn", Usage{}, TextBlock("out of script"))}
	}
	st := f.script[0]
	f.script = f.script[1:]
	return st
}

func (f *fakeAPI) requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.got)
}

func (f *fakeAPI) Ask(ctx context.Context, r Request) (*Reply, error) {
	st := f.next(r, true)
	return st.reply, st.err
}

func (f *fakeAPI) Stream(ctx context.Context, r Request, report func(Delta)) (*Reply, error) {
	st := f.next(r, false)
	if st.reply == nil {
		return nil, st.err
	}
	part := &Reply{Model: r.Model}
	for i, d := range pieces(st.reply) {
		if st.err != nil && i == st.cut {
			return part, st.err
		}
		if st.hook != nil {
			st.hook(ctx, i)
		}
		if st.after > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(st.after):
			}
		}
		if ctx.Err() != nil {
			return part, ctx.Err()
		}
		report(d)
		if d.Kind == BlockFinished {
			part.Content = append(part.Content, d.Block)
		}
	}
	if st.err != nil {
		return part, st.err
	}
	return st.reply, nil
}

func (f *fakeAPI) Models(context.Context) ([]Model, error) {
	if f.models == nil {
		return nil, &Failure{Type: "not_found_error", Status: 404}
	}
	return f.models, nil
}

// pieces are the deltas of a reply; texts and inputs come in two.
func pieces(r *Reply) (out []Delta) {
	out = append(out, Delta{Kind: MessageStarted, Usage: r.Usage})
	for i, b := range r.Content {
		out = append(out, Delta{Kind: BlockStarted, Index: i, Type: b.Type, ID: b.ID, Name: b.Name})
		kind, text := TextAdded, b.Text
		if b.Type == TypeToolUse {
			kind, text = InputAdded, string(b.Input)
		}
		half := len(text) / 2
		for _, part := range []string{text[:half], text[half:]} {
			out = append(out, Delta{Kind: kind, Index: i, Type: b.Type, Text: part})
		}
		out = append(out, Delta{Kind: BlockFinished, Index: i, Type: b.Type, Block: b})
	}
	return out
}

// validRequest holds a conversation against the API's rules.
func validRequest(r Request) error {
	if len(r.Messages) == 0 {
		return errors.New("messages: at least one message is required")
	}
	if first := r.Messages[0]; first.Role != "user" && !r.Compacted {
		return errors.New("messages.0: must be of the user")
	}
	for i, m := range r.Messages {
		if len(m.Content) == 0 {
			return fmt.Errorf("messages.%d: empty content", i)
		}
		var uses, results []string
		for j, b := range m.Content {
			switch {
			case b.Type == TypeText && strings.TrimSpace(b.Text) == "":
				return fmt.Errorf("messages.%d: empty text", i)
			case b.Type == TypeToolUse:
				uses = append(uses, b.ID)
			case b.Type == TypeToolResult:
				results = append(results, b.ID)
				if j >= len(results) {
					return fmt.Errorf("messages.%d: a result after other content", i)
				}
			case isThinking(b) && (m.Role != "assistant" || j == len(m.Content)-1):
				return fmt.Errorf("messages.%d: the final block cannot be thinking", i)
			}
		}
		if len(results) > 0 && (i == 0 || !slices.Equal(results, useIDs(r.Messages[i-1]))) {
			return fmt.Errorf("messages.%d: results %v answer nothing", i, results)
		}
		if len(uses) > 0 && (i+1 == len(r.Messages) || !slices.Equal(uses, resultIDs(r.Messages[i+1]))) {
			return fmt.Errorf("messages.%d: tool_use %v without tool_result", i, uses)
		}
	}
	return nil
}

func useIDs(m Message) (ids []string)    { return idsOf(m, TypeToolUse) }
func resultIDs(m Message) (ids []string) { return idsOf(m, TypeToolResult) }

func idsOf(m Message, kind string) (ids []string) {
	for _, b := range m.Content {
		if b.Type == kind {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

func says(stop string, u Usage, bs ...Block) *Reply {
	return &Reply{ID: "msg_1", Model: "model-1", Content: bs, Stop: stop, Usage: u}
}

func block(raw string) Block {
	b, err := ParseBlock([]byte(raw))
	if err != nil {
		panic(err)
	}
	return b
}

func thinks(text string) Block {
	return block(fmt.Sprintf(`{"type":"thinking","thinking":%q,"signature":"c2ln","of_tomorrow":{"a": 1}}`, text))
}

func uses(id, tool, input string) Block {
	return block(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":%s}`, id, tool, input))
}

func view(id string) Block { return uses(id, "memory", `{"command":"view","path":"/memories"}`) }

func creates(id, path string) Block {
	return uses(id, "memory", fmt.Sprintf(`{"command":"create","path":%q,"file_text":"x\n"}`, path))
}

// fakeStores notes the calls and answers each with its path.
type fakeStores struct {
	mu     sync.Mutex
	calls  []string // command path by session/turn/tool_use
	by     []versions.By
	err    error
	hook   func(ctx context.Context, n int)
	closed bool
}

func (f *fakeStores) Tool(ctx context.Context, by versions.By, c memfs.Command, _ memfs.Options) (memfs.Result, versions.Change, error) {
	f.mu.Lock()
	n := len(f.calls)
	path, _ := CommandPaths(c)
	f.calls, f.by = append(f.calls, c.Name()+" "+path), append(f.by, by)
	hook, err := f.hook, f.err
	f.mu.Unlock()
	if hook != nil {
		hook(ctx, n)
	}
	if err != nil {
		return memfs.Result{}, versions.Change{}, err
	}
	if c.Name() == "view" {
		return memfs.Result{Text: "saw " + path}, versions.Change{}, nil
	}
	return memfs.Result{Text: "did " + path}, versions.Change{Number: int64(n + 1)}, nil
}

func (f *fakeStores) done() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *fakeStores) Mounts() []versions.Mount {
	return []versions.Mount{{Path: "/memories", Name: "notes", Access: versions.ReadWrite}}
}
func (f *fakeStores) Prompt() string { return "STORES" }
func (f *fakeStores) Close() error   { f.closed = true; return nil }

// fakeJournal keeps what it is given as lines, as a file would.
type fakeJournal struct {
	mu     sync.Mutex
	lines  []string
	synced int
	err    error
	closed bool
	hook   func(n int)
}

func (j *fakeJournal) Append(e Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.lines = append(j.lines, string(line))
	if j.hook != nil {
		j.hook(len(j.lines))
	}
	return nil
}

func (j *fakeJournal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.synced = len(j.lines)
	return j.err
}

func (j *fakeJournal) Close() error { j.closed = true; return nil }

func (j *fakeJournal) events(t *testing.T) (out []Event) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		var e Event
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		out = append(out, e)
	}
	return out
}

// kept gives events as a journal is read.
func kept(events []Event) func(func(Event, error) bool) {
	return func(yield func(Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// stage is a manager of fakes in a bubble of its own time.
type stage struct {
	t       *testing.T
	api     *fakeAPI
	mem     *fakeStores
	journal *fakeJournal
	manager *Manager
}

func onStage(t *testing.T, play func(*stage), script ...step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := &stage{t: t, api: &fakeAPI{script: script}, mem: &fakeStores{}, journal: &fakeJournal{}}
		st.manager = NewManager(ManagerOptions{
			API: st.api, Journal: func(versions.SessionID) (Journal, error) { return st.journal, nil },
			Settings: Settings{Model: "model-1", MaxTokens: 77, Retries: 3},
		})
		st.manager.attach = func(context.Context, versions.By, []versions.Attachment) (stores, error) { return st.mem, nil }
		st.manager.random = func() float64 { return 0 }
		play(st)
		if err := st.manager.Close(); err != nil {
			t.Error(err)
		}
		st.holds()
	})
}

// start begins a session with the manager's settings, changed.
func (st *stage) start(prompt string, change ...func(*Settings)) *Session {
	st.t.Helper()
	set := st.manager.o.Settings
	for _, c := range change {
		c(&set)
	}
	s, err := st.manager.Start(st.t.Context(), Start{Prompt: prompt, Name: "tester", Settings: set, Stores: []versions.Attachment{{Store: "memstore_1"}}})
	if err != nil {
		st.t.Fatal(err)
	}
	return s
}

// waitIdle waits until nothing goes on; time passes as it must.
func waitIdle() { time.Sleep(10 * time.Minute); synctest.Wait() }

// holds checks what must be true whatever happened: every request was valid, and
// the journal gives the history that the session has.
func (st *stage) holds() {
	st.t.Helper()
	for i, r := range st.api.requests() {
		if err := validRequest(r); err != nil {
			st.t.Errorf("request %d: %v\n%s", i+1, err, asJSON(r.Messages))
		}
	}
	var h history
	var s State
	events := st.journal.events(st.t)
	for i, e := range events {
		if e.Seq != int64(i+1) || e.Time.IsZero() || e.Session == "" || e.Actor.Name != "tester" || e.IsLive() {
			st.t.Errorf("event %d: %+v", i, e)
		}
		h.take(e)
		s.Take(e)
	}
	if !st.journal.closed || !st.mem.closed || st.journal.synced != len(events) {
		st.t.Errorf("closed %v and %v, %d of %d events on disk", st.journal.closed, st.mem.closed, st.journal.synced, len(events))
	}
	for _, x := range st.manager.Sessions() {
		if got, want := asJSON(h.messages), asJSON(x.past().messages); got != want {
			st.t.Errorf("the journal tells\n%s\nthe session has\n%s", got, want)
		}
		if len(h.unanswered()) > 0 || h.sent {
			st.t.Error("something is left open")
		}
		live := x.State()
		if s.Phase != PhaseEnded || s.Turn != live.Turn || s.Calls != live.Calls || s.Total.Total() != live.Total.Total() || !slices.Equal(s.Cleared, live.Cleared) {
			st.t.Errorf("the journal tells %+v\nthe session %+v", s, live)
		}
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// shown is a conversation in short: role:type(text|id) …
func shown(ms []Message) string {
	var out []string
	for _, m := range ms {
		var bs []string
		for _, b := range m.Content {
			switch b.Type {
			case TypeToolUse:
				bs = append(bs, "use "+b.ID)
			case TypeToolResult:
				bs = append(bs, fmt.Sprintf("%s=%s", b.ID, b.Text))
			case TypeText:
				bs = append(bs, b.Text)
			default:
				bs = append(bs, b.Type+" "+b.Text)
			}
		}
		out = append(out, m.Role[:1]+"["+strings.Join(bs, "|")+"]")
	}
	return strings.Join(out, " ")
}

func (st *stage) sent(n int, want string) {
	st.t.Helper()
	rs := st.api.requests()
	if len(rs) < n {
		st.t.Fatalf("only %d requests, want %d", len(rs), n)
	}
	if got := shown(rs[n-1].Messages); got != want {
		st.t.Errorf("request %d is\n%s, want\n%s", n, got, want)
	}
}

// kinds are those of the kept events, of some alone when they are named.
func (st *stage) kinds(of ...Kind) string {
	var out []string
	for _, e := range st.journal.events(st.t) {
		if len(of) == 0 || slices.Contains(of, e.Kind) {
			out = append(out, string(e.Kind))
		}
	}
	return strings.Join(out, " ")
}

func (st *stage) last(kind Kind) Event {
	st.t.Helper()
	events := st.journal.events(st.t)
	for _, e := range slices.Backward(events) {
		if e.Kind == kind {
			return e
		}
	}
	st.t.Fatalf("no %s among %s", kind, st.kinds())
	return Event{}
}
