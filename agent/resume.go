package agent

import (
	"errors"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

// The results for calls whose own result was lost when the program ended.
const (
	callExecuted = "Interrupted: the command was executed, but its result was lost. View the path before you continue"
	unknownCall  = "Error: interrupted before the result was known. The command may have been executed: check before you repeat it"
)

// repairInterrupted ends the turn during which the program of a stored conversation ended. An
// incomplete turn keeps its finished blocks, and none of its calls was run. For the calls of a
// complete turn the trail shows which were run.
func (s *Session) repairInterrupted() {
	h := s.past()
	if h.sent {
		s.emit(Event{Kind: Broken, Failure: &Failure{Type: "interrupted", Message: "memend ended during the turn"}})
		s.cancelCalls(cancelled)
	}
	h = s.past()
	if lost := h.unanswered(); len(lost) > 0 {
		changes, err := s.changes()
		for _, use := range lost {
			s.emit(s.lostCall(use, changes[use.ID], err == nil))
		}
	}
	if s.State().running {
		s.emit(Event{Kind: Idle, Reason: "interrupted"})
	}
	_ = s.sync()
}

// lostCall returns the answer to a call whose result was lost. A call that changes nothing is
// treated as not run.
func (s *Session) lostCall(use Block, c madeChange, known bool) Event {
	e := callEvent(Answered, use)
	switch {
	case c.number > 0:
		e.Text, e.Change, e.Store = callExecuted, c.number, c.store
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

// changes returns the changes of this session, by tool_use id.
func (s *Session) changes() (map[string]madeChange, error) {
	if s.manager.o.Trail == nil {
		return nil, errors.ErrUnsupported
	}
	made := map[string]madeChange{}
	for _, a := range s.attached {
		store, err := s.manager.o.Trail.OpenStore(s.life, a.Store)
		if err != nil {
			return nil, err
		}
		const maxChanges = 100 // more than the calls of one answer
		cs, err := vhistory.Changes(s.life, store, versions.Filter{Session: s.id}, 0, maxChanges)
		if err = errors.Join(err, store.Close()); err != nil {
			return nil, err
		}
		for _, c := range cs {
			made[c.ToolUse] = madeChange{a.Store, c.Number}
		}
	}
	return made, nil
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
