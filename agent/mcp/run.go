package mcp

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/versions"
)

// A run of an agent is one session, through whatever doors its calls come.
//
// A hook of Claude Code records the session of a call before the call is made (see
// versions.NoteCall), and Claude Code sends the id of the tool use with the call. The note
// applies to every transport. The hook runs as the user who owns the home, so a note is as
// trustworthy as the trail itself. The ids are random, and only the client and its transcripts
// contain them: a client that sends the id of somebody else's call has read that user's files.
// Its change would appear in the other run's session, but under the name that its own token was
// issued to.
//
// Some clients name their run: Codex with each call, Claude Code in the environment of the
// server that it starts. A server that is started for one client believes it. Over HTTP a client
// could name any run, so there a connection is a session. It is also one where stores are
// attached: access is granted to a whole session, and a run may have several servers with
// different stores.

// maxRuns is the maximum number of runs of a connection. Most have one; calls of further runs
// belong to the connection's own session.
const maxRuns = 64

// run returns the session of a call. note is what a hook recorded about it.
func (c *caller) run(note versions.By, info *mcp.Implementation, meta mcp.Meta, extra *mcp.RequestExtra) versions.SessionID {
	if c.s.o.Session != "" || c.s.o.Attach {
		return c.session
	}
	named := note.Session
	if overHTTP := extra != nil && extra.Header != nil; named == "" && !overHTTP {
		named = versions.SessionID(word(meta, "sessionId"))
		if named == "" && info != nil && info.Name == "claude-code" {
			named = c.s.o.ClaudeCode
		}
	}
	if named == "" {
		return c.session
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.runs[named] {
		if len(c.runs) == maxRuns {
			return c.session
		}
		if c.runs == nil {
			c.runs = map[versions.SessionID]bool{}
		}
		c.runs[named] = true
		c.s.o.Log.Info("a call named its run", "session", named)
	}
	return named
}

// toolUse returns the client's own id for the call, if it sends one, so that the call can be
// found in the client's records.
func toolUse(meta mcp.Meta) string {
	if id := word(meta, "claudecode/toolUseId"); id != "" {
		return id
	}
	return word(meta, "callId") // of Codex
}

// word returns a text that a client sends with a call, or "" if it is too long or has invisible
// characters.
func word(meta mcp.Meta, key string) string {
	s, _ := meta[key].(string)
	if len(s) > maxName || s != plain(s) {
		return ""
	}
	return s
}
