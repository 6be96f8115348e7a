package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// Options configures a Server.
type Options struct {
	Trail   *engine.Trail
	Stores  []versions.Attachment // the stores that sessions work on
	Attach  bool                  // attach the stores to each session, so that it can change nothing else; required for several
	Tools   Tools
	Session versions.SessionID // of every connection; empty: each has its own, or the client names one
	Actor   versions.Actor     // the author of all calls; zero: an agent with the client's name
	Version string             // of memend

	// ClaudeCode is the session of the Claude Code that started the server, if any. Over
	// standard input, calls of Claude Code belong to it.
	ClaudeCode versions.SessionID
	Log        *slog.Logger // nil: no log

	callTimeout, writeTimeout time.Duration         // shorter in tests
	sessions                  int                   // maximum; lower in tests
	began                     func(context.Context) // receives the context of each call in tests
}

// Tools selects the tools that a server offers.
type Tools string

const (
	MemoryTool Tools = "memory" // the one with six commands
	SixTools   Tools = "six"
	BothTools  Tools = "both"
)

// CallTimeout is how long a call waits for a store that another program has locked.
const CallTimeout = 30 * time.Second

// Server serves stores to any number of clients. It is safe for concurrent use.
type Server struct {
	o     Options
	sdk   *mcp.Server
	cache *storeCache
	life  context.Context
	end   context.CancelFunc

	mu      sync.Mutex
	callers map[*mcp.ServerSession]*caller
}

// New returns a server. Stores that can't be opened yet, because their folder is missing or
// another program has locked the trail, are opened later.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.callTimeout, o.writeTimeout, o.sessions = cmp.Or(o.callTimeout, CallTimeout), cmp.Or(o.writeTimeout, writeTimeout), cmp.Or(o.sessions, maxSessions)
	if len(o.Stores) == 0 || len(o.Stores) > 1 && !o.Attach {
		return nil, errors.New("serve stores: several need to be attached, and there must be one")
	}
	s := &Server{o: o, callers: map[*mcp.ServerSession]*caller{}}
	s.life, s.end = context.WithCancel(context.Background())
	var err error
	if s.cache, err = newStoreCache(ctx, o.Trail, o.Stores); err != nil {
		return nil, err
	}
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "memend", Title: "memend", Version: o.Version},
		&mcp.ServerOptions{
			Instructions: s.instructions(),
			Logger:       s.sdkLog(),
			SetCacheable: private,
		})
	s.addTools()
	s.sdk.AddReceivingMiddleware(s.receive)
	soon, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	_, err = s.cache.open(soon)
	late := errors.Is(err, versions.ErrFolderGone) || errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !late {
		return nil, errors.Join(err, s.Close())
	}
	if late {
		o.Log.Warn("a store can't be opened yet", "error", err)
	}
	return s, nil
}

// openTimeout is how long New waits for a trail that another program has locked: a client gives
// up on a server that does not answer.
const openTimeout = 2 * time.Second

func private(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }

// Serve serves one client over a pair of streams until it disconnects or ctx ends. It completes
// and answers what the client requested before.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	over := inOrder{lineTransport{in, out}, s.o.Trail.Go}
	ss, err := s.sdk.Connect(ctx, over, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		s.end()
		_ = ss.Close()
	})
	defer stop()
	err = ss.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// maxMessage is the maximum length of a client's message in bytes.
const maxMessage = agent.MaxLine

// Close ends all sessions, waits for running calls, and closes the stores.
func (s *Server) Close() error {
	s.end()
	if s.sdk != nil {
		for ss := range s.sdk.Sessions() {
			_ = ss.Close()
		}
	}
	s.mu.Lock()
	callers := slices.Collect(maps.Values(s.callers))
	s.mu.Unlock()
	for _, c := range callers { // who closes the server may remove its log next
		<-c.gone
	}
	return s.cache.close()
}

// discover is the probe of protocol 2026-07-28, which has no sessions. Over HTTP a session is a
// connection here, so that protocol is not supported there: clients whose probe is refused fall
// back to the handshake.
const discover = "server/discover"

var errNoDiscovery = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "over HTTP this server speaks protocol 2025-11-25 and older: begin with initialize"}

// receive wraps the handling of every message: it identifies the caller, limits the time of a
// call, and keeps a panic from ending the connection.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				s.o.Log.Error("panic", "method", method, "value", fmt.Sprint(fault), "stack", string(debug.Stack()))
				res, err = nil, errors.New("internal error in memend; see its log")
			}
		}()
		if extra := req.GetExtra(); method == discover && extra != nil && extra.Header != nil {
			return nil, errNoDiscovery
		}
		if ss, ok := req.GetSession().(*mcp.ServerSession); ok {
			done, err := s.busy(ss)
			if err != nil {
				return nil, err
			}
			defer done()
			s.caller(ss).named(req)
		}
		res, err = next(ctx, method, req)
		return res, writable(err)
	}
}

// writable returns an error that can be sent: for URIs with control characters the SDK writes
// some errors as invalid JSON, and then ends the connection.
func writable(err error) error {
	wire := (*jsonrpc.Error)(nil)
	if !errors.As(err, &wire) || len(wire.Data) == 0 || json.Valid(wire.Data) {
		return err
	}
	return &jsonrpc.Error{Code: wire.Code, Message: wire.Message}
}

// limit bounds a call: it ends with the server, or at a timeout if a store does not answer.
func (s *Server) limit(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, s.o.callTimeout)
	stop := context.AfterFunc(s.life, cancel)
	if s.o.began != nil {
		s.o.began(ctx)
	}
	return ctx, func() { stop(); cancel() }
}

// sdkLog returns the logger for the SDK.
func (s *Server) sdkLog() *slog.Logger { return slog.New(filteredLog{s.o.Log.Handler()}) }

// filteredLog passes the SDK's warnings and errors on.
type filteredLog struct{ slog.Handler }

func (q filteredLog) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
func (q filteredLog) WithAttrs(as []slog.Attr) slog.Handler {
	return filteredLog{q.Handler.WithAttrs(as)}
}
func (q filteredLog) WithGroup(name string) slog.Handler {
	return filteredLog{q.Handler.WithGroup(name)}
}
