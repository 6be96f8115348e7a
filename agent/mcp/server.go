package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say what a server serves.
type Options struct {
	Trail   *versions.Trail
	Stores  []versions.Attachment // what sessions work on
	Attach  bool                  // to each session, so that it may change nothing else; several stores need it
	Tools   Tools
	Session versions.SessionID // of every connection; empty: each has its own, or the client names one
	Actor   versions.Actor     // who calls; zero: an agent of the client's name
	Version string             // of memend

	// ClaudeCode is the session of Claude Code that started the server, if one did: that of
	// calls that Claude Code makes, over standard input.
	ClaudeCode versions.SessionID
	Log        *slog.Logger // nil: none is kept

	callTimeout, patience time.Duration // tests have shorter ones
	sessions              int           // at most; tests have fewer
}

// Tools says which tools there are.
type Tools string

const (
	MemoryTool Tools = "memory" // the one with six commands
	SixTools   Tools = "six"
	BothTools  Tools = "both"
)

// CallTimeout is how long a call waits for a store that another program has locked.
const CallTimeout = 30 * time.Second

// Server serves stores to any number of clients. Its methods are safe for
// concurrent use.
type Server struct {
	o      Options
	sdk    *mcp.Server
	cache  *storeCache
	life   context.Context
	end    context.CancelFunc
	watchs sync.WaitGroup

	mu      sync.Mutex
	callers map[*mcp.ServerSession]*caller
	kept    map[versions.StoreID]listed
}

// New makes a server. Stores that can't be opened yet, since their folder is away or
// another program has locked the trail, are opened when they can be.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.callTimeout, o.patience, o.sessions = cmp.Or(o.callTimeout, CallTimeout), cmp.Or(o.patience, patience), cmp.Or(o.sessions, maxSessions)
	if len(o.Stores) == 0 || len(o.Stores) > 1 && !o.Attach {
		return nil, errors.New("serve stores: several need to be attached, and there must be one")
	}
	s := &Server{o: o, callers: map[*mcp.ServerSession]*caller{}, kept: map[versions.StoreID]listed{}}
	s.life, s.end = context.WithCancel(context.Background())
	var err error
	if s.cache, err = newShelf(ctx, o.Trail, o.Stores, s.opened); err != nil {
		return nil, err
	}
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "memend", Title: "memend", Version: o.Version},
		&mcp.ServerOptions{
			Instructions:       s.instructions(),
			Logger:             s.sdkLog(),
			CompletionHandler:  s.complete,
			SubscribeHandler:   s.subscribe,
			UnsubscribeHandler: s.unsubscribe,
			SetCacheable:       private,
		})
	s.addTools()
	s.addTemplate()
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

// openTimeout is how long a server waits at first for a trail that another program
// has locked: a client that hears nothing gives up.
const openTimeout = 2 * time.Second

func private(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" }

// Serve serves one client over a pair of streams until it leaves or ctx ends. What it
// asked for before it left is carried out and answered.
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

// maxMessage is the longest message of a client, in bytes.
const maxMessage = agent.MaxLine

// Close ends all sessions, waits for the calls that are being carried out, and closes
// the stores.
func (s *Server) Close() error {
	s.end()
	if s.sdk != nil {
		for ss := range s.sdk.Sessions() {
			_ = ss.Close()
		}
	}
	s.watchs.Wait()
	return s.cache.close()
}

// discover is the probe of protocol 2026-07-28, which knows no sessions. Over HTTP a
// session is a connection here, so that the protocol is not spoken there: clients that are
// refused at the probe fall back to the handshake.
const discover = "server/discover"

var errNoDiscovery = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "over HTTP this server speaks protocol 2025-11-25 and older: begin with initialize"}

// receive stands before every message: it knows who calls, bounds how long a call
// may take, and keeps a fault of ours from ending the connection.
func (s *Server) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if fault := recover(); fault != nil {
				s.o.Log.Error("panic", "method", method, "value", fmt.Sprint(fault), "stack", string(debug.Stack()))
				res, err = nil, errors.New("internal error in memend; its log says more")
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
		if list, ok := req.(*mcp.ListResourcesRequest); ok {
			ctx, done := s.limit(ctx)
			defer done()
			return s.list(ctx, list)
		}
		res, err = next(ctx, method, req)
		return res, writable(err)
	}
}

// writable is an error that can be sent: the SDK writes some of them in no JSON when a
// URI holds control characters, and ends the connection then.
func writable(err error) error {
	wire := (*jsonrpc.Error)(nil)
	if !errors.As(err, &wire) || len(wire.Data) == 0 || json.Valid(wire.Data) {
		return err
	}
	return &jsonrpc.Error{Code: wire.Code, Message: wire.Message}
}

// limit bounds a call: it ends with the server, and with a store that does not answer.
func (s *Server) limit(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, s.o.callTimeout)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// sdkLog is where the SDK logs.
func (s *Server) sdkLog() *slog.Logger { return slog.New(quiet{s.o.Log.Handler()}) }

// quiet lets warnings and errors of the SDK through, but not that a client over HTTP
// has no stream open on which it could be told of a change.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "rejected by transport") {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
func (q quiet) WithAttrs(as []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(as)} }
func (q quiet) WithGroup(name string) slog.Handler    { return quiet{q.Handler.WithGroup(name)} }
