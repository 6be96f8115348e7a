package core

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/policy"
)

// governance is all that decides about the mutations of a session.
type governance struct {
	rules policy.Policy
	pins  bool   // there are some
	salt  []byte // of rejected lines; nil if there are none
}

// governance reads it with one statement, because every mutation needs it.
func (x *Txn) governance(session versions.SessionID) (g governance, err error) {
	err = x.Row(`SELECT `+tables.PolicyText+`,EXISTS(SELECT 1 FROM pin WHERE store=?1),(SELECT salt FROM store WHERE id=?1)`, x.Store.Row, string(session)).Scan(tables.PolicyTo(&g.rules), &g.pins, &g.salt)
	return g, err
}

// AsPerson runs a durable transaction that only a person may make. It changes no memory.
func AsPerson(ctx context.Context, s *Store, by versions.By, what string, do func(*Txn) error) error {
	if !by.Person() {
		return fmt.Errorf("%s: %w", what, versions.ErrPersonsOnly)
	}
	if err := MayChange(s.Trail); err != nil {
		return err
	}
	if err := Locked(ctx, s, do); err != nil {
		return err
	}
	Notify(s.Trail)
	return nil
}
