package storesapi

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
)

// Options are what a Server serves, and to whom.
type Options struct {
	Trail *versions.Trail
	Guard tokens.Guard // the keys that clients must send; the zero Guard takes any, or none
	Erase bool         // clients may redact versions and delete stores, which nothing brings back
	Local bool         // answer only who asks for this machine by a name of its own: other names may be a trap for browsers
	Log   *slog.Logger // of requests, without contents, paths and keys; nil: none
	Wait  time.Duration
}

// defaultWait is how long a request waits for its turn to write, or for a store to
// be read in, before it is told to come again.
const defaultWait = 15 * time.Second

// Server is the memory-stores API of one home.
type Server struct {
	o     Options
	cache *storeCache
	mux   *http.ServeMux
	run   [32]byte // what the sessions of this run are made from
}

// New makes a Server. Close it when no request is under way any more.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	s := &Server{o: o, cache: newShelf(o.Trail, o.Log), mux: http.NewServeMux()}
	_, _ = rand.Read(s.run[:]) // never fails
	s.routes()
	return s
}

// Close settles and closes the stores that were opened.
func (s *Server) Close() error { return s.cache.close() }

// call is one request under way.
type call struct {
	*http.Request
	s  *Server
	w  http.ResponseWriter
	by versions.By
}

// respond answers a call with an object, or with an error.
type respond func(*call) (any, error)

func (s *Server) routes() {
	const stores = "/v1/memory_stores"
	const store = stores + "/{store}"
	for _, at := range []struct {
		path    string
		methods map[string]respond
	}{
		{stores, map[string]respond{"GET": listStores, "POST": createStore}},
		{store, map[string]respond{"GET": retrieveStore, "POST": updateStore, "DELETE": deleteStore}},
		{store + "/archive", map[string]respond{"POST": archiveStore}},
		{store + "/memories", map[string]respond{"GET": listMemories, "POST": createMemory}},
		{store + "/memories/{memory}", map[string]respond{"GET": retrieveMemory, "POST": updateMemory, "PATCH": updateMemory, "DELETE": deleteMemory}},
		{store + "/memory_versions", map[string]respond{"GET": listVersions}},
		{store + "/memory_versions/{version}", map[string]respond{"GET": retrieveVersion}},
		{store + "/memory_versions/{version}/redact", map[string]respond{"POST": redactVersion}},
	} {
		s.mux.HandleFunc(at.path, func(w http.ResponseWriter, r *http.Request) {
			do := at.methods[r.Method]
			if do == nil {
				do = func(*call) (any, error) {
					return nil, &failure{status: http.StatusMethodNotAllowed, kind: invalidRequest, message: r.Method + " is not allowed here"}
				}
			}
			s.serve(w, r, do)
		})
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, nowhere) })
}

func nowhere(*call) (any, error) {
	return nil, &failure{status: http.StatusNotFound, kind: notFound, message: "there is nothing here; the API begins at /v1/memory_stores"}
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The mux would send the client elsewhere, in HTML.
	if !strings.HasPrefix(r.URL.Path, "/") || r.URL.Path != path.Clean(r.URL.Path) || r.Method == http.MethodConnect {
		s.serve(w, r, nowhere)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// serve answers by do, and notes in the log that it did.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, do respond) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Wait)
	defer cancel()
	c := &call{Request: r.WithContext(ctx), s: s, w: w}
	a := answer{id: newRequestID()}
	a.body, a.failed = s.perform(c, do, &a)
	a.write(w)
	level := slog.LevelInfo
	attrs := []any{"request", a.id, "method", r.Method, "at", r.Pattern, "status", a.status(), "took", time.Since(began).Round(time.Microsecond), "key", c.by.Actor.Name}
	if a.status() >= 500 {
		level = slog.LevelError
		attrs = append(attrs, "error", a.cause)
	}
	s.o.Log.Log(r.Context(), level, "request", attrs...)
}

// perform does what a request asks for, if it may be asked for. A panic is a fault of
// ours, and an answer like any other.
func (s *Server) perform(c *call, do respond, a *answer) (body any, failed *failure) {
	defer func() {
		if value := recover(); value != nil {
			s.o.Log.Error("panic", "request", a.id, "value", value, "stack", string(debug.Stack()))
			a.cause = errors.New("panic")
			body, failed = nil, &failure{status: http.StatusInternalServerError, kind: apiError, message: "internal error in memend; its log says more"}
		}
	}()
	err := s.admit(c)
	if err == nil {
		body, err = do(c)
	}
	if err != nil {
		a.cause = err
		return nil, failureOf(err)
	}
	return body, nil
}
