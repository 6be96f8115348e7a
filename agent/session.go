package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/memend/memend/versions"
)

// Errors of a session's methods.
var (
	ErrEnded     = errors.New("the session has ended")
	ErrNoPrompt  = errors.New("the prompt is empty")
	ErrNoHistory = errors.New("there is nothing to compact")
)

var errClosed = errors.New("closed")

// stores are the stores of a session: *versions.Attached.
type stores interface {
	Memory
	Mounts() []versions.Mount
	Prompt() string
	Close() error
}

// Session is one conversation with the built-in agent. It is safe for concurrent use and
// reports everything to its watchers.
//
// One goroutine does the work and alone emits the events that are stored, so that the journal
// has them in the order in which things happened. Requests from other goroutines wait for the
// next safe point.
type Session struct {
	manager  *Manager
	id       versions.SessionID
	actor    versions.Actor
	memory   stores
	attached []Attachment
	journal  Journal // nil: nothing is stored

	life context.Context
	end  context.CancelCauseFunc
	wake chan struct{}
	done chan struct{}

	mu      sync.Mutex
	state   State
	history history
	rate    float64 // tokens per byte
	subs    map[*Subscription]struct{}
	pending pending
	stop    context.CancelCauseFunc // stops the current work; nil while idle
	over    bool

	seq        int64
	journalErr error // why the journal can't be written any more
	refused    bool  // a compaction failed in this run: don't try again in it
}

// pending is what was requested and waits for the next safe point.
type pending struct {
	prompts []string
	compact bool
	stopped bool // before the run began
}

func (a pending) any() bool {
	return len(a.prompts) > 0 || a.compact
}

// ID returns the session of every change and read that it makes.
func (s *Session) ID() versions.SessionID { return s.id }

// By returns what the session states about itself with each call.
func (s *Session) By() versions.By {
	return versions.By{Door: versions.DoorAgent, Actor: s.actor, Session: s.id}
}

// State returns a copy of the current state.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.clone()
}

// Send sends the agent a prompt. While the agent works, the prompt waits.
func (s *Session) Send(text string) error {
	if strings.TrimSpace(text) == "" {
		return ErrNoPrompt
	}
	return s.ask(func() error {
		s.pending.prompts = append(s.pending.prompts, text)
		s.report(Event{Kind: Queued, Text: text})
		return nil
	})
}

// Stop stops the agent's current work at once. The session continues with the next waiting
// prompt, if there is one.
func (s *Session) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop(errStopped)
		return
	}
	s.pending.stopped = len(s.pending.prompts) > 0
}

// Compact requests a compaction at the next safe point.
func (s *Session) Compact() error {
	return s.ask(func() error {
		if len(s.history.messages) == 0 {
			return ErrNoHistory
		}
		s.pending.compact = true
		return nil
	})
}

// ask records a request for the session's goroutine and wakes it.
func (s *Session) ask(note func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.life.Err() != nil {
		return ErrEnded
	}
	if err := note(); err != nil {
		return err
	}
	select {
	case s.wake <- struct{}{}:
	default: // already awake
	}
	return nil
}

// Close ends the session and waits for it; finished blocks are kept.
func (s *Session) Close() error {
	s.end(errClosed)
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journalErr
}

// serve is the session's goroutine.
func (s *Session) serve() {
	defer close(s.done)
	defer s.recoverPanic(s.finish)
	s.recoverPanic(func() {
		s.repairInterrupted()
		for s.wait() {
			s.work()
		}
	})
}

// wait waits for work; it returns false when the session is to end.
func (s *Session) wait() bool {
	for {
		if s.life.Err() != nil {
			return false
		}
		s.mu.Lock()
		work := s.pending.any()
		s.mu.Unlock()
		if work {
			return true
		}
		select {
		case <-s.wake:
		case <-s.life.Done():
		}
	}
}

// work runs the next prompt, or makes the requested summary.
func (s *Session) work() {
	ctx, cancel := context.WithCancelCause(s.life)
	defer cancel(nil)
	s.mu.Lock()
	prompt := ""
	if len(s.pending.prompts) > 0 {
		prompt = s.pending.prompts[0]
		s.pending.prompts = s.pending.prompts[1:]
	}
	s.stop = cancel
	if s.pending.stopped {
		cancel(errStopped)
		s.pending.stopped = false
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop = nil
	}()
	s.refused = false
	_ = s.compactIfDue(ctx) // the run checks again whether it may continue
	if prompt != "" {
		s.run(ctx, prompt)
	}
}

// finish closes the session's resources and subscriptions.
func (s *Session) finish() {
	reason := ""
	if cause := context.Cause(s.life); cause != nil {
		reason = cause.Error()
	}
	s.emit(Event{Kind: Ended, Reason: reason})
	_ = s.sync()
	if s.journal != nil {
		s.fail(s.journal.Close())
	}
	s.fail(s.memory.Close())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for sub := range s.subs {
		sub.finish()
	}
}

// recoverPanic runs do; a panic in it ends only this session.
func (s *Session) recoverPanic(do func()) {
	defer func() {
		what := recover()
		if what == nil {
			return
		}
		if s.manager.o.Report != nil {
			s.manager.o.Report(s.id, what, debug.Stack())
		}
		s.end(fmt.Errorf("broken: %v", what))
		defer func() { _ = recover() }() // reporting may panic too
		s.emit(Event{Kind: Broken, Failure: &Failure{Type: "internal", Message: fmt.Sprint(what)}})
	}()
	do()
}

// emit appends an event to the journal and then sends it to the watchers, so that someone who
// starts to watch and then reads the journal misses nothing. Only the session's goroutine calls
// it.
func (s *Session) emit(e Event) {
	e.Session, e.Actor, e.Time = s.id, s.actor, s.manager.o.Now()
	if e.Kind == Sent {
		s.mu.Lock()
		e.Turn = s.state.Turn + 1
		s.mu.Unlock()
	}
	if e.IsLive() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.report(e)
		return
	}
	s.seq++
	e.Seq = s.seq
	s.mu.Lock()
	if e.Turn == 0 {
		e.Turn = s.state.Turn
	}
	s.mu.Unlock()
	if s.journal != nil && s.journalErr == nil {
		s.fail(s.journal.Append(e))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history.take(e)
	s.report(e)
}

// report applies an event to the state and sends it to the watchers. The caller holds the lock.
func (s *Session) report(e Event) {
	if e.Session == "" {
		e.Session, e.Actor, e.Time = s.id, s.actor, s.manager.o.Now()
	}
	if e.Turn == 0 {
		e.Turn = s.state.Turn
	}
	if e.Seq == 0 {
		e.Seq = s.state.last
	}
	s.state.Take(e)
	for sub := range s.subs {
		sub.push(e)
	}
}

// sync flushes the journal to the disk.
func (s *Session) sync() error {
	if s.journal != nil && s.journalErr == nil {
		s.fail(s.journal.Sync())
	}
	return s.journalErr
}

// fail records the first failure of the journal. Nothing is written after it: a journal with a
// gap would be misleading.
func (s *Session) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.journalErr == nil {
		s.journalErr = fmt.Errorf("store the conversation: %w", err)
	}
}

// settings returns the current settings.
func (s *Session) settings() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Settings
}

// past returns the current history, for reading.
func (s *Session) past() history {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.history
	h.messages = slices.Clip(h.messages)
	return h
}
