package mcp

import (
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A run of an agent is one session, through whatever doors it comes.
//
// A hook of Claude Code notes the session of a call before the call is made (see
// versions.NoteCall), and Claude Code sends the id of the tool use with the call. The note
// counts over every transport. The hook runs as the user who owns the home, so that a note
// is worth as much as the trail itself. The ids are random, and only the client and its
// transcripts have them: a client that sends the id of somebody else's call has read that
// user's files. Its change would be in the other run's session, and still under the name
// that its own token was issued to.
//
// Some clients say themselves which run it is: Codex with each call, Claude Code in the
// environment of the server that it starts. A server that is started for one client takes
// its word. Over HTTP a client could name any run, and so a connection is a session there.
// So it is where stores are attached: what may be done in a session holds for all of it,
// and a run may have several servers with different stores.

// maxRuns is how many runs a connection may have. Most have one; a call of a further one
// is in the connection's own session.
const maxRuns = 64

// run is the session of a call. note is what a hook noted of it.
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

// toolUse is the id that the client knows the call by, when it says one: then the call
// is found again in the client's own records.
func toolUse(meta mcp.Meta) string {
	if id := word(meta, "claudecode/toolUseId"); id != "" {
		return id
	}
	return word(meta, "callId") // of Codex
}

// word is a text that a client says beside a call; "" for one that is too long, or that
// can't be seen.
func word(meta mcp.Meta, key string) string {
	s, _ := meta[key].(string)
	if len(s) > maxName || s != plain(s) {
		return ""
	}
	return s
}
