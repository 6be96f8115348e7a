package outside

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

// testdata/claude-code is what Claude Code 2.1.330 said and wrote of one run, byte for
// byte but for lines that tell of no call. It ran in /tmp/claude-run/shop against a
// scripted API, and wrote the memories that are in the folder memory.
const realMemory = "/tmp/claude-run/home/.claude/projects/-tmp-claude-run-shop/memory/"

const realSession = "2b41dc49-9d48-4eb4-9cea-702b43614c77"

// realCalls are the calls of the run, as one of its channels tells of them.
func realCalls(t *testing.T, file string) (out []Call) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "claude-code", file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r := newReader()
	if err := r.Lines(f, func(calls []Call) { out = append(out, calls...) }); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(out, func(c Call) bool {
		return c.Ended.IsZero() || c.Failed || c.Op == versions.CallRead || c.Op == versions.CallStarted
	})
}

func TestARealRun_EveryChannelHasTheTextOnDisk(t *testing.T) {
	t.Parallel()
	for _, channel := range []struct {
		file      string
		subagents bool // it says what their calls left
	}{
		{"hooks.jsonl", true}, {"transcript/session.jsonl", false}, {"stream.jsonl", false},
	} {
		t.Run(channel.file, func(t *testing.T) {
			held := map[string]string{} // what a file holds, after the calls so far
			edits := 0
			for _, c := range realCalls(t, channel.file) {
				if c.Agent != ClaudeCode || c.Session != realSession || !strings.HasPrefix(c.ToolUse, "toolu_") {
					t.Errorf("%s %s is by %s in %s", c.Tool, c.ToolUse, c.Agent, c.Session)
				}
				if c.Op != versions.CallWrote || c.Memory {
					continue
				}
				name := strings.TrimPrefix(c.Path, realMemory)
				if c.Subagent != "" && !channel.subagents {
					delete(held, name)
					continue
				}
				if was, known := held[name]; known && (c.Before == nil || *c.Before != was) {
					t.Errorf("%s %s of %s: the file held\n%s\nand not what the call before left:\n%s", c.Tool, c.ToolUse, name, text(c.Before), was)
				}
				if c.After == nil {
					t.Errorf("%s %s of %s: what it left is not known", c.Tool, c.ToolUse, name)
					continue
				}
				held[name] = *c.After
				if c.Tool == "Edit" {
					edits++
				}
			}
			if edits < 6 {
				t.Errorf("only %d edits", edits)
			}
			if !channel.subagents { // one of them changed it later
				delete(held, "refunds.md")
			}
			for name, text := range held {
				disk, err := os.ReadFile(filepath.Join("testdata", "claude-code", "memory", name))
				if err != nil {
					t.Fatal(err)
				}
				is := versions.Hash(sha256.Sum256(disk))
				if lf, crlf := sums(text); is != lf && is != crlf {
					t.Errorf("%s holds\n%s\nand not\n%s", name, disk, text)
				}
			}
		})
	}
}

func text(s *string) string {
	if s == nil {
		return "(not known)"
	}
	return *s
}

func TestARealRun_NamesSubagents(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"hooks.jsonl", "stream.jsonl", "transcript/subagents/agent-a33ca21935d6e4ab5.jsonl", "transcript/subagents/agent-a853680cc72d904be.jsonl"} {
		found := map[string]string{}
		for _, c := range realCalls(t, file) {
			found[strings.TrimPrefix(c.Path, realMemory)+" "+c.Tool] = c.Who()
		}
		for call, want := range map[string]string{"tone.md Write": "claude-code/general-purpose", "review.md Write": "claude-code/reviewer", "MEMORY.md Write": "claude-code"} {
			if who, known := found[call]; known && who != want || !known && !strings.Contains(file, "subagents") {
				t.Errorf("%s: %s by %q, not %q", file, call, who, want)
			}
		}
	}
}

// A patch shows each leading tab as two spaces.
func TestARealRun_TabsAreKept(t *testing.T) {
	t.Parallel()
	held := map[string]string{}
	for _, c := range realCalls(t, "hooks-tabs.jsonl") {
		name := filepath.Base(c.Path)
		if was, known := held[name]; c.After == nil || known && was != *c.Before {
			t.Errorf("%s of %s: %q becomes %q", c.Tool, name, text(c.Before), text(c.After))
			continue
		}
		held[name] = *c.After
	}
	for name, want := range map[string]string{"tabs.md": "\tone & two\n\t\t3 $x\nfour\n", "deep.md": "x\u2028z\n", "new.md": "created by edit\n",
		"tabs2.md": "---\nname: tabs\ndescription: \"Tabs: & others\"\nmetadata:\n  node_type: memory\n  originSessionId: 856c9e48-3a44-4cae-b390-bf811997b862\n  modified: 2026-11-22T18:03:32.085Z\n---\n\none & two\n\t\t3 $x\nfour\n\t5\n\n"} {
		if held[name] != want {
			t.Errorf("%s holds %q, not %q", name, held[name], want)
		}
	}
}

// The index that was loaded when a session started was there then, or made by it. A
// subagent that starts makes none.
func TestStartsOfSessions(t *testing.T) {
	t.Parallel()
	line := func(sidechain string) string {
		return `{"isSidechain":` + sidechain + `,"attachment":{"type":"instructions","files":[{"path":"/m/CLAUDE.md","type":"User","content":"x"},{"path":"/m/memory/MEMORY.md","type":"AutoMem","content":"- [a](a.md)"}]},"type":"attachment","timestamp":"2026-11-21T11:59:00.000Z","sessionId":"S"}`
	}
	for name, c := range map[string]struct{ line, want string }{
		"loaded":             {line("false"), "claude-code S  SessionStart start /m/memory/MEMORY.md " + sumOf("- [a](a.md)\n")},
		"by a subagent":      {line("true"), ""},
		"another attachment": {`{"attachment":{"type":"date"},"type":"attachment","sessionId":"S"}`, ""},
		"a hook": {`{"session_id":"S","transcript_path":"/m/S.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}`,
			"claude-code S  SessionStart start /m/memory/MEMORY.md"},
		"stream-json": {`{"type":"system","subtype":"init","cwd":"/w/app","session_id":"S"}`, "claude-code S  SessionStart start /c/projects/-w-app/memory/MEMORY.md"},
	} {
		r := newReader()
		r.Config = "/c"
		got := ""
		for _, call := range r.Line([]byte(c.line)) {
			got += brief(call)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
