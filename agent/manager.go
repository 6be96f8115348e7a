package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vstores "github.com/memend/memend/versions/stores"
)

// ErrNoModel reports that no model is set and the API lists none to choose from.
var ErrNoModel = errors.New("no model is set")

// ManagerOptions configures the sessions of a Manager.
type ManagerOptions struct {
	API       API
	Trail     *engine.Trail
	Journal   func(versions.SessionID) (Journal, error) // nil: conversations are not stored
	Settings  Settings                                  // of sessions that set none
	Simulated bool                                      // the API is a script; the screens show that
	Now       func() time.Time                          // nil: time.Now
	// Report is called after a panic in a session, which ends only that session. It may be nil.
	Report func(session versions.SessionID, what any, stack []byte)
}

// Journal stores a conversation: every event except live ones, in order. A session uses it
// from one goroutine.
type Journal interface {
	Append(Event) error
	Sync() error // flush what was appended to the disk
	Close() error
}

// Start configures a new session.
type Start struct {
	Prompt   string // may be empty: the session then waits for Send
	Name     string // the actor's; empty: "agent"
	Stores   []versions.Attachment
	Settings Settings // zero: the manager's. Without a model: the newest that the API lists
}

// Manager manages the sessions of the built-in agent in this process. It is safe for concurrent
// use.
type Manager struct {
	o      ManagerOptions
	attach func(context.Context, versions.By, []versions.Attachment) (stores, error)
	random func() float64

	mu       sync.Mutex
	sessions []*Session
	models   []Model
	closed   bool
}

// NewManager returns a manager without sessions.
func NewManager(o ManagerOptions) *Manager {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Manager{o: o, random: rand.Float64}
	c.attach = func(ctx context.Context, by versions.By, as []versions.Attachment) (stores, error) {
		a, err := vstores.Attach(ctx, o.Trail, by, as)
		if err != nil {
			return nil, err
		}
		if err := a.Sync(ctx); err != nil {
			return nil, errors.Join(err, a.Close())
		}
		return a, nil
	}
	return c
}

// Ready reports why a session could not start: ErrNoCredentials, whose text names the
// variables to set, or that the API can't be reached. A gateway that lists no models is ready.
func (c *Manager) Ready(ctx context.Context) error {
	_, err := c.Models(ctx)
	if f := (*Failure)(nil); errors.As(err, &f) && (f.Status == 404 || f.Status == 405 || f.Status == 501) {
		return nil
	}
	return err
}

// Models lists the available models. It asks the API once.
func (c *Manager) Models(ctx context.Context) ([]Model, error) {
	c.mu.Lock()
	known := c.models
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	ms, err := c.o.API.Models(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.models = ms
	return ms, nil
}

// model returns what is known about a model: nothing until Models has succeeded.
func (c *Manager) model(id string) Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.models {
		if m.ID == id {
			return m
		}
	}
	return Model{ID: id}
}

// Start starts a session. ctx is used only during the start.
func (c *Manager) Start(ctx context.Context, st Start) (*Session, error) {
	if st.Prompt != "" && strings.TrimSpace(st.Prompt) == "" {
		return nil, ErrNoPrompt
	}
	set := st.Settings
	if reflect.DeepEqual(set, Settings{}) {
		set = c.o.Settings
	}
	if set.Model == "" {
		ms, err := c.Models(ctx)
		if err != nil {
			return nil, fmt.Errorf("choose a model: %w", err)
		}
		if len(ms) == 0 {
			return nil, ErrNoModel
		}
		set.Model = ms[0].ID
	}
	if err := set.CheckFor(c.model(set.Model)); err != nil {
		return nil, err
	}
	s, err := c.open(ctx, versions.NewSession(), versions.Actor{Kind: versions.Agent, Name: cmp.Or(st.Name, "agent")}, st.Stores)
	if err != nil {
		return nil, err
	}
	if st.Prompt != "" {
		s.pending.prompts = []string{st.Prompt}
	}
	return c.begin(s, Event{Kind: Started, Settings: &set, Stores: s.attached, Simulated: c.o.Simulated})
}

// Resume continues a stored conversation. kept yields its events in order; Resume iterates over
// it twice. If the program ended during a turn, that turn is ended first, as by Stop.
func (c *Manager) Resume(ctx context.Context, kept iter.Seq2[Event, error]) (*Session, error) {
	first, err := beginning(kept)
	if err != nil {
		return nil, fmt.Errorf("resume: %w", err)
	}
	if old := c.Session(first.Session); old != nil && !old.ended() {
		return old, nil
	}
	var as []versions.Attachment
	for _, a := range first.Stores {
		as = append(as, versions.Attachment{Store: a.Store, Access: a.Access, Instructions: a.Instructions})
	}
	s, err := c.open(ctx, first.Session, first.Actor, as)
	if err != nil {
		return nil, err
	}
	for e, err := range kept { // nobody else appends to it now
		if err != nil {
			return nil, errors.Join(fmt.Errorf("resume: %w", err), s.discard())
		}
		s.state.Take(e)
		s.history.take(e)
	}
	s.seq = s.state.last
	set := s.state.Settings
	return c.begin(s, Event{Kind: Resumed, Settings: &set, Stores: s.attached, Simulated: c.o.Simulated})
}

// beginning returns the first event of a conversation.
func beginning(kept iter.Seq2[Event, error]) (Event, error) {
	for e, err := range kept {
		if err == nil && (e.Kind != Started || e.Session == "" || len(e.Stores) == 0) {
			err = ErrNoBeginning
		}
		return e, err
	}
	return Event{}, ErrNoBeginning
}

// ErrNoBeginning reports that a stored conversation lacks its first event.
var ErrNoBeginning = errors.New("the conversation does not begin with the start of a session")

// open attaches the stores and opens the journal.
func (c *Manager) open(ctx context.Context, id versions.SessionID, actor versions.Actor, as []versions.Attachment) (*Session, error) {
	m, err := c.attach(ctx, versions.By{Door: versions.DoorAgent, Actor: versions.Actor{Kind: actor.Kind, Name: actor.Name}, Session: id}, as)
	if err != nil {
		return nil, err
	}
	s := &Session{
		manager: c, id: id, actor: actor, memory: m, subs: map[*Subscription]struct{}{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	for i, at := range m.Mounts() {
		s.attached = append(s.attached, Attachment{as[i].Store, at.Name, at.Path, at.Access, at.Instructions})
	}
	if c.o.Journal != nil {
		if s.journal, err = c.o.Journal(id); err != nil {
			return nil, errors.Join(fmt.Errorf("store the conversation: %w", err), m.Close())
		}
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// begin starts a session's goroutine. If it fails, nothing stays open.
func (c *Manager) begin(s *Session, first Event) (*Session, error) {
	c.mu.Lock()
	twice := slices.ContainsFunc(c.sessions, func(o *Session) bool { return o.id == s.id && !o.ended() })
	if c.closed || twice {
		c.mu.Unlock()
		return nil, errors.Join(ErrEnded, s.discard())
	}
	s.recoverPanic(func() { s.emit(first) }) // before anybody can use it
	c.sessions = slices.DeleteFunc(c.sessions, func(o *Session) bool { return o.id == s.id })
	c.sessions = append(c.sessions, s)
	known := c.models != nil
	c.mu.Unlock()
	if !known { // fetch the size of the model's context window; nothing waits for it
		c.o.Trail.Go(func() { _, _ = c.Models(s.life) })
	}
	c.o.Trail.Go(s.serve)
	return s, nil
}

// discard closes the resources of a session that never started.
func (s *Session) discard() error {
	s.end(errClosed)
	var err error
	if s.journal != nil {
		err = s.journal.Close()
	}
	return errors.Join(err, s.memory.Close())
}

// Sessions lists the sessions in the order of their starts, including those that ended in this
// process.
func (c *Manager) Sessions() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sessions)
}

// Session returns a session by id, or nil if it is not one of this process.
func (c *Manager) Session(id versions.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

// Close ends all sessions and waits for them; finished blocks are kept. No session can start
// afterwards.
func (c *Manager) Close() error {
	c.mu.Lock()
	c.closed = true
	all := slices.Clone(c.sessions)
	c.mu.Unlock()
	for _, s := range all {
		s.end(errClosed)
	}
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
