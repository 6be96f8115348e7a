package outside

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newReader() *Reader {
	return &Reader{Now: func() time.Time { return noon }, Session: "sesn_own", Agent: "agent"}
}

// brief is a call in one line, for comparing.
func brief(c Call) string {
	s := fmt.Sprintf("%s %s %s %s %s %s", c.Who(), c.Session, c.ToolUse, c.Tool, c.Op, c.Path)
	if c.From != "" {
		s += " from " + c.From
	}
	if c.Memory {
		s += " of the memory tool"
	}
	if c.Ended.IsZero() {
		s += " begins"
	}
	if c.Failed {
		s += " failed: " + c.Text
	}
	if c.After != nil {
		s += " " + sumOf(*c.After)
	}
	return s
}

func sumOf(text string) string {
	h := versions.Hash(sha256.Sum256([]byte(text)))
	return h.String()[:8]
}

// hook is what Claude Code tells a hook of a call.
func hook(event, tool, input, response string) string {
	return `{"session_id":"H","transcript_path":"/t.jsonl","cwd":"/w","permission_mode":"default","hook_event_name":"` + event + `","tool_name":"` + tool +
		`","tool_input":` + input + `,"tool_response":` + response + `,"tool_use_id":"toolu_1","duration_ms":7}`
}

// said and answered are lines of a transcript.
func asked(session, id, tool, input string) string {
	return `{"parentUuid":"p","isSidechain":false,"userType":"external","cwd":"/w","sessionId":"` + session + `","version":"2.1.300","gitBranch":"main","type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"` +
		id + `","name":"` + tool + `","input":` + input + `}],"usage":{"input_tokens":5}},"uuid":"u","timestamp":"2026-11-21T10:00:02.000Z"}`
}

func answered(session, id, result, more string) string {
	return `{"parentUuid":"p","isSidechain":false,"cwd":"/w","sessionId":"` + session + `","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `",` + result + `}]},` + more +
		`"uuid":"v","timestamp":"2026-11-21T10:00:03.250Z"}`
}

func TestReader(t *testing.T) {
	t.Parallel()
	const write = `{"file_path":"/m/a.md","content":"new\n"}`
	const edit = `{"file_path":"/m/a.md","old_string":"b","new_string":"x"}`
	for name, c := range map[string]struct {
		lines []string
		want  []string
	}{
		"a hook that tells of a write": {[]string{hook("PostToolUse", "Write", write, `{"type":"create","filePath":"/m/a.md","content":"new\n","structuredPatch":[],"originalFile":null}`)},
			[]string{"claude-code H toolu_1 Write write /m/a.md " + sumOf("new\n")}},
		"a write that the person changed before it was made": {[]string{hook("PostToolUse", "Write", write, `{"type":"create","filePath":"/m/a.md","content":"other\n","userModified":true}`)},
			[]string{"claude-code H toolu_1 Write write /m/a.md " + sumOf("other\n")}},
		"a write that was put aside to be looked at": {[]string{hook("PostToolUse", "Write", write, `{"type":"create","filePath":"/m/a.md","content":"new\n","staged":true}`)}, nil},
		"an edit of a text that is told": {[]string{hook("PostToolUse", "Edit", edit, `{"filePath":"/m/a.md","oldString":"b","newString":"x","originalFile":"abcb","replaceAll":false}`)},
			[]string{"claude-code H toolu_1 Edit write /m/a.md " + sumOf("axcb")}},
		"an edit of all occurrences": {[]string{hook("PostToolUse", "Edit", edit, `{"oldString":"b","newString":"x","originalFile":"abcb","replaceAll":true}`)},
			[]string{"claude-code H toolu_1 Edit write /m/a.md " + sumOf("axcx")}},
		"an edit of a text that is not told": {[]string{hook("PostToolUse", "Edit", edit, `{"oldString":"b","newString":"x","originalFile":null}`)},
			[]string{"claude-code H toolu_1 Edit write /m/a.md"}},
		"an edit that does not fit the text":           {[]string{hook("PostToolUse", "Edit", edit, `{"oldString":"zz","newString":"x","originalFile":"abcb"}`)}, []string{"claude-code H toolu_1 Edit write /m/a.md"}},
		"an edit that makes the file":                  {[]string{hook("PostToolUse", "Edit", `{"file_path":"/m/a.md","old_string":"","new_string":"x"}`, `{"originalFile":null}`)}, []string{"claude-code H toolu_1 Edit write /m/a.md " + sumOf("x")}},
		"several edits":                                {[]string{hook("PostToolUse", "MultiEdit", `{"file_path":"/m/a.md","edits":[{"old_string":"a","new_string":"b"},{"old_string":"b","new_string":"c","replace_all":true}]}`, `{"originalFileContents":"ab"}`)}, []string{"claude-code H toolu_1 MultiEdit write /m/a.md " + sumOf("cc")}},
		"a notebook":                                   {[]string{hook("PostToolUse", "NotebookEdit", `{"notebook_path":"/m/a.ipynb","new_source":"x"}`, `{"updated_file":"{}"}`)}, []string{"claude-code H toolu_1 NotebookEdit write /m/a.ipynb " + sumOf("{}")}},
		"a notebook that could not be changed":         {[]string{hook("PostToolUse", "NotebookEdit", `{"notebook_path":"/m/a.ipynb","new_source":"x"}`, `{"error":"no such cell"}`)}, []string{"claude-code H toolu_1 NotebookEdit write /m/a.ipynb failed: "}},
		"a read":                                       {[]string{hook("PostToolUse", "Read", `{"file_path":"/m/a.md"}`, `{"type":"text"}`)}, []string{"claude-code H toolu_1 Read read /m/a.md"}},
		"a call that begins":                           {[]string{hook("PreToolUse", "Write", write, `null`)}, []string{"claude-code H toolu_1 Write write /m/a.md begins"}},
		"a read that begins":                           {[]string{hook("PreToolUse", "Read", `{"file_path":"/m/a.md"}`, `null`)}, nil},
		"a call that failed":                           {[]string{hook("PostToolUseFailure", "Write", write, `null`)}, []string{"claude-code H toolu_1 Write write /m/a.md failed: "}},
		"a response that is a text":                    {[]string{hook("PostToolUse", "Write", write, `"done"`)}, []string{"claude-code H toolu_1 Write write /m/a.md " + sumOf("new\n")}},
		"hooks of other things, and of unknown events": {[]string{`{"hook_event_name":"SessionStart","session_id":"H"}`, `{"hook_event_name":"PostCompact","compact_summary":"…"}`, `{"hook_event_name":"FileChanged","file_path":"/m/a.md","event":"change"}`, `{"hook_event_name":"NewThing"}`}, nil},
		"a transcript": {[]string{asked("S", "t1", "Write", write), answered("S", "t1", `"content":"File created"`, `"toolUseResult":{"type":"create","content":"new\n"},`)},
			[]string{"claude-code S t1 Write write /m/a.md " + sumOf("new\n")}},
		"a transcript in which it failed": {[]string{asked("S", "t1", "Edit", edit), answered("S", "t1", `"is_error":true,"content":[{"type":"text","text":"String not found"}]`, `"toolUseResult":"Error: String not found",`)},
			[]string{"claude-code S t1 Edit write /m/a.md failed: String not found"}},
		"a result without its call": {[]string{answered("S", "t1", `"content":"x"`, "")}, nil},
		"a call that has no result": {[]string{asked("S", "t1", "Write", write)}, nil},
		"one message on several lines": {[]string{asked("S", "t1", "Write", write), asked("S", "t2", "Read", `{"file_path":"/m/b.md"}`), answered("S", "t2", `"content":"x"`, ""), answered("S", "t1", `"content":"x"`, "")},
			[]string{"claude-code S t2 Read read /m/b.md", "claude-code S t1 Write write /m/a.md " + sumOf("new\n")}},
		"several results on a line, of which what is said beside is nobody's": {[]string{asked("S", "t1", "Edit", edit), asked("S", "t2", "Edit", edit),
			`{"type":"user","sessionId":"S","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":""},{"type":"tool_result","tool_use_id":"t2","content":""}]},"toolUseResult":{"originalFile":"b"}}`},
			[]string{"claude-code S t1 Edit write /m/a.md", "claude-code S t2 Edit write /m/a.md"}},
		"stream-json": {[]string{`{"type":"system","subtype":"init","session_id":"J","tools":[]}`,
			`{"type":"assistant","session_id":"J","message":{"content":[{"type":"text","text":"I write."},{"type":"tool_use","id":"t1","name":"Edit","input":` + edit + `}]}}`,
			`{"type":"user","session_id":"J","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"tool_use_result":{"originalFile":"b"}}`, `{"type":"result","subtype":"success","session_id":"J"}`},
			[]string{"claude-code J t1 Edit write /m/a.md " + sumOf("x")}},
		"memories that were recalled": {[]string{`{"type":"system","subtype":"memory_recall","mode":"select","session_id":"J","memories":[{"path":"/m/a.md","scope":"personal"},{"path":"/m/b.md","scope":"team"}]}`},
			[]string{"claude-code J  memory_recall read /m/a.md", "claude-code J  memory_recall read /m/b.md"}},
		"blocks by themselves": {[]string{`{"type":"tool_use","id":"t1","name":"memory","input":{"command":"create","path":"/memories/a.md","file_text":"x"}}`, `{"type":"tool_result","tool_use_id":"t1","content":"ok"}`},
			[]string{"agent sesn_own t1 memory write /memories/a.md of the memory tool " + sumOf("x")}},
		"all commands of the memory tool": {[]string{
			`{"type":"tool_use","id":"1","name":"memory","input":{"command":"view","path":"/memories/a.md"}}`, `{"type":"tool_result","tool_use_id":"1"}`,
			`{"type":"tool_use","id":"2","name":"memory","input":{"command":"str_replace","path":"/memories/a.md","old_str":"x","new_str":"y"}}`, `{"type":"tool_result","tool_use_id":"2"}`,
			`{"type":"tool_use","id":"3","name":"mcp__notes__memory","input":{"command":"insert","path":"/memories/a.md","insert_line":0,"insert_text":"y"}}`, `{"type":"tool_result","tool_use_id":"3"}`,
			`{"type":"tool_use","id":"4","name":"memory","input":{"command":"delete","path":"/memories/d"}}`, `{"type":"tool_result","tool_use_id":"4"}`,
			`{"type":"tool_use","id":"5","name":"memory","input":{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/b.md"}}`, `{"type":"tool_result","tool_use_id":"5"}`},
			[]string{"agent sesn_own 1 memory read /memories/a.md of the memory tool", "agent sesn_own 2 memory write /memories/a.md of the memory tool",
				"agent sesn_own 3 mcp__notes__memory write /memories/a.md of the memory tool", "agent sesn_own 4 memory delete /memories/d of the memory tool",
				"agent sesn_own 5 memory move /memories/b.md from /memories/a.md of the memory tool"}},
		"what memend's own server does is known already": {[]string{`{"type":"tool_use","id":"1","name":"mcp__memend__memory","input":{"command":"delete","path":"/memories/a.md"}}`, `{"type":"tool_result","tool_use_id":"1"}`}, nil},
		"the text editor tool of the API": {[]string{`{"type":"tool_use","id":"1","name":"str_replace_based_edit_tool","input":{"command":"create","path":"/m/a.md","file_text":"x"}}`, `{"type":"tool_result","tool_use_id":"1"}`},
			[]string{"agent sesn_own 1 str_replace_based_edit_tool write /m/a.md " + sumOf("x")}},
		"a message of the API, streamed": {[]string{`{"type":"message_start","message":{"content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"memory","input":{}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`, `{"type": "ping"}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"delete\",\"pa"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"th\":\"/memories/a.md\"}"}}`,
			`{"type":"content_block_stop","index":1}`, `{"type":"message_stop"}`, `{"type":"message","role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}`},
			[]string{"agent sesn_own t1 memory delete /memories/a.md of the memory tool"}},
		"a message that breaks off, and the next one": {[]string{
			`{"type":"message_start"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"memory","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"delete\",\"path\":\"/memories/a.md\"}"}}`,
			`{"type":"message_start"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`,
			`{"type":"tool_result","tool_use_id":"t1","content":"ok"}`}, nil},
		"a message that comes in pieces and then as a whole": {[]string{
			`{"type":"stream_event","session_id":"J","event":{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"Read"}}}`,
			`{"type":"stream_event","session_id":"J","event":{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"file_path\":\"/m/a.md\"}"}}}`,
			`{"type":"stream_event","session_id":"J","event":{"type":"content_block_stop","index":0}}`,
			`{"type":"assistant","session_id":"J","message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/m/a.md"}}]}}`,
			`{"type":"user","session_id":"J","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`},
			[]string{"claude-code J t1 Read read /m/a.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader()
			var got []string
			for _, l := range c.lines {
				for _, x := range r.Line([]byte(l)) {
					got = append(got, brief(x))
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if r.Skipped.Torn > 0 {
				t.Errorf("%d lines taken for torn", r.Skipped.Torn)
			}
		})
	}
}

func TestReader_ReadsTimesFromLines(t *testing.T) {
	t.Parallel()
	r := newReader()
	r.Line([]byte(asked("S", "t1", "Read", `{"file_path":"/a"}`)))
	c := r.Line([]byte(answered("S", "t1", `"content":"x"`, "")))[0]
	if want := time.Date(2026, 11, 21, 10, 0, 3, 250e6, time.UTC); !c.Ended.Equal(want) || !c.Began.Equal(want.Add(-1250*time.Millisecond)) {
		t.Errorf("began %v, ended %v", c.Began, c.Ended)
	}
	r.Line([]byte(`{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/a"}}`))
	if c := r.Line([]byte(`{"type":"tool_result","tool_use_id":"t2"}`))[0]; !c.Ended.Equal(noon) || !c.Began.IsZero() {
		t.Errorf("began %v, ended %v: it may have begun any time before its line came", c.Began, c.Ended)
	}
}

func TestReader_CountsUnknownLines(t *testing.T) {
	t.Parallel()
	r := newReader()
	for _, l := range []string{"", "  ", "torn {", `["a"]`, `{"type":"assistant","message":{"content":[{"type":"tool`, `{"type":"summary","summary":"…"}`, `{"type":"ai-title"}`, `{"no":"type"}`, `{"type":7}`,
		`{"type":"assistant","message":"a text"}`, `{"type":"user","message":{"content":"a prompt"}}`, asked("S", "t1", "TodoWrite", `{"todos":[]}`), asked("S", "t2", "Bash", `{}`), asked("S", "t3", "Write", `{"file_path":7}`), asked("S", "t4", "Write", `{}`)} {
		if calls := r.Line([]byte(l)); len(calls) > 0 {
			t.Errorf("%s: %+v", l, calls)
		}
	}
	if s := r.Skipped; s.Torn != 3 || s.Unknown != 5 || s.Tools["TodoWrite"] != 1 || s.Tools["Bash"] != 1 || s.Tools["Write"] != 2 {
		t.Errorf("%+v", s)
	}
}

func TestReader_DropsTheOldestOfTooManyOpenCalls(t *testing.T) {
	t.Parallel()
	r := newReader()
	for i := range maxOpen + 1 {
		r.Line([]byte(fmt.Sprintf(`{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/a"}}`, i)))
	}
	if calls := r.Line([]byte(`{"type":"tool_result","tool_use_id":"t0"}`)); len(calls) != 0 {
		t.Error("the oldest is still waited for")
	}
	if calls := r.Line([]byte(fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d"}`, maxOpen))); len(calls) != 1 {
		t.Error("the newest was given up")
	}
	for i := range 3 * maxOpen { // those that end leave nothing
		r.Line([]byte(fmt.Sprintf(`{"type":"tool_use","id":"x%d","name":"Read","input":{"file_path":"/a"}}`, i)))
		r.Line([]byte(fmt.Sprintf(`{"type":"tool_result","tool_use_id":"x%d"}`, i)))
	}
	if n := len(r.open.order); n > 3*maxOpen {
		t.Errorf("%d ids are kept", n)
	}
}

func TestReader_ContinuesAfterATooLongLine(t *testing.T) {
	t.Parallel()
	r := newReader()
	long := `{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/a","content":"` + strings.Repeat("x", maxLine) + `"}}`
	n := 0
	err := r.Lines(strings.NewReader(long+"\n"+`{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/b"}}`+"\n"+`{"type":"tool_result","tool_use_id":"t2"}`), func(calls []Call) { n += len(calls) })
	if err != nil || n != 1 || r.Skipped.Torn != 1 {
		t.Errorf("%d calls, %+v, %v", n, r.Skipped, err)
	}
}

// Whatever comes, it is read or counted, and what comes out can be placed or not.
func FuzzReader(f *testing.F) {
	for _, l := range []string{hook("PostToolUse", "Edit", `{"file_path":"/m/a.md","old_string":"b","new_string":"x"}`, `{"originalFile":"b"}`),
		asked("S", "t1", "Write", `{"file_path":"/m/a.md","content":"x"}`) + "\n" + answered("S", "t1", `"content":"x"`, `"toolUseResult":{"content":"y"},`),
		`{"type":"content_block_start","index":-1,"content_block":{"type":"tool_use","id":"t1","name":"memory"}}`,
		`{"type":"system","subtype":"memory_recall","memories":[{"path":"/m/../../etc/passwd"}]}`,
		`{"type":"tool_use","id":"t1","name":"memory","input":{"command":"rename","old_path":"/memories/../x","new_path":"\u0000"}}` + "\n" + `{"type":"tool_result","tool_use_id":"t1"}`} {
		f.Add([]byte(l))
	}
	stores := Stores{All: []versions.StoreInfo{{ID: "memstore_a", Folder: "/m"}}, Memory: "memstore_a"}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newReader()
		err := r.Lines(strings.NewReader(string(in)), func(calls []Call) {
			for _, c := range calls {
				if c.Op == "" || c.Path == "" && c.Tool != "memory_recall" && c.Op != versions.CallRan {
					t.Errorf("%+v", c)
				}
				for _, p := range stores.Place(c) {
					segments := strings.Split(p.Evidence.Path.String(), "/")
					if p.Store != "memstore_a" || p.Evidence.Path.IsRoot() && c.Op != versions.CallRan || slices.Contains(segments, "..") {
						t.Errorf("%+v is at %+v", c, p)
					}
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// The duration may have fractions; that a call failed must not be lost for it.
func TestReader_AcceptsAnyDuration(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	r := &Reader{Now: func() time.Time { return now }}
	line := strings.Replace(hook("PostToolUse", "Bash", `{"command":"date > /m/a.md"}`, `{}`), `"duration_ms":7`, `"duration_ms":7.5`, 1)
	if calls := r.Line([]byte(line)); len(calls) != 1 || !calls[0].Began.Equal(now.Add(-hookDelay-7500*time.Microsecond)) {
		t.Errorf("%+v", calls)
	}
}

// Ids that are used again and again must not be kept for ever.
func TestReader_ForgetsTheIDsOfCallsThatEnded(t *testing.T) {
	t.Parallel()
	r := &Reader{Now: time.Now}
	for range 5 * maxOpen {
		r.Line([]byte(`{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"/m/a.md"}}`))
		r.Line([]byte(`{"type":"tool_result","tool_use_id":"t","content":"x"}`))
	}
	if n := len(r.open.order); n > 2*maxOpen+1 {
		t.Errorf("%d ids are kept for %d calls", n, len(r.open.calls))
	}
}
