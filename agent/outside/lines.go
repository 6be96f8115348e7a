package outside

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/memend/memend/versions"
)

// Skipped counts what a Reader did not understand.
type Skipped struct {
	Torn    int            // lines that are not a JSON object
	Unknown int            // objects of unknown kinds
	Tools   map[string]int // calls of tools whose files are unknown, by tool name
}

// Reader extracts calls from JSON lines of several forms: transcripts of Claude Code, its
// stream-json, the input of its hooks, messages and stream events of the API, single tool_use and
// tool_result blocks. It holds calls until their results arrive. It is not safe for concurrent use.
type Reader struct {
	Now      func() time.Time // the time of lines that contain none
	Session  string           // of lines that name none
	Agent    string           // of lines that are not Claude Code's
	Subagent string           // of lines that name none
	Config   string           // Claude Code's folder; "" if unknown
	Skipped  Skipped

	dated bool // the current line contains its time
	open  openCalls
	part  map[int]*partial // unfinished blocks of a streamed message
}

// Lines parses all lines of a stream until it ends, and passes their calls to emit. It skips and
// counts lines that are too long.
func (r *Reader) Lines(in io.Reader, emit func([]Call)) error {
	b := bufio.NewReaderSize(in, tailAtOnce)
	for {
		line, long, err := oneLine(b)
		if long {
			r.Skipped.Torn++
		} else if calls := r.Line(line); len(calls) > 0 {
			emit(calls)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// oneLine reads a line, or discards one that is too long.
func oneLine(b *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := b.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// maxTools limits the number of counted names, which come from untrusted input.
const maxTools = 256

// lineHeader holds the fields that any form of line may have. The others are decoded once the form is
// known.
type lineHeader struct {
	Type      lenientString `json:"type"`
	Subtype   lenientString `json:"subtype"`
	Hook      lenientString `json:"hook_event_name"`
	Session   lenientString `json:"sessionId"`  // transcript
	SessionID lenientString `json:"session_id"` // stream-json, hooks
	Timestamp lenientString `json:"timestamp"`
	Directory lenientString `json:"cwd"`

	Attributed lenientString `json:"attributionAgent"` // transcript: the subagent that the line is of
	Subagent   lenientString `json:"subagent_type"`    // stream-json: the same
}

// lenientString is a string; any other JSON value decodes as empty.
type lenientString string

func (w *lenientString) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*w = lenientString(s)
	}
	return nil
}

// messageLine is a message, bare or in an envelope.
type messageLine struct {
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Content    json.RawMessage `json:"content"`
	Result     json.RawMessage `json:"toolUseResult"`   // Claude Code's details about the only result on the line
	ToolResult json.RawMessage `json:"tool_use_result"` // the same, in stream-json
}

type block struct {
	Type      lenientString   `json:"type"`
	ID        lenientString   `json:"id"`
	Name      lenientString   `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID lenientString   `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// Line parses one line and returns the calls that ended with it, and a call that a hook announces.
func (r *Reader) Line(b []byte) []Call {
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return nil
	}
	var l lineHeader
	if b[0] != '{' || json.Unmarshal(b, &l) != nil {
		r.Skipped.Torn++
		return nil
	}
	calls, known := r.read(&l, b)
	if !known {
		r.Skipped.Unknown++
	}
	named := string(cmp.Or(l.Session, l.SessionID))
	for i := range calls {
		calls[i].Session, calls[i].Agent = cmp.Or(named, r.Session), r.Agent
		calls[i].Subagent = cmp.Or(calls[i].Subagent, r.Subagent)
		if named != "" || l.Hook != "" { // only lines of Claude Code have these
			calls[i].Agent = ClaudeCode
		}
	}
	return calls
}

func (r *Reader) read(l *lineHeader, b []byte) (out []Call, known bool) {
	if l.Hook != "" {
		return r.hook(string(l.Hook), b)
	}
	at := r.at(l)
	switch l.Type {
	case "user", "assistant", "message":
		var m messageLine
		if json.Unmarshal(b, &m) != nil {
			return nil, false
		}
		if l.Type == "message" {
			m.Message.Content = m.Content
		}
		return r.message(l, &m, at), true
	case "tool_use", "tool_result":
		var x block
		if json.Unmarshal(b, &x) != nil {
			return nil, false
		}
		if l.Type == "tool_use" {
			r.begin(l, x, at)
			return nil, true
		}
		return r.end(x, nil, at), true
	case "stream_event":
		var e struct {
			Event streamEvent `json:"event"`
		}
		return nil, json.Unmarshal(b, &e) == nil && r.stream(l, &e.Event, at)
	case "attachment":
		return loaded(b, at)
	case "system":
		if l.Subtype == "memory_recall" {
			return recalled(b, at)
		}
		if l.Subtype == "init" {
			return r.initialized(b), true
		}
		return nil, false
	}
	var e streamEvent
	return nil, json.Unmarshal(b, &e) == nil && r.stream(l, &e, at)
}

// at returns the time at which the line was written, or if it contains none, the current time, which
// may be any time later.
func (r *Reader) at(l *lineHeader) time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(l.Timestamp))
	if r.dated = err == nil; r.dated {
		return t
	}
	return r.Now()
}

// message parses the blocks of a message. A text message is a prompt.
func (r *Reader) message(l *lineHeader, m *messageLine, at time.Time) (out []Call) {
	var all []block
	if json.Unmarshal(m.Message.Content, &all) != nil {
		return nil
	}
	results := 0
	for _, b := range all {
		if b.Type == "tool_result" {
			results++
		}
	}
	result := m.Result
	if result == nil {
		result = m.ToolResult
	}
	if results != 1 { // the details can't be matched to a result
		result = nil
	}
	for _, b := range all {
		switch b.Type {
		case "tool_use":
			r.begin(l, b, at)
		case "tool_result":
			out = append(out, r.end(b, result, at)...)
		}
	}
	return out
}

func (r *Reader) begin(l *lineHeader, b block, at time.Time) {
	c, ok := callOf(string(b.Name), b.Input)
	if !ok {
		r.unknownTool(string(b.Name))
		return
	}
	if b.ID == "" {
		return // its result could not be matched
	}
	c.Subagent, c.Directory = string(cmp.Or(l.Attributed, l.Subagent)), string(l.Directory)
	if c.ToolUse = string(b.ID); r.dated {
		c.Began = at
	}
	r.open.put(c)
}

func (r *Reader) unknownTool(name string) {
	if r.Skipped.Tools == nil {
		r.Skipped.Tools = map[string]int{}
	}
	if _, ok := r.Skipped.Tools[name]; ok || len(r.Skipped.Tools) < maxTools {
		r.Skipped.Tools[name]++
	}
}

func (r *Reader) end(b block, result json.RawMessage, at time.Time) []Call {
	begun := r.open.take(string(b.ToolUseID))
	if begun == nil {
		return nil
	}
	c, happened := begun.end(result, b.IsError)
	if !happened {
		return nil
	}
	c.Ended = at
	if c.Failed {
		c.Text = textOf(b.Content)
	}
	return []Call{c}
}

// textOf returns the text of a result that the model reads.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var all []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &all)
	for _, b := range all {
		text += b.Text
	}
	return text
}

// recalled returns the memories that Claude Code loaded for the model by itself.
func recalled(b []byte, at time.Time) (out []Call, known bool) {
	var l struct {
		Memories []struct {
			Path string `json:"path"`
		} `json:"memories"`
	}
	if json.Unmarshal(b, &l) != nil {
		return nil, false
	}
	for _, m := range l.Memories {
		out = append(out, Call{Tool: "memory_recall", Op: versions.CallRead, Path: m.Path, Ended: at})
	}
	return out, true
}
