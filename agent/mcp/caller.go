package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vstores "github.com/memend/memend/versions/stores"
)

// caller is the state of one connected client.
type caller struct {
	s       *Server
	session versions.SessionID
	id      string // of the connection, in the ids of its calls

	attach   sync.Mutex        // held while attaching stores, which may wait for a lock
	attached *vstores.Attached // nil before the first call

	mu    sync.Mutex
	runs  map[versions.SessionID]bool // sessions that the client named
	calls int
	known bool // its name was logged

	used time.Time // time of its last request; guarded by the server's lock, as is busy
	busy int       // number of messages being answered

	gone chan struct{} // closed when its end was logged
}

// maxSessions is the maximum number of connected clients. Many leave without closing their
// session, so a new client replaces the one that was silent for longest.
const maxSessions = 256

var errTooMany = &jsonrpc.Error{Code: -32000, Message: "too many sessions are at work; try again later"}

// busy registers a request of a session until done is called. It admits a new session.
func (s *Server) busy(ss *mcp.ServerSession) (done func(), err error) {
	c := s.caller(ss)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.busy++
	c.used = time.Now()
	if len(s.callers) > s.o.sessions && !s.makeRoom() {
		c.busy--
		return nil, errTooMany
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		c.busy--
		c.used = time.Now()
	}, nil
}

// makeRoom closes the session that was silent for longest. The caller holds the lock.
func (s *Server) makeRoom() bool {
	var oldest *mcp.ServerSession
	for ss, c := range s.callers {
		if c.busy == 0 && (oldest == nil || c.used.Before(s.callers[oldest].used)) {
			oldest = ss
		}
	}
	if oldest == nil {
		return false
	}
	s.o.Log.Info("an idle client was disconnected to make room", "session", s.callers[oldest].session)
	delete(s.callers, oldest)
	s.o.Trail.Go(func() { _ = oldest.Close() })
	return true
}

// caller returns the state of a session's client, and admits a new session.
func (s *Server) caller(ss *mcp.ServerSession) *caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.callers[ss]; c != nil {
		return c
	}
	own := versions.NewSession()
	c := &caller{s: s, session: s.o.Session, id: string(own[len(own)-6:]), gone: make(chan struct{})}
	if c.session == "" {
		c.session = own
	}
	s.callers[ss] = c
	s.o.Log.Info("a client connected", "session", c.session)
	s.o.Trail.Go(func() {
		defer close(c.gone)
		_ = ss.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.callers, ss)
		s.o.Log.Info("a client disconnected", "session", c.session)
	})
	return c
}

// Named is the log message that records which client a session belongs to.
const Named = "a client named itself"

// named logs the client's name once it is known.
func (c *caller) named(req mcp.Request) {
	says, ok := req.(interface{ ClientInfo() *mcp.Implementation })
	if !ok {
		return
	}
	info := says.ClientInfo()
	if info == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.known = true
		c.s.o.Log.Info(Named, "session", c.session, "client", clientName(info))
	}
}

// by returns the author of a call: the client that the token was issued to, or the configured
// actor, or the name that the client gives itself. Every call is a separate tool use.
func (c *caller) by(info *mcp.Implementation, meta mcp.Meta, extra *mcp.RequestExtra) versions.By {
	note, _ := c.s.o.Trail.NotedCall(toolUse(meta))
	by := versions.By{Door: versions.DoorMCP, Actor: c.s.o.Actor, Session: c.run(note, info, meta, extra), ToolUse: toolUse(meta)}
	if extra != nil && extra.Header.Get(clientHeader) != "" {
		by.Actor = versions.Actor{Kind: versions.APIKey, Name: extra.Header.Get(clientHeader)}
	}
	if by.Actor == (versions.Actor{}) {
		by.Actor = versions.Actor{Kind: versions.Agent, Name: clientName(info), Title: clientTitle(info)}
		if strings.Contains(note.Actor.Name, "/") && by.Session == note.Session { // a call of a subagent
			by.Actor = note.Actor
		}
	}
	if by.ToolUse == "" {
		c.mu.Lock()
		c.calls++
		by.ToolUse = fmt.Sprintf("mcp_%s_%d", c.id, c.calls)
		c.mu.Unlock()
	}
	return by
}

// maxName is the maximum length in bytes of the names of clients and calls that are kept.
const maxName = 200

// clientName returns a name such as "claude-code 2.1.0".
func clientName(info *mcp.Implementation) string {
	if info == nil {
		return "mcp client"
	}
	return cmp.Or(short(plain(info.Name+" "+info.Version)), "mcp client")
}

// clientTitle returns the client's title for people with its version, such as
// "Claude Code 2.1.0", or "" if it sends none.
func clientTitle(info *mcp.Implementation) string {
	if info == nil || plain(info.Title) == "" {
		return ""
	}
	return short(plain(info.Title + " " + info.Version))
}

// short returns a text cut to maxName bytes.
func short(s string) string {
	for len(s) > maxName {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// plain removes invisible characters and surrounding spaces.
func plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r != ' ' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s))
}

// memory returns the memory that the caller's memory tool works on. If stores are attached, the
// session can change nothing else from then on.
func (c *caller) memory(ctx context.Context, by versions.By) (agent.Memory, []place, error) {
	places, err := c.s.cache.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !c.s.o.Attach {
		return places[0].store, places, nil
	}
	c.attach.Lock()
	defer c.attach.Unlock()
	if c.attached == nil {
		var stores []*engine.Store
		for _, at := range places {
			stores = append(stores, at.store)
		}
		if c.attached, err = vstores.AttachOpen(ctx, c.s.o.Trail, by, c.s.o.Stores, stores); err != nil {
			return nil, nil, err
		}
	}
	return c.attached, places, nil
}
