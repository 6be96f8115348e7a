package script

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/memend/memend/agent"
)

// Options configures a Server.
type Options struct {
	Conversations []Conversation
	Otherwise     func(Request) Turn // for prompts that no script answers; nil: a reply that says so
	SummaryFaults []Fault            // for summaries that a client requests, like Turn.Faults

	Models []agent.Model // the available models, the newest first; none: DefaultModels, and any other name works too

	// Any describes models that are not in Models, except for their name; the zero Model: they don't exist.
	Any agent.Model

	// TokensPerByte is the ratio for estimating tokens; 0: a quarter.
	TokensPerByte float64

	Delay time.Duration // between the events of a stream
	Ping  time.Duration // between pings while a turn waits or hangs; 0: 15 s
	// Sleep waits, or returns the context's error when that ends; nil: real time.
	Sleep func(context.Context, time.Duration) error

	Keep int // number of requests to record; 0: 64
}

// Server is the simulated API.
type Server struct {
	o    Options
	http *http.Server
	url  string
	done chan struct{}

	cache cache

	mu     sync.Mutex
	tries  map[string]int
	paused map[string]bool // last blocks of turns that were paused
	record []Recorded
}

// Recorded is a received request.
type Recorded struct {
	Method string
	Path   string // with its query
	Header http.Header
	Body   []byte
}

const (
	maxBody  = 64 << 20 // of a request; the API accepts 32 MB
	maxTries = 4096     // number of turns that are remembered
)

// New starts a server on a free port of 127.0.0.1.
func New(o Options) (*Server, error) {
	if err := checkConversations(o.Conversations); err != nil {
		return nil, err
	}
	if o.TokensPerByte <= 0 {
		o.TokensPerByte = 0.25
	}
	if o.Ping <= 0 {
		o.Ping = 15 * time.Second
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Keep <= 0 {
		o.Keep = 64
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the scripted agent can't listen: %w", err)
	}
	s := &Server{o: o, url: "http://" + l.Addr().String(), done: make(chan struct{}), tries: map[string]int{}, paused: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.with(s.messages))
	mux.HandleFunc("GET /v1/models", s.with(s.models))
	mux.HandleFunc("GET /v1/models/{id}", s.with(s.model))
	mux.HandleFunc("/", s.with(func(w http.ResponseWriter, r *http.Request, _ []byte) {
		refusal{http.StatusNotFound, "not_found_error", "Not found"}.write(w)
	}))
	// Aborted replies are intended; the server would log each.
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(l) // ends with Close
	}()
	return s, nil
}

// URL returns the base URL.
func (s *Server) URL() string { return s.url }

// Close stops the server and all its replies.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// Requests returns the last recorded requests, the newest last.
func (s *Server) Requests() []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Recorded(nil), s.record...)
}

// with reads and records a request and checks its headers.
func (s *Server) with(h func(http.ResponseWriter, *http.Request, []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			refusal{http.StatusRequestEntityTooLarge, "request_too_large", "Request exceeds the maximum size"}.write(w)
			return
		}
		s.mu.Lock()
		s.record = append(s.record, Recorded{r.Method, r.URL.RequestURI(), r.Header.Clone(), raw})
		if n := len(s.record) - s.o.Keep; n > 0 {
			s.record = append([]Recorded(nil), s.record[n:]...)
		}
		s.mu.Unlock()
		if bad := checkHeaders(r.Header); bad != nil {
			bad.write(w)
			return
		}
		h(w, r, raw)
	}
}

// messages handles POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request, raw []byte) {
	b, bad := s.read(r.Header, raw)
	if bad == nil {
		bad = b.check()
	}
	if bad != nil {
		bad.write(w)
		return
	}
	out, bad := s.play(b)
	if bad != nil {
		bad.write(w)
		return
	}
	var f Fault
	if out.try < len(out.turn.Faults) {
		f = out.turn.Faults[out.try]
	}
	switch {
	case f.Kind == Refuse:
		f.retryHeaders(w.Header())
		refusal{f.Status, f.Type, f.Message}.write(w)
	case f.Kind == Reset && f.After == 0:
		reset(w)
	case b.Stream:
		s.stream(w, r, out, f)
	case f.Kind != 0:
		_ = s.pause(r.Context(), out.turn.Wait) // a reply that isn't streamed has no partial form
		reset(w)
	default:
		if s.pause(r.Context(), out.turn.Wait) == nil {
			writeJSON(w, http.StatusOK, out.message())
		}
	}
}

// read decodes a request and finds its model.
func (s *Server) read(h http.Header, raw []byte) (*body, *refusal) {
	b, err := parse(h, raw)
	if err != nil {
		return nil, invalid("%v", err)
	}
	if len(s.o.Models) > 0 && b.Model != "" && s.asked(b.Model) == nil {
		return nil, &refusal{http.StatusNotFound, "not_found_error", "model: " + b.Model}
	}
	b.paused = s.wasPaused
	return b, nil
}

// tried counts the attempts of a turn and returns the number of earlier ones.
func (s *Server) tried(at place, messages int) int {
	key := fmt.Sprint(at, " ", messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tries) >= maxTries {
		clear(s.tries)
	}
	s.tries[key]++
	return s.tries[key] - 1
}

// pauses records where a turn was paused: a later request may end with that block.
func (s *Server) pauses(out *reply) {
	if out.stop != agent.StopPauseTurn || len(out.blocks) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.paused) >= maxTries {
		clear(s.paused)
	}
	s.paused[endOf(out.blocks[len(out.blocks)-1])] = true
}

func (s *Server) wasPaused(b agent.Block) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused[endOf(b)]
}

func endOf(b agent.Block) string { return b.Type + "\x00" + b.ID + "\x00" + b.Text }

// pause waits for d unless it is zero.
func (s *Server) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	return s.o.Sleep(ctx, d)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("content-type", "application/json")
	w.Header().Set("request-id", requestID)
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the client may have disconnected
}

const requestID = "req_scripted"
