package history

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// MaxPaths is the most Paths of an Activity.
const MaxPaths = 3

// LookedAt is how many changes and reads one call of Activity scans.
const LookedAt = 5000

// Activity lists the reads and changes of the store, newest first, at most limit of them. It
// returns the cursor of the next page. Each call scans a bounded
// part of the trail, so it may return fewer than limit events, or none, although there are more.
func Activity(ctx context.Context, s *core.Store, f versions.ActivityFilter, before versions.Cursor, limit int) (out []versions.Activity, next versions.Cursor, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		var writes, reads stream
		if err := startOf(s, q, f, before, &writes, &reads); err != nil {
			return err
		}
		if !f.NoWrites {
			if err := writesOf(s, q, f, &writes, limit); err != nil {
				return err
			}
		}
		if !f.NoReads {
			if err := readsOf(s, q, f, &reads, limit); err != nil {
				return err
			}
		}
		out, next = mergeStreams(&writes, &reads, limit)
		return describeWrites(s, q, out)
	})
	return out, next, err
}

// stream is one of the two lists that Activity merges: changes by number and reads by time. Later
// changes have later times.
type stream struct {
	found  []versions.Activity
	from   mark // the call starts below this position
	to     mark // the call ends at this position, inclusive
	since  mark // older entries are not wanted
	more   bool // there is more beyond to
	marked []mark
}

// mark is a position in a stream: the number and time of a change, or the row and time of a read.
type mark struct{ id, ts int64 }

// startOf sets the position in both streams where a call starts.
func startOf(s *core.Store, q tables.Reader, f versions.ActivityFilter, before versions.Cursor, writes, reads *stream) error {
	if before != "" {
		if err := before.Numbers(&writes.from.id, &reads.from.ts, &reads.from.id); err != nil {
			return err
		}
	} else {
		var changes int64
		if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.Row).Scan(&changes); err != nil {
			return err
		}
		writes.from, reads.from = mark{id: changes + 1}, mark{math.MaxInt64, math.MaxInt64}
	}
	if !f.Until.IsZero() {
		last, err := changesUntil(s, q, f.Until)
		if err != nil {
			return err
		}
		writes.from.id = min(writes.from.id, last+1)
		if ts := f.Until.UnixMicro(); reads.from.ts > ts {
			reads.from = mark{math.MaxInt64, ts}
		}
	}
	writes.since.id = 1
	reads.since.ts = math.MinInt64
	if !f.Since.IsZero() {
		last, err := changesUntil(s, q, f.Since.Add(-time.Microsecond))
		if err != nil {
			return err
		}
		writes.since.id, reads.since.ts = last+1, f.Since.UnixMicro()
	}
	writes.to, reads.to = writes.since, reads.since
	return nil
}

// writesOf finds the changes for one call.
func writesOf(s *core.Store, q tables.Reader, f versions.ActivityFilter, st *stream, limit int) error {
	var c conditions
	order := "c.number"
	if f.Session == "" {
		c.and(`c.store=? AND c.number<? AND c.number>=?`, s.Row, st.from.id, st.since.id)
	} else { // rows have the same order as numbers
		order = "c.id"
		c.and(`+c.store=? AND c.id IN `+tables.ChangesOf(tables.SessionNamed)+` AND c.id<=(SELECT id FROM change WHERE store=? AND number=?) AND c.number>=?`,
			s.Row, string(f.Session), s.Row, st.from.id-1, st.since.id)
	}
	err := st.bound(q, `SELECT c.number,c.ts FROM change c WHERE `+c.String()+` ORDER BY `+order+` DESC`, c.args)
	if err != nil {
		return err
	}
	c.and(`c.number>=?`, st.to.id)
	c.who(tables.MakerOf, f)
	if !f.In.IsRoot() {
		k := versions.Key(f.In)
		c.and(`EXISTS(SELECT 1 FROM version v WHERE v.change=c.id AND (v.path=? OR v.origin=? OR v.path>? AND v.path<? OR v.origin>? AND v.origin<?))`,
			k, k, k+"/", k+"0", k+"/", k+"0")
	}
	var found versions.Change
	rows := q.Rows(`SELECT `+tables.ChangeColumns+tables.ChangeTables+`WHERE `+c.String()+` ORDER BY `+order+` DESC LIMIT ?`, append(c.args, limit)...)
	for range rows.Each(tables.ChangeTo(&found)...) {
		c := found
		st.found = append(st.found, versions.Activity{Time: c.Time, Actor: c.Actor, Session: c.Session, ToolUse: c.ToolUse, Turn: c.Turn, Path: c.Path, Change: c})
		st.marked = append(st.marked, mark{c.Number, c.Time.UnixMicro()})
	}
	return rows.Err()
}

// readsOf finds the reads for one call.
func readsOf(s *core.Store, q tables.Reader, f versions.ActivityFilter, st *stream, limit int) error {
	var c conditions
	c.and(`r.store=? AND (r.ts,r.id)<(?,?) AND r.ts>=?`, s.Row, st.from.ts, st.from.id, st.since.ts)
	if f.Session != "" {
		c.and(`r.session=(SELECT id FROM session WHERE uid=?)`, string(f.Session))
	}
	err := st.bound(q, `SELECT r.id,r.ts FROM read r WHERE `+c.String()+` ORDER BY r.ts DESC, r.id DESC`, c.args)
	if err != nil {
		return err
	}
	c.and(`(r.ts,r.id)>=(?,?)`, st.to.ts, st.to.id)
	c.who("r.actor", f)
	if !f.In.IsRoot() {
		c.inFolder("coalesce(v.path,h.path)", f.In)
	}
	st.found, st.marked, err = scanReads(q, c.String()+` ORDER BY r.ts DESC, r.id DESC LIMIT ?`, append(c.args, limit)...)
	return err
}

// scanReads lists the reads that a condition selects, with their positions.
func scanReads(q tables.Reader, where string, args ...any) (found []versions.Activity, marked []mark, err error) {
	a := versions.Activity{Read: true}
	var at mark
	rows := q.Rows(`SELECT r.id, r.id, r.ts, r.ts, a.kind, a.name, coalesce(a.title,''), coalesce(s.uid,''), coalesce(r.tool_use,''), coalesce(r.turn,0),
			m.uid, v.uid, coalesce(v.number,0), coalesce(v.path,h.path), v.redacted IS NOT NULL
		FROM read r CROSS JOIN memory m ON m.id=r.memory CROSS JOIN actor a ON a.id=r.actor
		LEFT JOIN session s ON s.id=r.session LEFT JOIN version v ON v.id=r.version LEFT JOIN head h ON h.memory=r.memory
		WHERE `+where, args...)
	for range rows.Each(&at.id, &a.ID, &at.ts, tables.TimeTo(&a.Time), &a.Actor.Kind, &a.Actor.Name, &a.Actor.Title, &a.Session, &a.ToolUse, &a.Turn,
		tables.IDTo(&a.Memory), tables.IDTo(&a.Version), &a.Number, tables.PathTo(&a.Path), &a.Redacted) {
		found, marked = append(found, a), append(marked, at)
	}
	return found, marked, rows.Err()
}

// ReadsAfter lists the store's reads since a time that were written to the ledger after the one with the given number, in the order
// of their times. It returns the number of the ledger's newest read, for the next call. An after of -1 lists none.
func ReadsAfter(ctx context.Context, s *core.Store, after int64, session versions.SessionID, since time.Time) (out []versions.Activity, newest int64, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT coalesce(max(id),0) FROM read`).Scan(&newest); err != nil || after < 0 {
			return err
		}
		var c conditions
		c.and(`r.id>?`, after)
		if session != "" {
			c.and(`+r.session=(SELECT id FROM session WHERE uid=?)`, string(session))
		}
		if since.IsZero() { // few reads are new: look at them, not at all of the store
			c.and(`+r.store=?`, s.Row)
		} else {
			c.and(`r.store=? AND r.ts>=?`, s.Row, since.UnixMicro())
		}
		out, _, err = scanReads(q, c.String()+` ORDER BY r.ts, r.id`, c.args...)
		return err
	})
	return out, newest, err
}

// bound sets the position where a call has to end, if that is before the end of the stream.
func (st *stream) bound(q tables.Reader, rows string, args []any) error {
	at := mark{}
	err := tables.IgnoreNoRows(q.Row(rows+` LIMIT 1 OFFSET ?`, append(args[:len(args):len(args)], LookedAt-1)...).Scan(&at.id, &at.ts))
	if err == nil && at != (mark{}) {
		st.to, st.more = at, true
	}
	return err
}

// mergeStreams merges what was found in both streams, down to the position that both have reached,
// and returns the next cursor.
func mergeStreams(writes, reads *stream, limit int) (out []versions.Activity, next versions.Cursor) {
	end := int64(math.MinInt64)
	for _, st := range []*stream{writes, reads} {
		if st.more {
			end = max(end, st.to.ts)
		}
	}
	write, read := writes.from, reads.from // the position after out
	i, k := 0, 0
	for len(out) < limit {
		isWrite := i < len(writes.found)
		if isRead := k < len(reads.found); isWrite && isRead { // an agent reads a memory before it writes it
			isWrite = writes.marked[i].ts >= reads.marked[k].ts
		} else if !isWrite && !isRead {
			break
		}
		if isWrite {
			if writes.marked[i].ts < end {
				break
			}
			out, write = append(out, writes.found[i]), writes.marked[i]
			i++
			continue
		}
		if reads.marked[k].ts < end {
			break
		}
		out, read = append(out, reads.found[k]), reads.marked[k]
		k++
	}
	if len(out) < limit {
		if !writes.more && !reads.more {
			return out, ""
		}
		if writes.more && writes.to.ts == end {
			write = writes.to
		}
		if reads.more && reads.to.ts == end {
			read = reads.to
		}
	}
	return out, CursorAt(write.id, read.ts, read.id)
}

// describeWrites fills in the version of each change that has only one, and the first paths of the
// others.
func describeWrites(s *core.Store, q tables.Reader, list []versions.Activity) error {
	at := map[int64]int{}
	args := []any{s.Row}
	for i := range list {
		switch a := &list[i]; {
		case a.Read:
		case a.Change.Versions == 1:
			at[a.Change.Number] = i
			args = append(args, a.Change.Number)
		case a.Change.Versions > 1:
			var err error
			if a.Paths, err = firstPaths(s, q, a.Change.Number); err != nil {
				return err
			}
		}
	}
	if len(at) == 0 {
		return nil
	}
	vs, err := tables.ScanVersions(q, `SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE c.store=? AND c.number IN (?`+strings.Repeat(",?", len(at)-1)+`)`, args...)
	if err != nil {
		return err
	}
	for i := range vs {
		if err := countWithPrevious(s, q, &vs[i]); err != nil {
			return err
		}
		a, v := &list[at[vs[i].Change]], &vs[i].Version
		a.Memory, a.Version, a.Number, a.Operation = v.Memory, v.ID, v.Number, v.Operation
		a.Redacted, a.Added, a.Removed = !v.Redacted.IsZero(), v.Added, v.Removed
	}
	return nil
}

// firstPaths returns the paths of the first memories of a change.
func firstPaths(s *core.Store, q tables.Reader, change int64) (out []memfs.Path, err error) {
	return tables.AllPaths(q.Rows(`SELECT v.path FROM change c CROSS JOIN version v ON v.change=c.id
		WHERE c.store=? AND c.number=? AND v.redacted IS NULL ORDER BY v.id LIMIT ?`, s.Row, change, MaxPaths))
}
