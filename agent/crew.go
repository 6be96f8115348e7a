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
	"sync"
	"time"

	"github.com/memend/memend/versions"
)

// ErrNoModel is a session without a model, where the API lists none to choose from.
var ErrNoModel = errors.New("no model is set")

// CrewOptions say what the sessions of a Crew work with.
type CrewOptions struct {
	API       API
	Trail     *versions.Trail
	Journal   func(versions.SessionID) (Journal, error) // nil: conversations are not kept
	Settings  Settings                                  // of sessions that bring none
	Simulated bool                                      // the API is a script; the screens say so
	Now       func() time.Time                          // nil: time.Now
	// Report is told of a panic in a session, which is contained. Nil: nobody is.
	Report func(session versions.SessionID, what any, stack []byte)
}

// Journal keeps a conversation: every event but the live ones, in order. A session
// uses it from one goroutine.
type Journal interface {
	Append(Event) error
	Sync() error // what was appended is on disk
	Close() error
}

// Start says what a session begins with.
type Start struct {
	Prompt   string // may be empty: the session waits for Send
	Name     string // the actor's; empty: "agent"
	Stores   []versions.Attachment
	Settings Settings // zero: the crew's. Without a model: the newest of the API's
}

// Crew are the sessions of the built-in agent that run in this process. It may be
// used from several goroutines.
type Crew struct {
	o      CrewOptions
	attach func(context.Context, versions.By, []versions.Attachment) (stores, error)
	random func() float64

	mu       sync.Mutex
	sessions []*Session
	models   []Model
	closed   bool
}

// NewCrew makes a crew without sessions.
func NewCrew(o CrewOptions) *Crew {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Crew{o: o, random: rand.Float64}
	c.attach = func(ctx context.Context, by versions.By, as []versions.Attachment) (stores, error) {
		a, err := o.Trail.Attach(ctx, by, as)
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

// Ready reports what stands in the way of a session: ErrNoCredentials, whose text
// names the variables to set, or that the API can't be reached. A gateway that
// lists no models is ready.
func (c *Crew) Ready(ctx context.Context) error {
	_, err := c.Models(ctx)
	if f := (*Failure)(nil); errors.As(err, &f) && (f.Status == 404 || f.Status == 405 || f.Status == 501) {
		return nil
	}
	return err
}

// Models lists the models that there are. The API is asked once.
func (c *Crew) Models(ctx context.Context) ([]Model, error) {
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

// model is what is known of a model; nothing before Models was answered.
func (c *Crew) model(id string) Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.models {
		if m.ID == id {
			return m
		}
	}
	return Model{ID: id}
}

// Settings are those of sessions that bring none.
func (c *Crew) Settings() Settings { return c.o.Settings }

// Start begins a session. The context is for the beginning only.
func (c *Crew) Start(ctx context.Context, st Start) (*Session, error) {
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
	s, err := c.open(ctx, versions.NewSession(), Actor{Type: versions.Agent, Name: cmp.Or(st.Name, "agent")}, st.Stores)
	if err != nil {
		return nil, err
	}
	if st.Prompt != "" {
		s.pending.prompts = []string{st.Prompt}
	}
	return c.begin(s, Event{Kind: Started, Settings: &set, Stores: s.attached, Simulated: c.o.Simulated})
}

// Resume goes on with a conversation that was kept: its events in order, which are
// read twice. What was under way when its program ended is settled first, as if it had
// been stopped.
func (c *Crew) Resume(ctx context.Context, kept iter.Seq2[Event, error]) (*Session, error) {
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
	for e, err := range kept { // nobody else adds to it now
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

// beginning is the first event of a conversation.
func beginning(kept iter.Seq2[Event, error]) (Event, error) {
	for e, err := range kept {
		if err == nil && (e.Kind != Started || e.Session == "" || len(e.Stores) == 0) {
			err = ErrNoBeginning
		}
		return e, err
	}
	return Event{}, ErrNoBeginning
}

// ErrNoBeginning is a conversation that does not say how it began.
var ErrNoBeginning = errors.New("the conversation has no beginning")

// open attaches the stores and opens the journal.
func (c *Crew) open(ctx context.Context, id versions.SessionID, actor Actor, as []versions.Attachment) (*Session, error) {
	m, err := c.attach(ctx, versions.By{Actor: versions.Actor{Kind: actor.Type, Name: actor.Name}, Session: id}, as)
	if err != nil {
		return nil, err
	}
	s := &Session{
		crew: c, id: id, actor: actor, memory: m, subs: map[*Subscription]struct{}{},
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	for i, at := range m.Mounts() {
		s.attached = append(s.attached, Attachment{as[i].Store, at.Name, at.Path, at.Access, at.Instructions})
	}
	if c.o.Journal != nil {
		if s.journal, err = c.o.Journal(id); err != nil {
			return nil, errors.Join(fmt.Errorf("keep the conversation: %w", err), m.Close())
		}
	}
	s.life, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// begin lets a session work. One that can't begin leaves nothing open.
func (c *Crew) begin(s *Session, first Event) (*Session, error) {
	c.mu.Lock()
	twice := slices.ContainsFunc(c.sessions, func(o *Session) bool { return o.id == s.id && !o.ended() })
	if c.closed || twice {
		c.mu.Unlock()
		return nil, errors.Join(ErrEnded, s.discard())
	}
	s.recoverPanic(func() { s.emit(first) }) // before anybody can ask anything of it
	c.sessions = slices.DeleteFunc(c.sessions, func(o *Session) bool { return o.id == s.id })
	c.sessions = append(c.sessions, s)
	known := c.models != nil
	c.mu.Unlock()
	if !known { // for the size of the model's window; nothing waits for it
		c.o.Trail.Go(func() { _, _ = c.Models(s.life) })
	}
	c.o.Trail.Go(s.serve)
	return s, nil
}

// discard closes what a session that never worked has open.
func (s *Session) discard() error {
	s.end(errClosed)
	var err error
	if s.journal != nil {
		err = s.journal.Close()
	}
	return errors.Join(err, s.memory.Close())
}

// Sessions lists the sessions in the order in which they began; those that ended
// in this process too.
func (c *Crew) Sessions() []*Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sessions)
}

// Session finds one; nil when it isn't one of this process.
func (c *Crew) Session(id versions.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

// Close ends all sessions and waits for them; what is finished is kept. None begins
// after it.
func (c *Crew) Close() error {
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
