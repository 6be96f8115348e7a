package outside

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/memend/memend/versions"
)

// hookInput is the input of a Claude Code hook about a call.
type hookInput struct {
	Tool     lenientString   `json:"tool_name"`
	Input    json.RawMessage `json:"tool_input"`
	Response json.RawMessage `json:"tool_response"`
	ToolUse  lenientString   `json:"tool_use_id"`

	Subagent  lenientString `json:"agent_type"`
	Directory lenientString `json:"cwd"`
	Took      float64       `json:"duration_ms"`
}

// hookDelay is how long after a call its hook's input may be read.
const hookDelay = 250 * time.Millisecond

// hook parses a hook's input. A call that begins has no end. Events about sessions, compactions
// and files touch no memory.
func (r *Reader) hook(event string, b []byte) (out []Call, known bool) {
	switch event {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
	case "SessionStart":
		return r.started(b), true
	case "SessionEnd", "PreCompact", "PostCompact", "FileChanged":
		return nil, true
	default:
		return nil, false
	}
	var h hookInput
	if json.Unmarshal(b, &h) != nil {
		return nil, false
	}
	begun, ok := callOf(string(h.Tool), h.Input)
	if !ok {
		r.unknownTool(string(h.Tool))
		return nil, true
	}
	begun.ToolUse = string(h.ToolUse)
	now := r.Now()
	begun.Subagent, begun.Directory = string(h.Subagent), string(h.Directory)
	if event == "PreToolUse" {
		if begun.Op == versions.CallRead || begun.Op == "" {
			return nil, true
		}
		begun.Began = now
		begun.Call.input = &begun.input
		return []Call{begun.Call}, true
	}
	c, happened := begun.end(h.Response, event == "PostToolUseFailure")
	if !happened {
		return nil, true
	}
	c.Ended = now
	if c.Op == versions.CallRan && c.Began.IsZero() { // useless without a start
		c.Began = now.Add(-time.Duration(h.Took*float64(time.Millisecond)) - hookDelay)
	}
	return []Call{c}, true
}

// ParseAnnouncement parses the announcement of a call to an MCP server's tool, which a hook gets before the
// call is made. The tool's name begins with prefix. The server journals what the call does; the
// hook adds only its session and its subagent.
func ParseAnnouncement(line []byte, prefix string) (c Call, ok bool) {
	var l lineHeader
	var h hookInput
	if json.Unmarshal(line, &l) != nil || l.Hook != "PreToolUse" || json.Unmarshal(line, &h) != nil || !strings.HasPrefix(string(h.Tool), prefix) {
		return Call{}, false
	}
	return Call{Agent: ClaudeCode, Subagent: string(h.Subagent), Session: string(l.SessionID), ToolUse: string(h.ToolUse), Tool: string(h.Tool)}, true
}

// started returns the start of a session, at which Claude Code creates the index of its memories if
// there is none. It does so at about the time of the hook.
func (r *Reader) started(b []byte) []Call {
	var h struct {
		Transcript lenientString `json:"transcript_path"`
	}
	if json.Unmarshal(b, &h) != nil || h.Transcript == "" {
		return nil
	}
	now := r.Now()
	return []Call{{Tool: "SessionStart", Op: versions.CallStarted, Path: filepath.Join(filepath.Dir(string(h.Transcript)), "memory", indexName),
		Began: now.Add(-aroundStart), Ended: now.Add(aroundStart)}}
}

// initialized returns the start of a session as stream-json reports it.
func (r *Reader) initialized(b []byte) []Call {
	var l struct {
		Directory string `json:"cwd"`
	}
	if r.Config == "" || json.Unmarshal(b, &l) != nil || plausible(l.Directory) == "" {
		return nil
	}
	now := r.Now()
	return []Call{{Tool: "SessionStart", Op: versions.CallStarted, Path: filepath.Join(r.Config, "projects", Slug(l.Directory), "memory", indexName),
		Began: now.Add(-aroundStart), Ended: now.Add(aroundStart)}}
}

// loaded returns the indexes that a session loaded when it started: existing ones, or ones that
// Claude Code has just created.
func loaded(b []byte, at time.Time) (out []Call, known bool) {
	var l struct {
		Sidechain  bool `json:"isSidechain"` // a subagent's start creates none
		Attachment struct {
			Type  lenientString `json:"type"`
			Files []struct {
				Path    string `json:"path"`
				Content string `json:"content"` // without its last line end
			} `json:"files"`
		} `json:"attachment"`
	}
	if json.Unmarshal(b, &l) != nil || l.Attachment.Type != "instructions" {
		return nil, false
	}
	for _, f := range l.Attachment.Files {
		if filepath.Base(f.Path) == indexName && !l.Sidechain {
			text := strings.TrimRight(f.Content, "\n") + "\n"
			out = append(out, Call{Tool: "SessionStart", Op: versions.CallStarted, Path: f.Path, Began: at.Add(-aroundStart), Ended: at, After: &text})
		}
	}
	return out, true
}

const (
	indexName = "MEMORY.md"
	// aroundStart is the maximum time between the report of a start and the creation of the index.
	aroundStart = 5 * time.Second
)
