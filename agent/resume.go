package agent

import (
	"context"
	"errors"

	"github.com/memend/memend/versions"
)

// What the model reads of a call whose result was lost with the program.
const (
	carriedOut  = "Interrupted: the command was carried out, but its result was lost. View the path before you go on"
	unknownCall = "Error: interrupted before the result was known. The command may have been carried out: look before you repeat it"
)

// repairInterrupted settles what was under way when the program of a kept conversation ended.
// A turn that was not whole keeps what was finished of it, and no call of it was run.
// Of the calls of a whole turn the trail knows which were.
func (s *Session) repairInterrupted() {
	h := s.past()
	if h.sent {
		s.emit(Event{Kind: Broken, Failure: &Failure{Type: "interrupted", Message: "memend ended in the middle of the turn"}})
		s.cancelCalls(cancelled)
	}
	h = s.past()
	if lost := h.unanswered(); len(lost) > 0 {
		changes, err := s.changes()
		for _, use := range lost {
			s.emit(s.lostCall(use, changes[use.ID], err == nil))
		}
	}
	if s.State().underWay {
		s.emit(Event{Kind: Idle, Reason: "interrupted"})
	}
	_ = s.sync()
}

// lostCall answers a call whose result was never told. One that changes nothing
// may as well not have been run.
func (s *Session) lostCall(use Block, c madeChange, known bool) Event {
	e := callEvent(Answered, use)
	switch {
	case c.number > 0:
		e.Text, e.Change, e.Store = carriedOut, c.number, c.store
	case known || e.Command == "view" || e.Command == "":
		e.Text, e.IsError = cancelled, true
	default:
		e.Text, e.IsError = unknownCall, true
	}
	return e
}

type madeChange struct {
	store  versions.StoreID
	number int64
}

// changes are those that this session made, by the call.
func (s *Session) changes() (map[string]madeChange, error) {
	if s.crew.o.Trail == nil {
		return nil, errors.ErrUnsupported
	}
	made := map[string]madeChange{}
	for _, a := range s.attached {
		if err := s.changesIn(s.life, a.Store, made); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (s *Session) changesIn(ctx context.Context, id versions.StoreID, made map[string]madeChange) error {
	store, err := s.crew.o.Trail.OpenStore(ctx, id)
	if err != nil {
		return err
	}
	const lately = 100 // an answer has fewer calls
	cs, err := store.Changes(ctx, versions.Filter{Session: s.id}, 0, lately)
	for _, c := range cs {
		made[c.ToolUse] = madeChange{id, c.Number}
	}
	return errors.Join(err, store.Close())
}

// ended reports whether the session is over.
func (s *Session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}
