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
	"sync"
	"time"

	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// Options configures a Server.
type Options struct {
	Trail *engine.Trail
	Guard tokens.Guard // checks the clients' keys; the zero Guard accepts any key, or none
	Erase bool         // clients may redact versions and delete stores, which is irrevocable
	Local bool         // answer only requests to a name of this machine, as a defence against DNS rebinding
	Log   *slog.Logger // of requests, without contents, paths and keys; nil: no log
	Wait  time.Duration

	Attached []versions.Attachment // the only stores that clients see; none: all stores of the home
}

// defaultWait is how long a request waits for the lock, or for a store to be opened, before the client is
// told to try again.
const defaultWait = 15 * time.Second

// Server serves the memory-stores API of one home.
type Server struct {
	o     Options
	cache *storeCache
	mux   *http.ServeMux
	run   [32]byte // random; the sessions of this run are derived from it

	life     context.Context // until Close
	end      context.CancelFunc
	mu       sync.Mutex // orders the end of life and the arrival of requests
	requests sync.WaitGroup
}

// New returns a Server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	s := &Server{o: o, mux: http.NewServeMux()}
	s.life, s.end = context.WithCancel(context.Background())
	s.cache = newStoreCache(s.life, o.Trail, o.Log)
	_, _ = rand.Read(s.run[:]) // never fails
	s.routes()
	return s
}

// Close cancels the requests in progress, waits for them, and then flushes and closes the open
// stores. Later requests are refused: the trail may be closed.
func (s *Server) Close() error {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.requests.Wait()
	return s.cache.close()
}

// enter registers a request, until requests.Done is called, if the server is not closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return false
	}
	s.requests.Add(1)
	return true
}

// call is one request in progress.
type call struct {
	*http.Request
	s  *Server
	w  http.ResponseWriter
	by versions.By
}

// respond handles a call; it returns an object or an error.
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
	return nil, &failure{status: http.StatusNotFound, kind: notFound, message: "unknown path; the API begins at /v1/memory_stores"}
}

// ServeHTTP handles one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The mux would redirect the client, with an HTML body.
	if !strings.HasPrefix(r.URL.Path, "/") || r.URL.Path != path.Clean(r.URL.Path) || r.Method == http.MethodConnect {
		s.serve(w, r, nowhere)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// serve handles a request with do, and logs it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, do respond) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Wait)
	defer cancel()
	stop := context.AfterFunc(s.life, cancel)
	defer stop()
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

// perform runs do if the client is admitted. It converts a panic into an error response.
func (s *Server) perform(c *call, do respond, a *answer) (body any, failed *failure) {
	defer func() {
		if value := recover(); value != nil {
			s.o.Log.Error("panic", "request", a.id, "value", value, "stack", string(debug.Stack()))
			a.cause = errors.New("panic")
			body, failed = nil, &failure{status: http.StatusInternalServerError, kind: apiError, message: "internal error in memend; see its log"}
		}
	}()
	if !s.enter() {
		return nil, closing
	}
	defer s.requests.Done()
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
