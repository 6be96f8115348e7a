package chain

// The commitments of a change that is being written are computed from what is written: reading the rows again
// would cost a twentieth of a write.

// Link is a change as it was written, for Append.
type Link struct {
	ID, Number int64
	Facts      []any    // of the change, in the order of its shape, without those of its actor and session
	Actor      []byte   // commitment
	Session    []byte   // commitment; nil if there is none
	salts      [][]any  // of the versions
	versions   [][]byte // commitments
}

// OfActor returns the commitment of an actor.
func OfActor(salt, committed []byte, kind, name string) []byte {
	if committed != nil {
		return committed
	}
	return (&hasher{}).commit(Actor, salt, []any{kind, name})
}

// OfSession returns the commitment of a session.
func OfSession(salt, committed []byte, uid string, actor int64, ofActor []byte) []byte {
	if committed != nil {
		return committed
	}
	return (&hasher{}).commit(Session, salt, []any{uid, actor, ofActor})
}

// AddVersion adds a version with its facts, in the order of its shape, and nobody who redacted it.
func (l *Link) AddVersion(salt []byte, facts []any) {
	l.salts = append(l.salts, []any{salt})
	l.versions = append(l.versions, (&hasher{}).commit(Version, salt, append(facts, nil)))
}

// Append adds changes with consecutive numbers to the chain of a store, as Extend does.
func Append(x Tx, acts *Acts, store, keep int64, links []*Link) error {
	e, err := extending(x, acts, store, links[0].Number, keep)
	if err != nil {
		return err
	}
	h := &hasher{}
	for _, l := range links {
		out := &link{id: l.ID, number: l.Number, versions: len(l.versions)}
		salt := any(nil)
		if len(l.versions) == 0 {
			out.salt = NewSalt()
			salt = out.salt
		} else {
			salt = h.saltOf(l.salts)
		}
		out.parts = append([][]byte{h.commit(Change, salt, append(l.Facts, asFact(l.Actor), asFact(l.Session)))}, l.versions...)
		if err := e.add(x, out); err != nil {
			return err
		}
	}
	return e.end(x, links[len(links)-1].Number)
}

// asFact returns a commitment as a value of a row.
func asFact(commitment []byte) any {
	if commitment == nil {
		return nil
	}
	return commitment
}
