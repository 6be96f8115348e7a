package core

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/policy"
)

// policyText selects the text of the policy that holds for a session, NULL if nobody set one. Its parameters are the
// store and the session's id.
const policyText = `(SELECT text FROM (SELECT text,session FROM policy p WHERE store=?1 AND (session IS NULL OR session=(SELECT id FROM session WHERE uid=?2))
	AND id=(SELECT max(id) FROM policy WHERE store=?1 AND session IS p.session)) WHERE text IS NOT NULL ORDER BY session IS NULL LIMIT 1)`

// PolicyIn reads the policy for a session: its own, or else the store's.
func PolicyIn(q db.Queryer, store int64, session versions.SessionID) (p policy.Policy, err error) {
	err = q.Row(`SELECT `+policyText, store, string(session)).Scan(PolicyTo(&p))
	return p, err
}

// PolicyTo scans a policy. It is the zero Policy, which allows everything, if nobody set one.
func PolicyTo(p *policy.Policy) sql.Scanner {
	return ParsedTo(p, func(text string) (policy.Policy, error) {
		p, err := policy.Parse(text)
		if err != nil {
			err = errors.Join(versions.ErrDamaged, err)
		}
		return p, err
	})
}

// governance is all that decides about the mutations of a session.
type governance struct {
	rules policy.Policy
	pins  bool   // there are some
	salt  []byte // of rejected lines; nil if there are none
}

// governance reads it with one statement, because every mutation needs it.
func (x *Txn) governance(session versions.SessionID) (g governance, err error) {
	err = x.Row(`SELECT `+policyText+`,EXISTS(SELECT 1 FROM pin WHERE store=?1),(SELECT salt FROM store WHERE id=?1)`, x.Store.Row, string(session)).Scan(PolicyTo(&g.rules), &g.pins, &g.salt)
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
