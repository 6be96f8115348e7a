package mcp

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

// changes are those of the store, oldest first.
func (w *world) changes() []versions.Change {
	w.t.Helper()
	cs, err := history.Changes(w.t.Context(), w.store, versions.Filter{}, 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(cs)
	return cs
}

// reads are those that the ledger has, oldest first.
func (w *world) reads() []versions.Activity {
	w.t.Helper()
	if err := w.trail.FlushReads(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	as, _, err := history.Activity(w.t.Context(), w.store, versions.ActivityFilter{NoWrites: true}, "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(as)
	return as
}

func TestEachConnectionIsASessionOfAnAgentOfTheClientsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one, two := w.connect("one", nil), w.connect("two", nil)
	one.must("memory", args{"command": "create", "path": "/memories/a.md", "file_text": "a\n"})
	one.must("memory", args{"command": "view", "path": "/memories/a.md"})
	two.must("memory_write", args{"path": "/memories/b.md", "content": "b\n"})
	two.must("memory_read", args{"path": "/memories/a.md"})
	two.must("memory_read", args{"path": "/memories/b.md"})
	_ = one.Close()
	w.connect("one", nil).must("memory", args{"command": "delete", "path": "/memories/a.md"})

	cs, rs := w.changes(), w.reads()
	if len(cs) != 3 || len(rs) != 3 {
		t.Fatalf("%d changes, %d reads", len(cs), len(rs))
	}
	name := func(n string) versions.Actor { return versions.Actor{Kind: versions.Agent, Name: n + " 1.2.3"} }
	for i, want := range []versions.Actor{name("one"), name("two"), name("one")} {
		if cs[i].Actor != want || cs[i].Session == "" {
			t.Errorf("change %d is by %v in session %q, want %v", i+1, cs[i].Actor, cs[i].Session, want)
		}
	}
	for i, want := range []versions.Actor{name("one"), name("two"), name("two")} {
		if rs[i].Actor != want {
			t.Errorf("read %d is by %v, want %v", i+1, rs[i].Actor, want)
		}
	}
	if cs[0].Session != rs[0].Session || cs[1].Session != rs[1].Session || cs[0].Session == cs[1].Session {
		t.Error("sessions are mixed up")
	}
	if cs[2].Session == cs[0].Session {
		t.Error("who connects again goes on with the old session")
	}
	calls := map[string]bool{}
	for _, c := range cs {
		calls[c.ToolUse] = true
	}
	for _, r := range rs {
		calls[r.ToolUse] = true
	}
	if len(calls) != 6 || calls[""] {
		t.Errorf("the calls are called %v", calls)
	}
}

func TestACallHasTheIDOfTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.connect("claude-code", nil)
	for i, id := range []string{"toolu_01AbC", "", "bad\x1b[2J", strings.Repeat("x", 300)} {
		p := &mcp.CallToolParams{Name: "memory", Arguments: args{"command": "create", "path": "/memories/" + string(rune('a'+i)), "file_text": "x"}}
		if id != "" {
			p.Meta = mcp.Meta{"claudecode/toolUseId": id}
		}
		if _, err := c.CallTool(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	cs := w.changes()
	if cs[0].ToolUse != "toolu_01AbC" {
		t.Errorf("it is called %q", cs[0].ToolUse)
	}
	for _, c := range cs[1:] {
		if !strings.HasPrefix(c.ToolUse, "mcp_") {
			t.Errorf("it is called %q", c.ToolUse)
		}
	}
}

func TestAGivenSessionOrActorAppliesToAllCalls(t *testing.T) {
	t.Parallel()
	who := versions.Actor{Kind: versions.Agent, Name: "planner"}
	w := newWorld(t, func(o *Options) { o.Session, o.Actor = "run-42", who })
	for range 2 {
		c := w.connect("one", nil)
		c.must("memory_write", args{"path": "/memories/a.md", "content": c.ID() + "x"})
		c.must("memory", args{"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "y"})
	}
	calls := map[string]bool{}
	for _, c := range w.changes() {
		if c.Session != "run-42" || c.Actor != who {
			t.Errorf("by %v in %s", c.Actor, c.Session)
		}
		calls[c.ToolUse] = true
	}
	if len(calls) != len(w.changes()) {
		t.Errorf("calls of two connections have one name: %v", calls)
	}
}

func TestNamesOfClientsAreSanitized(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"claude-code":            "claude-code 1.0",
		"\x1b]0;owned\x07evil":   "]0;ownedevil 1.0",
		"a\u202eb\u200bc\nd":     "abcd 1.0",
		"":                       "1.0",
		strings.Repeat("é", 150): strings.Repeat("é", 100),
		"\xff\xfe":               "1.0",
	} {
		if got := clientName(&mcp.Implementation{Name: in, Version: "1.0"}); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := clientName(nil); got != "mcp client" {
		t.Error(got)
	}
	if got := clientName(&mcp.Implementation{}); got != "mcp client" {
		t.Error(got)
	}
}

func TestTitlesOfClientsAreSanitizedAndBounded(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"\x1b\u202e":             "",
		"My Agent":               "My Agent 1.0",
		"\x1b]0;owned\x07My":     "]0;ownedMy 1.0",
		strings.Repeat("é", 150): strings.Repeat("é", 100),
	} {
		if got := clientTitle(&mcp.Implementation{Name: "agent", Title: in, Version: "1.0"}); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := clientTitle(nil); got != "" {
		t.Error(got)
	}
}

func TestAttachedStoresAreFoldersAndReadOnlyIsEnforced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	team := newStore(t, w.trail, "team")
	rules, _ := memfs.ParsePath("rules.md")
	if _, err := team.Write(t.Context(), alice, rules, []byte("tabs\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	w.serve(func(o *Options) {
		o.Attach = true
		o.Stores = []versions.Attachment{{Store: w.store.Info().ID}, {Store: team.Info().ID, Access: versions.ReadOnly, Instructions: "Follow them."}}
	})
	c := w.connect("one", nil)
	for _, words := range []string{"/memories/team", "writing is refused", "Follow them.", "about wiki"} {
		if !strings.Contains(c.InitializeResult().Instructions, words) {
			t.Errorf("the instructions don't say %q: %s", words, c.InitializeResult().Instructions)
		}
	}
	if text := c.must("memory", args{"command": "view", "path": "/memories/team/rules.md"}); !strings.Contains(text, "tabs") {
		t.Error(text)
	}
	c.must("memory", args{"command": "create", "path": "/memories/wiki/a.md", "file_text": "x"})
	c.must("memory_write", args{"path": "/memories/wiki/b.md", "content": "x"})
	for _, in := range []struct {
		tool string
		args args
		says string
	}{
		{"memory", args{"command": "create", "path": "/memories/team/b.md", "file_text": "x"}, "read-only"},
		{"memory", args{"command": "create", "path": "/memories/b.md", "file_text": "x"}, "attached memory stores"},
		{"memory_write", args{"path": "/memories/team/b.md", "content": "x"}, "read-only"},
		{"memory_edit", args{"path": "/memories/team/rules.md", "old_str": "tabs", "new_str": "spaces"}, "read-only"},
		{"memory_delete", args{"path": "/memories/team/rules.md"}, "read-only"},
		{"memory_write", args{"path": "/memories/b.md", "content": "x"}, "attached memory stores"},
		{"memory_read", args{"path": "/memories/other/b.md"}, "attached memory stores"},
	} {
		if text, bad := c.call(in.tool, in.args); !bad || !strings.Contains(text, in.says) {
			t.Errorf("%s %v: %v, %s", in.tool, in.args, bad, text)
		}
	}
	list := into[listOut](c, "memory_list", args{"depth": 1})
	if strings.Join(list.Folders, " ") != "/memories/team/ /memories/wiki/" || len(list.Memories) != 0 {
		t.Errorf("the root is %+v", list)
	}
	// A session that never called the memory tool is bound all the same.
	two := w.connect("two", nil)
	if text, bad := two.call("memory_write", args{"path": "/memories/team/b.md", "content": "x"}); !bad {
		t.Error("written:", text)
	}
	if _, err := history.Entry(t.Context(), team, rules); err != nil {
		t.Error(err)
	}
	found := into[searchOut](c, "memory_search", args{"query": "tabs"})
	if found.Total != 1 || found.Results[0].Path != "/memories/team/rules.md" {
		t.Errorf("found %+v", found)
	}
}

func TestServersNeedAStoreAndSeveralNeedToBeAttached(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	id := w.store.Info().ID
	for name, as := range map[string][]versions.Attachment{"none": nil, "two": {{Store: id}, {Store: id}}, "unknown": {{Store: "memstore_none"}}} {
		if s, err := New(t.Context(), Options{Trail: w.trail, Stores: as}); err == nil {
			t.Error(name, "is served")
			_ = s.Close()
		}
	}
}

// slowLog is a log that takes its time.
type slowLog struct{ strings.Builder }

func (l *slowLog) Write(b []byte) (int, error) {
	time.Sleep(20 * time.Millisecond)
	return l.Builder.Write(b)
}

// Nothing is logged after a server was closed: its log's file may be gone by then.
func TestCloseWaitsForTheLastWord(t *testing.T) {
	t.Parallel()
	var log slowLog
	w := newWorld(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	if err := w.s.Serve(t.Context(), io.NopCloser(strings.NewReader(in)), discard{}); err != nil {
		t.Fatal(err)
	}
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	if said := log.String(); !strings.Contains(said, "a client disconnected") {
		t.Errorf("%s", said)
	}
}
