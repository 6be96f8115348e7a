package core

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
)

// Reader is one snapshot of the trail. It must not outlive one call: while it is open, a redaction
// can't be finished.
type Reader = db.Snapshot

// View runs read on one snapshot.
func View(ctx context.Context, t *Trail, read func(Reader) error) error { return t.DB.View(ctx, read) }

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

// Columns are the destinations of the VersionColumns.
func (v *Stored) Columns() []any {
	return []any{&v.Row, IDTo(&v.ID), IDTo(&v.Memory), &v.Number, &v.Change, &v.Kind, &v.Operation, PathTo(&v.Path), PathTo(&v.From), &v.Blob,
		HashTo(&v.SHA256), &v.Size, &v.Actor.Kind, &v.Actor.Name, &v.Actor.Title, &v.Session, &v.ToolUse, &v.Turn, &v.Door, &v.Inputs, &v.Inferred, TimeTo(&v.Time), TimeTo(&v.Redacted), &v.RedactedBy.Kind, &v.RedactedBy.Name,
		ParsedTo(&v.Subject, subjectOf), &v.Damaged, ParsedTo(&v.Across, acrossOf), &v.Found}
}

// ScanVersion scans one version.
func ScanVersion(row db.Row) (v Stored, err error) {
	err = row.Scan(v.Columns()...)
	return v, err
}

// ScanVersions reads all versions of an answer.
func ScanVersions(q db.Queryer, text string, args ...any) ([]Stored, error) {
	var v Stored
	return db.All(q.Rows(text, args...), &v, v.Columns()...)
}

// Statements for the versions of a memory. They are long, so preparing them costs more than most answers.
const (
	versionsBefore = `SELECT ` + VersionColumns + VersionTables + `WHERE v.memory=? AND v.number<? ORDER BY v.number DESC LIMIT ?`
	undoneBetween  = `SELECT v.number,c.undone_by FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? AND v.number BETWEEN ? AND ? AND c.undone_by IS NOT NULL AND NOT ` + InEffect
)

// HistoryOf is History of the memory in a row.
func HistoryOf(s *Store, q Reader, memory int64, before, limit int) (out []versions.Version, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	// One more than requested, for the line counts of the oldest.
	vs, err := ScanVersions(q, versionsBefore, memory, before, limit+1)
	if err != nil {
		return nil, err
	}
	for i := range vs[:min(limit, len(vs))] {
		var prev Stored
		if i+1 < len(vs) {
			prev = vs[i+1]
		}
		if err := CountLines(s, q, &vs[i], prev.Blob, !prev.Redacted.IsZero()); err != nil {
			return nil, err
		}
		out = append(out, vs[i].Version)
	}
	return out, setUndone(q, memory, out)
}

// setUndone sets by which changes those of versions, newest first, of a memory were undone.
func setUndone(q Reader, memory int64, vs []versions.Version) error {
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

// MaxCounts limits the cached line counts. A history of a million versions would otherwise cache as
// many.
const MaxCounts = 10_000

// MaxCountBytes is the size of a content from which on lists don't count its changed lines.
const MaxCountBytes = 2 << 20

// CountLines sets how many lines v added and removed compared with the content in blob prev, unless
// that was erased or is damaged. It also sets whether the content of v is damaged. Only a redaction
// changes the counts of a version, so they are cached.
func CountLines(s *Store, q db.Queryer, v *Stored, prev int64, erased bool) error {
	if v.Blob == prev || v.Size > MaxCountBytes || erased || !v.Redacted.IsZero() || v.Damaged {
		return nil
	}
	s.Mu.RLock()
	n, ok := s.Counts[v.Row]
	s.Mu.RUnlock()
	if !ok {
		var before, after []byte
		var err error
		if v.Blob != 0 {
			after, err = blobs.Get(q, v.Blob)
			if v.Damaged = errors.Is(err, versions.ErrDamaged); v.Damaged {
				return nil
			}
		}
		if err == nil && prev != 0 {
			if before, err = blobs.Get(q, prev); errors.Is(err, versions.ErrDamaged) {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if len(before) > MaxCountBytes {
			return nil
		}
		n[0], n[1] = diff.Count(before, after)
		s.Mu.Lock()
		if len(s.Counts) >= MaxCounts {
			clear(s.Counts) // dropped counts are computed again when needed
		}
		s.Counts[v.Row] = n
		s.Mu.Unlock()
	}
	v.Added, v.Removed = n[0], n[1]
	return nil
}

// VersionAt returns the version with this number of the memory at p; number 0 is the newest. When
// there is no memory at p, it uses the memory that was there last.
func (s *Store) VersionAt(ctx context.Context, p memfs.Path, number int) (v versions.Version, err error) {
	before := 0
	if number > 0 {
		before = number + 1
	}
	err = View(ctx, s.Trail, func(q Reader) error {
		memory, _, err := MemoryAt(s, q, p)
		if err != nil {
			return err
		}
		vs, err := HistoryOf(s, q, memory, before, 1)
		if err != nil {
			return err
		}
		if len(vs) == 0 || number > 0 && vs[0].Number != number {
			return fmt.Errorf("%w: %s has no version %d", versions.ErrNoVersion, p.Tool(), number)
		}
		v = vs[0]
		return nil
	})
	return v, err
}

// MemoryAt returns the memory that is at a path, or else the one that was there last.
func MemoryAt(s *Store, q Reader, p memfs.Path) (row int64, id versions.MemoryID, err error) {
	err = q.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, s.Row, versions.Key(p)).Scan(&row, IDTo(&id))
	if errors.Is(err, sql.ErrNoRows) {
		err = q.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE (v.path=?1 OR v.origin=?1) AND m.store=?2 ORDER BY v.id DESC LIMIT 1`, versions.Key(p), s.Row).Scan(&row, IDTo(&id))
	}
	if err != nil {
		return 0, "", NotFound(err, versions.ErrNoMemory, p.Tool())
	}
	return row, id, nil
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
// ones of the memories that it changed.
const sessionUndone = `CASE WHEN c.kind IN ('undo','redo') AND c.versions>0 THEN coalesce((SELECT CASE WHEN min(coalesce(us.uid,''))=max(coalesce(us.uid,'')) THEN max(us.uid) END
	FROM version v JOIN version uv ON uv.memory=v.memory AND uv.number<v.number JOIN change uc ON uc.id=uv.change LEFT JOIN session us ON us.id=coalesce((SELECT session FROM attribution WHERE change=uc.id ORDER BY id DESC LIMIT 1),uc.session)
	WHERE v.change=c.id AND uc.store=c.store AND uc.undone_by=CASE c.kind WHEN 'redo' THEN c.undoes ELSE c.number END),'') ELSE '' END`

// ChangeTables are the tables of ChangeColumns.
const ChangeTables = ` FROM change c` + Attributed + `JOIN actor a ON a.id=` + MakerOf + ` LEFT JOIN session s ON s.id=` + SessionOf + ` `

// Columns are the destinations of the ChangeColumns.
func Columns(c *versions.Change) []any {
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
	err = row.Scan(Columns(&c)...)
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

// ListChanges reads the changes that a condition selects.
func ListChanges(ctx context.Context, s *Store, where string, args ...any) ([]versions.Change, error) {
	var c versions.Change
	return db.All(s.Trail.DB.Rows(ctx, `SELECT `+ChangeColumns+ChangeTables+`WHERE `+where, args...), &c, Columns(&c)...)
}

// ChangeNumbered selects the change of a store with a number.
const ChangeNumbered = `SELECT ` + ChangeColumns + ChangeTables + `WHERE c.store=? AND c.number=?`

// MaxCounted is the number of versions in one change whose lines are counted.
const MaxCounted = 200

// LastChange returns the number of the newest change, or 0 when there is none.
func (s *Store) LastChange(ctx context.Context) (n int64, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT changes FROM store WHERE id=?`, s.Row).Scan(&n)
	return n, err
}

// complete selects the changes c whose files are written.
const complete = `NOT EXISTS(SELECT 1 FROM intent WHERE change=c.id AND carried=0)`

// redactionsOf, with a store and a parenthesis, counts the redactions that have erased versions.
var redactionsOf = fmt.Sprintf(`(SELECT count(*) FROM redaction WHERE pending<%d AND store=`, StageStarted)

// ChangesAfter lists at most limit changes newer than n, oldest first.
func ChangesAfter(ctx context.Context, s *Store, n int64, limit int) ([]versions.Change, error) {
	return ListChanges(ctx, s, `c.store=? AND c.number>? AND `+complete+` ORDER BY c.number LIMIT ?`, s.Row, n, limit)
}

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

// Conditions collects the SQL conditions of a query.
type Conditions struct {
	where []string
	Args  []any
}

// And adds a condition with its arguments.
func (c *Conditions) And(cond string, args ...any) {
	c.where, c.Args = append(c.where, cond), append(c.Args, args...)
}

func (c *Conditions) String() string { return strings.Join(c.where, " AND ") }

// Who selects by the actor in a column. It uses subqueries instead of joins, because the order of
// the stream must stay that of its index.
func (c *Conditions) Who(column string, f versions.ActivityFilter) {
	if f.Actor != "" {
		c.And(column+` IN (SELECT id FROM actor WHERE kind=?)`, string(f.Actor))
	}
	if f.Name != "" {
		c.And(column+` IN (SELECT id FROM actor WHERE name=?)`, f.Name)
	}
}

// InFolder adds the condition that the path in a column is p or below it.
func (c *Conditions) InFolder(column string, p memfs.Path) {
	k := versions.Key(p)
	c.And(`(`+column+`=? OR `+column+`>? AND `+column+`<?)`, k, k+"/", k+"0")
}

// ActiveIn is the SQL condition that the session s changed or read something in a store.
var ActiveIn = `(EXISTS(SELECT 1 FROM ` + ChangesOf(`SELECT s.id`) + ` x CROSS JOIN change c ON c.id=x.id WHERE c.store=?)
	OR EXISTS(SELECT 1 FROM read r WHERE r.session=s.id AND r.store=?))`

// SessionConditions selects sessions and returns the row of the filter's store, or 0 for all stores. It
// returns sql.ErrNoRows when there is no such store.
func SessionConditions(f versions.SessionFilter, q Reader, before versions.Cursor) (c Conditions, store int64, err error) {
	c.And(`TRUE`)
	if f.Store != "" {
		if err := q.Row(`SELECT id FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(f.Store))).Scan(&store); err != nil {
			return c, 0, err
		}
		c.And(ActiveIn, store, store)
	}
	if before != "" {
		var at, id int64
		if err := before.Numbers(&at, &id); err != nil {
			return c, 0, err
		}
		if f.ByActivity {
			c.And(`(s.seen,s.id)<(?,?)`, at, id)
		} else {
			c.And(`s.id<?`, id)
		}
	}
	if f.ID != "" {
		c.And(`s.uid=?`, string(f.ID))
	}
	c.Who(`s.actor`, versions.ActivityFilter{Actor: f.Actor})
	if !f.Since.IsZero() {
		c.And(`s.seen>=?`, f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		c.And(`s.started<=?`, f.Until.UnixMicro())
	}
	return c, store, nil
}

// CountSession counts what a session did, in one store or (0) in all.
func CountSession(x *versions.Session, q Reader, session, store int64) error {
	return q.Row(`SELECT count(*), coalesce(sum(c.versions),0), count(c.undone_by),
			(SELECT count(*) FROM read WHERE session=?1 AND (?2=0 OR store=?2))
		FROM `+ChangesOf(`SELECT ?1`)+` x CROSS JOIN change c ON c.id=x.id WHERE ?2=0 OR c.store=?2`, session, store).
		Scan(&x.Changes, &x.Versions, &x.Undone, &x.Reads)
}

// StoresOf returns the stores that a session changed or read, in the order they were created.
func StoresOf(q Reader, session int64) (out []versions.StoreID, err error) {
	var id versions.StoreID
	return db.All(q.Rows(`SELECT uid FROM store WHERE id IN (SELECT store FROM change WHERE id IN `+ChangesOf(`SELECT ?1`)+`)
		OR EXISTS(SELECT 1 FROM read WHERE session=?1 AND store=store.id) ORDER BY id`, session), &id, IDTo(&id))
}

// CursorAt returns the position that these numbers describe.
func CursorAt(numbers ...int64) versions.Cursor {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return versions.Cursor(b)
}

// Reading is the first read of versions by a session.
type Reading struct{ Session, TS, Version int64 }

// TrustState differs after each hold and decision, after each change of a policy or a pin, after each
// redaction, and after each look at the store's branch.
type TrustState struct{ held, waiting, policy, pins, pinned, redactions, seen int64 }

// TrustColumns select it for store ?1, in the order of dest.
var TrustColumns = `(SELECT coalesce(max(id),0) FROM held), (SELECT count(*) FROM held WHERE store=?1 AND state='waiting'),
	(SELECT coalesce(max(id),0) FROM policy), (SELECT count(*) FROM pin WHERE store=?1), (SELECT coalesce(max(ts),0) FROM pin WHERE store=?1),
	` + redactionsOf + `?1), coalesce((SELECT seen FROM branch WHERE store=?1),0)`

// Dest are the destinations of TrustColumns.
func (t *TrustState) Dest() []any {
	return []any{&t.held, &t.waiting, &t.policy, &t.pins, &t.pinned, &t.redactions, &t.seen}
}
