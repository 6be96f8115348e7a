package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memend/memend/versions/db"
)

const changeColumns = `c.number,c.kind,c.path,c.dest,c.versions,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(` + callOf + `,''),coalesce(` + turnOf + `,0),` + doorAndInputs + `,` + isInferred + `,c.ts,
	coalesce(CASE c.kind WHEN 'redo' THEN (SELECT undoes FROM change WHERE store=c.store AND number=c.undoes) ELSE c.undoes END,0),
	CASE WHEN c.undone_by IS NULL THEN 0 WHEN ` + inEffect + ` THEN 0 ELSE c.undone_by END,` + beginOfMessage + `,coalesce(c.email,''),` + isFound + `,` + effectColumn + `,` + sessionUndone + `,CASE WHEN c.kind='adopt' THEN coalesce(c.others,'') ELSE '' END`

// effectColumn counts the versions of a change by what they did, as a JSON array; with the path of one, and the path before.
const effectColumn = `(SELECT json_array(count(*) FILTER (WHERE v.op='created'),count(*) FILTER (WHERE v.op='modified' AND v.origin IS NULL),count(*) FILTER (WHERE v.op='modified' AND v.origin IS NOT NULL),
	count(*) FILTER (WHERE v.op='deleted'),
	count(*) FILTER (WHERE v.origin IS NOT NULL AND v.redacted IS NULL AND EXISTS(SELECT 1 FROM version p WHERE p.memory=v.memory AND p.number=v.number-1 AND p.redacted IS NULL AND p.blob IS NOT v.blob)),
	count(*) FILTER (WHERE v.redacted IS NOT NULL),coalesce(min(v.path),''),coalesce(min(v.origin),'')) FROM version v WHERE v.change=c.id)`

// isFound selects what the first scan of a folder found. While it goes on, no beginning is noted.
const isFound = `c.kind='adopt' AND c.number<=coalesce((SELECT began FROM store WHERE id=c.store),c.number)`

// sessionUndone is the session of all changes that an undo of several undid, or that a redo of it redid. Their versions are among the earlier
// ones of the memories that it changed.
const sessionUndone = `CASE WHEN c.kind IN ('undo','redo') AND c.versions>0 THEN coalesce((SELECT CASE WHEN min(coalesce(us.uid,''))=max(coalesce(us.uid,'')) THEN max(us.uid) END
	FROM version v JOIN version uv ON uv.memory=v.memory AND uv.number<v.number JOIN change uc ON uc.id=uv.change LEFT JOIN session us ON us.id=coalesce((SELECT session FROM attribution WHERE change=uc.id ORDER BY id DESC LIMIT 1),uc.session)
	WHERE v.change=c.id AND uc.store=c.store AND uc.undone_by=CASE c.kind WHEN 'redo' THEN c.undoes ELSE c.number END),'') ELSE '' END`

const changeTables = ` FROM change c` + attributed + `JOIN actor a ON a.id=` + makerOf + ` LEFT JOIN session s ON s.id=` + sessionOf + ` `

// columns are the destinations of the changeColumns.
func (c *Change) columns() []any {
	found := false
	return []any{&c.Number, &c.Kind, pathTo(&c.Path), pathTo(&c.To), &c.Versions, &c.Actor.Kind, &c.Actor.Name, &c.Actor.Title, &c.Session, &c.ToolUse, &c.Turn, &c.Door, &c.Inputs, &c.Inferred, timeTo(&c.Time), &c.Undoes, &c.UndoneBy,
		parsedTo(&c.Subject, subjectOf), &c.Email, &found, parsedTo(&c.Effect, func(text string) (Effect, error) {
			e, err := effectOf(text, c.Versions)
			if found && c.Actor.Kind == Outside {
				e.Found, e.Created = e.Created, 0
			}
			return e, err
		}), parsedTo(&c.Of, func(session string) (SessionID, error) {
			if c.Undoes != 0 {
				session = ""
			}
			return SessionID(session), nil
		}), parsedTo(&c.Links, linkChanges)}
}

func scanChange(row db.Row) (c Change, err error) {
	err = row.Scan(c.columns()...)
	return c, err
}

// effectOf parses effectColumn of a change with so many versions.
func effectOf(column string, nVersions int) (e Effect, err error) {
	var path, from string
	if err := json.Unmarshal([]byte(column), &[]any{&e.Created, &e.Edited, &e.Renamed, &e.Deleted, &e.Both, &e.Redacted, &path, &from}); err != nil {
		return e, errors.Join(ErrDamaged, err)
	}
	if nVersions != 1 {
		return e, nil
	}
	if e.Path, err = pathOf(path); err == nil {
		e.From, err = pathOf(from)
	}
	return e, err
}

// Changes lists the changes of the store with numbers below before (0: from the newest), newest
// first, at most limit of them.
func (s *Store) Changes(ctx context.Context, f Filter, before int64, limit int) ([]Change, error) {
	where, order, args := []string{"c.store=?"}, "c.number", []any{s.id}
	and := func(cond string, arg ...any) { where, args = append(where, cond), append(args, arg...) }
	if before > 0 {
		and("c.number<?", before)
	}
	if f.Session != "" { // few among many; rows have the same order as numbers
		where[0], order = "+c.store=?", "c.id"
		and("c.id IN "+changesOf(sessionNamed), string(f.Session))
	}
	if f.Actor != "" {
		and("a.kind=?", string(f.Actor))
	}
	if f.Kind != "" {
		and("c.kind=?", string(f.Kind))
	}
	if !f.Since.IsZero() {
		n, err := s.ChangesUntil(ctx, f.Since.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		and("c.number>?", n)
	}
	if !f.Until.IsZero() {
		n, err := s.ChangesUntil(ctx, f.Until)
		if err != nil {
			return nil, err
		}
		and("c.number<=?", n)
	}
	if !f.In.IsRoot() {
		k := key(f.In)
		and(`(EXISTS(SELECT 1 FROM version v WHERE v.change=c.id AND (v.path=? OR v.origin=? OR v.path>? AND v.path<? OR v.origin>? AND v.origin<?))
			OR c.versions=0 AND c.others IS NOT NULL AND (c.path=? OR c.path>? AND c.path<?))`, // a link or an empty folder
			k, k, k+"/", k+"0", k+"/", k+"0", k, k+"/", k+"0")
	}
	return s.listChanges(ctx, strings.Join(where, " AND ")+` ORDER BY `+order+` DESC LIMIT ?`, append(args, limit)...)
}

// listChanges reads the changes that a condition selects.
func (s *Store) listChanges(ctx context.Context, where string, args ...any) ([]Change, error) {
	var c Change
	return db.All(s.t.db.Rows(ctx, `SELECT `+changeColumns+changeTables+`WHERE `+where, args...), &c, c.columns()...)
}

// Change returns one change with its versions, in the order they were made.
func (s *Store) Change(ctx context.Context, n int64) (c Change, vs []Version, err error) {
	err = s.t.view(ctx, func(q reader) error {
		c, err = scanChange(q.Row(changeNumbered, s.id, n))
		if err != nil {
			return notFound(err, ErrNoChange, fmt.Sprint(n))
		}
		stored, err := scanVersions(q, versionsOfChange, s.id, n)
		if err != nil {
			return err
		}
		for i := range stored {
			if i < maxCounted {
				if err := s.countWithPrevious(q, &stored[i]); err != nil {
					return err
				}
			}
			vs = append(vs, stored[i].Version)
		}
		return nil
	})
	return c, vs, err
}

const (
	changeNumbered   = `SELECT ` + changeColumns + changeTables + `WHERE c.store=? AND c.number=?`
	versionsOfChange = `SELECT ` + versionColumns + versionTables + `WHERE c.store=? AND c.number=? ORDER BY v.id`
)

// maxCounted is the number of versions in one change whose lines are counted.
const maxCounted = 200

// LastChange returns the number of the newest change, or 0 when there is none.
func (s *Store) LastChange(ctx context.Context) (n int64, err error) {
	err = s.t.db.Row(ctx, `SELECT changes FROM store WHERE id=?`, s.id).Scan(&n)
	return n, err
}

// complete selects the changes c whose files are written.
const complete = `NOT EXISTS(SELECT 1 FROM intent WHERE change=c.id AND carried=0)`

// redactionsOf, with a store and a parenthesis, counts the redactions that have erased versions.
var redactionsOf = fmt.Sprintf(`(SELECT count(*) FROM redaction WHERE pending<%d AND store=`, stageStarted)

// changesAfter lists at most limit changes newer than n, oldest first.
func (s *Store) changesAfter(ctx context.Context, n int64, limit int) ([]Change, error) {
	return s.listChanges(ctx, `c.store=? AND c.number>? AND `+complete+` ORDER BY c.number LIMIT ?`, s.id, n, limit)
}
