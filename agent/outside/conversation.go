package outside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Message is a message or a call in a session of Claude Code.
type Message struct {
	Time    time.Time
	Prompt  bool   // by the person; otherwise by the agent
	Text    string // the message; for a failed call the reason
	ToolUse string // of a completed call
	Tool    string
	About   string // the subject of the call: a file, a shell command line
	Failed  bool
}

// ErrNoTranscript reports a session without a transcript of Claude Code on this machine.
var ErrNoTranscript = errors.New("there is no transcript of Claude Code for this session")

// Conversation passes the messages of a session of Claude Code to give, and the calls in the
// order in which they ended.
func Conversation(ctx context.Context, config, session string, give func(Message) error) error {
	if session == "" || session != filepath.Base(session) || strings.ContainsAny(session, `*?[\`) {
		return ErrNoTranscript
	}
	files, err := filepath.Glob(filepath.Join(config, "projects", "*", session+".jsonl"))
	if err != nil || len(files) == 0 {
		return ErrNoTranscript
	}
	if _, err := os.Stat(files[0]); err != nil {
		return err
	}
	t := talk{open: map[string]Message{}, give: give}
	err = (&tail{file: files[0]}).read(func(line []byte) {
		if t.err == nil && ctx.Err() == nil {
			t.line(line)
		}
	})
	return cmp.Or(t.err, ctx.Err(), err)
}

// Prompt returns the first line of the first prompt of a session of Claude Code, or "" if it is
// unknown.
func Prompt(ctx context.Context, config, session string) (first string) {
	found := errors.New("found")
	_ = Conversation(ctx, config, session, func(m Message) error {
		if !m.Prompt {
			return nil
		}
		first, _, _ = strings.Cut(strings.TrimSpace(m.Text), "\n")
		return found
	})
	return first
}

// talk parses a transcript as a conversation.
type talk struct {
	open map[string]Message // calls waiting for their results
	give func(Message) error
	err  error
}

func (t *talk) line(b []byte) {
	var l struct {
		Type      lenientString `json:"type"`
		Meta      bool          `json:"isMeta"`
		Sidechain bool          `json:"isSidechain"`
		Source    lenientString `json:"promptSource"`
		Timestamp lenientString `json:"timestamp"`
		messageLine
	}
	if json.Unmarshal(b, &l) != nil || l.Meta || l.Sidechain || l.Type != "user" && l.Type != "assistant" {
		return
	}
	at, _ := time.Parse(time.RFC3339Nano, string(l.Timestamp))
	var blocks []struct {
		block
		Text string `json:"text"`
	}
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		var text string
		if json.Unmarshal(l.Message.Content, &text) == nil && l.Source != "system" {
			t.say(Message{Time: at, Prompt: l.Type == "user", Text: text})
		}
		return
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			t.say(Message{Time: at, Prompt: l.Type == "user", Text: b.Text})
		case "tool_use":
			t.open[string(b.ID)] = Message{ToolUse: string(b.ID), Tool: string(b.Name), About: aboutCall(b.Input)}
		case "tool_result":
			call, ok := t.open[string(b.ToolUseID)]
			if !ok {
				continue
			}
			delete(t.open, string(b.ToolUseID))
			if call.Time, call.Failed = at, b.IsError; call.Failed {
				call.Text = textOf(b.Content)
			}
			t.say(call)
		}
	}
}

func (t *talk) say(s Message) {
	if t.err == nil && (s.Text != "" || s.Tool != "") {
		t.err = t.give(s)
	}
}

// aboutCall returns the subject of a call, from one of the fields of its input.
func aboutCall(raw json.RawMessage) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return ""
	}
	for _, key := range []string{"file_path", "notebook_path", "path", "new_path", "command", "description", "pattern", "url", "query"} {
		var s string
		if json.Unmarshal(in[key], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}
