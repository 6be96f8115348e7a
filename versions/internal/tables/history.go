package tables

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
)

// Reader is one snapshot of the trail. It must not outlive one call: while it is open, a redaction
// can't be finished.
type Reader = db.Snapshot

// NotFound replaces sql.ErrNoRows with an error that names what is missing.
func NotFound(err, what error, which string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %s", what, which)
	}
	return err
}

// VersionColumns are the columns of a version; Stored has their destinations.
const VersionColumns = `v.id,v.uid,m.uid,v.number,c.number,c.kind,v.op,v.path,v.origin,coalesce(v.blob,0),
	` + KnownHash + `,coalesce(b.size,0),a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(` + CallOf + `,''),coalesce(` + TurnOf + `,0),` + DoorAndInputs + `,` + IsInferred + `,c.ts,v.redacted,coalesce(r.kind,''),coalesce(r.name,''),
	` + beginOfMessage + `,v.blob IS NOT NULL AND coalesce(b.enc,16)>=16,` + acrossColumn + `,v.op='created' AND a.kind='outside' AND ` + IsFound

// acrossColumn is the version in another store that a version names, as JSON.
const acrossColumn = `CASE WHEN v.source IS NOT NULL THEN (SELECT json_array(hex(ost.uid),ost.name,hex(o.uid),o.number,coalesce(o.path,''))
	FROM version o JOIN memory om ON om.id=o.memory JOIN store ost ON ost.id=om.store WHERE o.id=v.source AND om.store<>m.store) END`

// VersionTables are the tables of VersionColumns.
const VersionTables = ` FROM version v JOIN memory m ON m.id=v.memory JOIN change c ON c.id=v.change` + Attributed + `JOIN actor a ON a.id=` + MakerOf + `
	LEFT JOIN session s ON s.id=` + SessionOf + ` LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by `

// Stored is a version as the tables have it.
type Stored struct {
	versions.Version
	Row, Blob int64
}

// To are the destinations of the VersionColumns.
func (v *Stored) To() []any {
	return []any{&v.Row, IDTo(&v.ID), IDTo(&v.Memory), &v.Number, &v.Change, &v.Kind, &v.Operation, PathTo(&v.Path), PathTo(&v.From), &v.Blob,
		HashTo(&v.SHA256), &v.Size, &v.Actor.Kind, &v.Actor.Name, &v.Actor.Title, &v.Session, &v.ToolUse, &v.Turn, &v.Door, &v.Inputs, &v.Inferred, TimeTo(&v.Time), TimeTo(&v.Redacted), &v.RedactedBy.Kind, &v.RedactedBy.Name,
		ParsedTo(&v.Subject, subjectOf), &v.Damaged, ParsedTo(&v.Across, acrossOf), &v.Found}
}

// ScanVersion scans one version.
func ScanVersion(row db.Row) (v Stored, err error) {
	err = row.Scan(v.To()...)
	return v, err
}

// ScanVersions reads all versions of an answer.
func ScanVersions(q db.Queryer, text string, args ...any) ([]Stored, error) {
	var v Stored
	return db.All(q.Rows(text, args...), &v, v.To()...)
}

// Statements for the versions of a memory. They are long, so preparing them costs more than most answers.
const (
	VersionsBefore = `SELECT ` + VersionColumns + VersionTables + `WHERE v.memory=? AND v.number<? ORDER BY v.number DESC LIMIT ?`
	// NewestAt selects the newest version of the memory that is at a path now.
	NewestAt      = `SELECT ` + VersionColumns + VersionTables + `WHERE v.memory=(SELECT memory FROM head WHERE store=? AND path=?) ORDER BY v.number DESC LIMIT 1`
	undoneBetween = `SELECT v.number,c.undone_by FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? AND v.number BETWEEN ? AND ? AND c.undone_by IS NOT NULL AND NOT ` + InEffect
)

// SetUndone sets by which changes those of versions, newest first, of a memory were undone.
func SetUndone(q Reader, memory int64, vs []versions.Version) error {
	if len(vs) == 0 {
		return nil
	}
	by, err := db.Map[int, int64](q.Rows(undoneBetween, memory, vs[len(vs)-1].Number, vs[0].Number))
	if err != nil {
		return err
	}
	for i := range vs {
		vs[i].UndoneBy = by[vs[i].Number]
	}
	return nil
}

// ChangeColumns are the columns of a change; Columns has their destinations.
const ChangeColumns = `c.number,c.kind,c.path,c.dest,c.versions,a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(` + CallOf + `,''),coalesce(` + TurnOf + `,0),` + DoorAndInputs + `,` + IsInferred + `,c.ts,
	coalesce(CASE c.kind WHEN 'redo' THEN (SELECT undoes FROM change WHERE store=c.store AND number=c.undoes) ELSE c.undoes END,0),
	CASE WHEN c.undone_by IS NULL THEN 0 WHEN ` + InEffect + ` THEN 0 ELSE c.undone_by END,` + beginOfMessage + `,coalesce(c.email,''),` + IsFound + `,` + EffectColumn + `,` + sessionUndone + `,CASE WHEN c.kind='adopt' THEN coalesce(c.others,'') ELSE '' END`

// EffectColumn counts the versions of a change by what they did, as a JSON array; with the path of one, and the path before.
const EffectColumn = `(SELECT json_array(count(*) FILTER (WHERE v.op='created'),count(*) FILTER (WHERE v.op='modified' AND v.origin IS NULL),count(*) FILTER (WHERE v.op='modified' AND v.origin IS NOT NULL),
	count(*) FILTER (WHERE v.op='deleted'),
	count(*) FILTER (WHERE v.origin IS NOT NULL AND v.redacted IS NULL AND EXISTS(SELECT 1 FROM version p WHERE p.memory=v.memory AND p.number=v.number-1 AND p.redacted IS NULL AND p.blob IS NOT v.blob)),
	count(*) FILTER (WHERE v.redacted IS NOT NULL),coalesce(min(v.path),''),coalesce(min(v.origin),'')) FROM version v WHERE v.change=c.id)`

// IsFound selects what the first scan of a folder found. While it goes on, no beginning is noted.
const IsFound = `c.kind='adopt' AND c.number<=coalesce((SELECT began FROM store WHERE id=c.store),c.number)`

// sessionUndone is the session of all changes that an undo of several undid, or that a redo of it redid. Their versions are among the earlier
// ones of the memories that it changed. Once they are redone and undone again, the later undo is noted of them: they are among what
// was undone after the redo. Of a change that was undone in part nothing is noted: its versions are those after the
// one that the undo put back, if all of them are of one session.
const sessionUndone = `CASE WHEN c.kind IN ('undo','redo') AND c.versions>0 THEN coalesce(` + sessionOfUndone + `)),` +
	sessionOfUndone + ` OR uc.undone_by>(SELECT undone_by FROM change WHERE store=c.store AND number=` + undoOfSeveral + `))),` +
	onlySession + `FROM change u JOIN version v ON v.change=u.id LEFT JOIN version o ON o.id=v.source
	LEFT JOIN version uv ON uv.memory=v.memory AND uv.number<v.number AND uv.number>coalesce(o.number,0) LEFT JOIN change uc ON uc.id=uv.change ` + undoneIn + `
	WHERE u.store=c.store AND u.number=` + undoOfSeveral + ` AND u.kind='undo' AND u.undoes IS NULL),'') ELSE '' END`

const (
	onlySession     = `(SELECT CASE WHEN min(coalesce(us.uid,''))=max(coalesce(us.uid,'')) THEN max(us.uid) END `
	undoneIn        = `LEFT JOIN session us ON us.id=coalesce((SELECT session FROM attribution WHERE change=uc.id ORDER BY id DESC LIMIT 1),uc.session)`
	sessionOfUndone = onlySession + `FROM version v JOIN version uv ON uv.memory=v.memory AND uv.number<v.number JOIN change uc ON uc.id=uv.change ` + undoneIn + `
	WHERE v.change=c.id AND uc.store=c.store AND uc.number<` + undoOfSeveral + ` AND (uc.undone_by=` + undoOfSeveral
	undoOfSeveral = `CASE c.kind WHEN 'redo' THEN c.undoes ELSE c.number END`
)

// ChangeTables are the tables of ChangeColumns.
const ChangeTables = ` FROM change c` + Attributed + `JOIN actor a ON a.id=` + MakerOf + ` LEFT JOIN session s ON s.id=` + SessionOf + ` `

// ChangeTo are the destinations of the ChangeColumns.
func ChangeTo(c *versions.Change) []any {
	found := false
	return []any{&c.Number, &c.Kind, PathTo(&c.Path), PathTo(&c.To), &c.Versions, &c.Actor.Kind, &c.Actor.Name, &c.Actor.Title, &c.Session, &c.ToolUse, &c.Turn, &c.Door, &c.Inputs, &c.Inferred, TimeTo(&c.Time), &c.Undoes, &c.UndoneBy,
		ParsedTo(&c.Subject, subjectOf), &c.Email, &found, ParsedTo(&c.Effect, func(text string) (versions.Effect, error) {
			e, err := EffectOf(text, c.Versions)
			if found && c.Actor.Kind == versions.Outside {
				e.Found, e.Created = e.Created, 0
			}
			return e, err
		}), ParsedTo(&c.Of, func(session string) (versions.SessionID, error) {
			if c.Undoes != 0 {
				session = ""
			}
			return versions.SessionID(session), nil
		}), ParsedTo(&c.Links, linkChanges)}
}

// ScanChange scans one change.
func ScanChange(row db.Row) (c versions.Change, err error) {
	err = row.Scan(ChangeTo(&c)...)
	return c, err
}

// EffectOf parses EffectColumn of a change with so many versions.
func EffectOf(column string, nVersions int) (e versions.Effect, err error) {
	var path, from string
	if err := json.Unmarshal([]byte(column), &[]any{&e.Created, &e.Edited, &e.Renamed, &e.Deleted, &e.Both, &e.Redacted, &path, &from}); err != nil {
		return e, errors.Join(versions.ErrDamaged, err)
	}
	if nVersions != 1 {
		return e, nil
	}
	if e.Path, err = PathOf(path); err == nil {
		e.From, err = PathOf(from)
	}
	return e, err
}

// ChangeNumbered selects the change of a store with a number.
const ChangeNumbered = `SELECT ` + ChangeColumns + ChangeTables + `WHERE c.store=? AND c.number=?`

// Complete selects the changes c whose files are written.
const Complete = `NOT EXISTS(SELECT 1 FROM intent WHERE change=c.id AND carried=0)`

// redactionsOf, with a store and a parenthesis, counts the redactions that have erased versions.
var redactionsOf = fmt.Sprintf(`(SELECT count(*) FROM redaction WHERE pending<%d AND store=`, StageStarted)

// maxSubject limits the characters of a subject in lists of changes and versions. A message may be
// thousands of times as long.
const maxSubject = 256

// beginOfMessage is the SQL expression for the first maxSubject characters of a change's message.
const beginOfMessage = `coalesce(substr(c.message,1,256),'')`

// subjectOf returns the subject of a message as git shows it: its first paragraph, on one line.
func subjectOf(begin string) (string, error) {
	var lines []string
	ends := utf8.RuneCountInString(begin) < maxSubject
	for line := range strings.Lines(begin) {
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		} else if len(lines) > 0 {
			ends = true
			break
		}
	}
	subject := strings.Join(lines, " ")
	if !ends {
		subject += "…"
	}
	return subject, nil
}

// TrustState differs after each hold and decision, after each change of a policy or a pin, after each
// redaction, and after each look at the store's branch.
type TrustState struct{ held, waiting, policy, pins, pinned, redactions, seen int64 }

// TrustColumns select it for store ?1, in the order of dest.
var TrustColumns = `(SELECT coalesce(max(id),0) FROM held), (SELECT count(*) FROM held WHERE store=?1 AND state='waiting'),
	(SELECT coalesce(max(id),0) FROM policy), (SELECT count(*) FROM pin WHERE store=?1), (SELECT coalesce(max(ts),0) FROM pin WHERE store=?1),
	` + redactionsOf + `?1), coalesce((SELECT seen FROM branch WHERE store=?1),0)`

// To are the destinations of TrustColumns.
func (t *TrustState) To() []any {
	return []any{&t.held, &t.waiting, &t.policy, &t.pins, &t.pinned, &t.redactions, &t.seen}
}

// TextOf reads the text of a state.
func TextOf(q db.Queryer, s planning.State) ([]byte, error) {
	if s.Text != nil || !s.Live() {
		return s.Text, nil
	}
	return blobs.Get(q, s.Blob)
}

// StateColumns are the columns of a state: of a version v with its content b.
const StateColumns = `coalesce(v.id,0),v.uid,v.path,coalesce(v.blob,0),b.sha,coalesce(b.size,0),v.redacted IS NOT NULL,v.op`

// StateTo are the destinations of the StateColumns. The state is zero without a version and after a deletion.
func StateTo(s *planning.State) []any {
	return []any{&s.Row, IDTo(&s.Version), PathTo(&s.Path), &s.Blob, HashTo(&s.SHA256), &s.Size, &s.Redacted,
		ParsedTo(s, func(op string) (planning.State, error) {
			if versions.Operation(op) == versions.Deleted {
				return planning.State{}, nil
			}
			return *s, nil
		})}
}

// NowOf returns the current state of a memory in the trail.
func NowOf(q db.Queryer, memory int64) (now planning.State, err error) {
	err = q.Row(`SELECT `+StateColumns+` FROM head h JOIN version v ON v.id=h.version LEFT JOIN blob b ON b.id=v.blob WHERE h.memory=?`, memory).Scan(StateTo(&now)...)
	return now, IgnoreNoRows(err)
}

// InEffect is an SQL condition: the change is in effect, because it was not undone or its
// undo was undone in turn. undone_by is the last change that undid it and is never
// cleared, so any undo, of one change or of many, can be undone and redone.
const InEffect = `(WITH RECURSIVE back(by,n) AS (SELECT c.undone_by,0
	UNION ALL SELECT u.undone_by,back.n+1 FROM back JOIN change u ON u.store=c.store AND u.number=back.by) SELECT max(n)%2=0 FROM back)`
