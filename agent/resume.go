package agent

// unknownCall answers a call of which nobody knows whether it was carried out.
const unknownCall = "Error: interrupted before the result was known. The command may have been carried out: look before you repeat it"

// mend settles what was under way when the program of a kept conversation ended.
// A turn that was not whole keeps what was finished of it, and no call of it was run;
// a call of a whole turn may have been.
func (s *Session) mend() {
	h := s.past()
	text := unknownCall
	if h.sent {
		s.emit(Event{Kind: Broken, Failure: &Failure{Type: "interrupted", Message: "memtrail ended in the middle of the turn"}})
		text = cancelled
	}
	s.cancelCalls(text)
	if s.State().underWay {
		s.emit(Event{Kind: Idle, Reason: "interrupted"})
	}
	_ = s.sync()
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
