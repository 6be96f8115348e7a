package review

import (
	"context"
	"database/sql"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/policy"
)

// Policies returns the policy of the store, and after it those of sessions that have their own, the
// newest first.
func Policies(ctx context.Context, s *core.Store) ([]versions.PolicySet, error) {
	out := []versions.PolicySet{{Policy: policy.Presets[0].Parsed()}}
	var set versions.PolicySet
	rows := s.Trail.DB.Rows(ctx, `SELECT p.text,coalesce(s.uid,''),a.kind,a.name,p.ts FROM policy p JOIN actor a ON a.id=p.actor LEFT JOIN session s ON s.id=p.session
		WHERE p.store=?1 AND p.id IN (SELECT max(id) FROM policy WHERE store=?1 GROUP BY session) AND p.text IS NOT NULL ORDER BY p.session IS NOT NULL, p.id DESC`, s.Row)
	for range rows.Each(tables.PolicyTo(&set.Policy), &set.Session, &set.By.Kind, &set.By.Name, tables.TimeTo(&set.Time)) {
		if set.Session == "" {
			out[0] = set
		} else {
			out = append(out, set)
		}
	}
	return out, rows.Err()
}

// PolicyOf returns the policy that holds for a session.
func PolicyOf(ctx context.Context, s *core.Store, session versions.SessionID) (policy.Policy, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (policy.Policy, error) { return tables.PolicyIn(q, s.Row, session) })
}

// SetPolicy sets the policy of the store, or that of one session. It holds from the next mutation on,
// in every process. Only a person may set one.
func SetPolicy(ctx context.Context, s *core.Store, by versions.By, session versions.SessionID, text string) error {
	if _, err := policy.Parse(text); err != nil {
		return err
	}
	return setPolicy(ctx, s, by, session, sql.NullString{String: text, Valid: true})
}

// DropPolicy makes the store's policy hold for a session again.
func DropPolicy(ctx context.Context, s *core.Store, by versions.By, session versions.SessionID) error {
	return setPolicy(ctx, s, by, session, sql.NullString{})
}

func setPolicy(ctx context.Context, s *core.Store, by versions.By, session versions.SessionID, text sql.NullString) error {
	return core.AsPerson(ctx, s, by, "policy of store "+s.Opened.Name, func(x *core.Txn) error {
		actor, err := x.Actor(by.Actor)
		if err != nil {
			return err
		}
		var row sql.NullInt64
		if session != "" {
			if err := x.Row(tables.SessionNamed, string(session)).Scan(&row); err != nil {
				return tables.NotFound(err, versions.ErrNoSession, string(session))
			}
		}
		x.Exec(`INSERT INTO policy(store,session,text,actor,door,ts) VALUES(?,?,?,?,?,?)`, s.Row, row, text, actor, int64(by.Door), x.TS)
		return x.Err()
	})
}
