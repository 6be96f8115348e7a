package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/policy"
)

// ErrPersonsOnly means that only a person may do it, at memend's own screens or commands.
var ErrPersonsOnly = errors.New("only a person may do that, at memend's own screens or commands")

// PolicySet is a policy of a store, or of one session in it.
type PolicySet struct {
	policy.Policy
	Session SessionID // empty for the policy of the store
	By      Actor
	Time    time.Time // zero if nobody ever set one
}

// Policies returns the policy of the store, and after it those of sessions that have their own, the
// newest first.
func (s *Store) Policies(ctx context.Context) (out []PolicySet, err error) {
	out = []PolicySet{{Policy: policy.Presets[0].Parsed()}}
	err = s.t.view(ctx, func(q reader) error {
		var set PolicySet
		rows := q.Rows(`SELECT p.text,coalesce(s.uid,''),a.kind,a.name,p.ts FROM policy p JOIN actor a ON a.id=p.actor LEFT JOIN session s ON s.id=p.session
			WHERE p.store=?1 AND p.id IN (SELECT max(id) FROM policy WHERE store=?1 GROUP BY session) AND p.text IS NOT NULL ORDER BY p.session IS NOT NULL, p.id DESC`, s.id)
		for range rows.Each(policyTo(&set.Policy), &set.Session, &set.By.Kind, &set.By.Name, timeTo(&set.Time)) {
			if set.Session == "" {
				out[0] = set
			} else {
				out = append(out, set)
			}
		}
		return rows.Err()
	})
	return out, err
}

// PolicyOf returns the policy that holds for a session.
func (s *Store) PolicyOf(ctx context.Context, session SessionID) (p policy.Policy, err error) {
	err = s.t.view(ctx, func(q reader) error {
		p, err = policyIn(q, s.id, session)
		return err
	})
	return p, err
}

// policyText selects the text of the policy that holds for a session, NULL if nobody set one. Its parameters are the
// store and the session's id.
const policyText = `(SELECT text FROM (SELECT text,session FROM policy p WHERE store=?1 AND (session IS NULL OR session=(SELECT id FROM session WHERE uid=?2))
	AND id=(SELECT max(id) FROM policy WHERE store=?1 AND session IS p.session)) WHERE text IS NOT NULL ORDER BY session IS NULL LIMIT 1)`

func policyIn(q db.Queryer, store int64, session SessionID) (p policy.Policy, err error) {
	err = q.Row(`SELECT `+policyText, store, string(session)).Scan(policyTo(&p))
	return p, err
}

// policyTo scans a policy. It is the zero Policy, which allows everything, if nobody set one.
func policyTo(p *policy.Policy) sql.Scanner {
	return parsedTo(p, func(text string) (policy.Policy, error) {
		p, err := policy.Parse(text)
		if err != nil {
			err = errors.Join(ErrDamaged, err)
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
func (x *txn) governance(session SessionID) (g governance, err error) {
	err = x.Row(`SELECT `+policyText+`,EXISTS(SELECT 1 FROM pin WHERE store=?1),(SELECT salt FROM store WHERE id=?1)`, x.s.id, string(session)).Scan(policyTo(&g.rules), &g.pins, &g.salt)
	return g, err
}

// SetPolicy sets the policy of the store, or that of one session. It holds from the next mutation on,
// in every process. Only a person may set one.
func (s *Store) SetPolicy(ctx context.Context, by By, session SessionID, text string) error {
	if _, err := policy.Parse(text); err != nil {
		return err
	}
	return s.setPolicy(ctx, by, session, sql.NullString{String: text, Valid: true})
}

// DropPolicy makes the store's policy hold for a session again.
func (s *Store) DropPolicy(ctx context.Context, by By, session SessionID) error {
	return s.setPolicy(ctx, by, session, sql.NullString{})
}

func (s *Store) setPolicy(ctx context.Context, by By, session SessionID, text sql.NullString) error {
	return s.asPerson(ctx, by, "policy of store "+s.info.Name, func(x *txn) error {
		actor, err := x.actor(by.Actor)
		if err != nil {
			return err
		}
		var row sql.NullInt64
		if session != "" {
			if err := x.Row(sessionNamed, string(session)).Scan(&row); err != nil {
				return notFound(err, ErrNoSession, string(session))
			}
		}
		return x.Exec(`INSERT INTO policy(store,session,text,actor,door,ts) VALUES(?,?,?,?,?,?)`, s.id, row, text, actor, int64(by.Door), x.ts)
	})
}

// asPerson runs a durable transaction that only a person may make. It changes no memory.
func (s *Store) asPerson(ctx context.Context, by By, what string, do func(*txn) error) error {
	if !by.Person() {
		return fmt.Errorf("%s: %w", what, ErrPersonsOnly)
	}
	if err := s.t.mayChange(); err != nil {
		return err
	}
	if err := s.locked(ctx, do); err != nil {
		return err
	}
	s.t.notify()
	return nil
}
