package review

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// maxTrace is the most steps of a trace.
const maxTrace = 100_000

// TraceBack returns what the session that wrote a version had read before, what the writers of those
// versions had read before that, and so on: the first step is the version. From a session, the first
// steps are what it read; from a memory, its newest version. A limit of 0 means the highest.
func TraceBack(ctx context.Context, t *core.Trail, from TraceFrom, limit int) (out versions.Trace, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		w := tracer{q: q, limit: traceLimit(limit), reached: map[int64]int{}}
		begin := []tracedStep{}
		if from.Session != "" {
			session, err := sessionRow(q, from.Session)
			if err == nil {
				begin, err = w.readBy(session, math.MaxInt64, -1)
			}
			if err != nil {
				return err
			}
		} else {
			rows, err := from.rows(q)
			if err != nil {
				return err
			}
			begin = append(begin, tracedStep{version: rows[len(rows)-1], from: -1})
		}
		if err := w.back(begin); err != nil {
			return err
		}
		out, err = w.trace()
		return err
	})
	return out, err
}

// TraceFrom is where a trace begins. One field is set.
type TraceFrom struct {
	Session versions.SessionID // forward: everything that it wrote; back: everything that it read
	Version versions.VersionID
	Memory  versions.MemoryID // forward: all its versions; back: the newest
}

// TraceForward returns what sessions wrote after they had read any of the beginnings, what sessions
// wrote that had read that, and so on. The first steps are the beginnings themselves. Whoever reads a later version
// of a memory may take in what an earlier one of the walk left in it, so that counts as a read too.
func TraceForward(ctx context.Context, t *core.Trail, from TraceFrom, limit int) (out versions.Trace, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		rows, err := from.rows(q)
		if err != nil {
			return err
		}
		w := tracer{q: q, limit: traceLimit(limit), reached: map[int64]int{}, since: map[int64]int64{}}
		if err := w.forward(rows); err != nil {
			return err
		}
		out, err = w.trace()
		return err
	})
	return out, err
}

func traceLimit(n int) int {
	if n <= 0 || n > maxTrace {
		return maxTrace
	}
	return n
}

func versionRowOf(q db.Queryer, id versions.VersionID) (row int64, err error) {
	err = q.Row(`SELECT id FROM version WHERE uid=?`, ids.Parse(ids.VersionPrefix, string(id))).Scan(&row)
	return row, tables.NotFound(err, versions.ErrNoVersion, string(id))
}

func sessionRow(q db.Queryer, id versions.SessionID) (row int64, err error) {
	err = q.Row(tables.SessionNamed, string(id)).Scan(&row)
	return row, tables.NotFound(err, versions.ErrNoSession, string(id))
}

// rows returns the versions that a forward trace begins with.
func (f TraceFrom) rows(q tables.Reader) (rows []int64, err error) {
	switch {
	case f.Version != "":
		row, err := versionRowOf(q, f.Version)
		return []int64{row}, err
	case f.Memory != "":
		rows, err = db.Values[int64](q.Rows(`SELECT v.id FROM version v JOIN memory m ON m.id=v.memory WHERE m.uid=? ORDER BY v.id`, ids.Parse(ids.MemoryPrefix, string(f.Memory))))
		if err == nil && len(rows) == 0 {
			err = fmt.Errorf("%w: %s", versions.ErrNoMemory, f.Memory)
		}
		return rows, err
	}
	session, err := sessionRow(q, f.Session)
	if err != nil {
		return nil, err
	}
	return db.Values[int64](q.Rows(`SELECT v.id FROM version v WHERE v.change IN `+tables.ChangesOf(`SELECT ?1`)+` ORDER BY v.id`, session))
}

// tracer is a breadth-first walk.
type tracer struct {
	q       tables.Reader
	limit   int
	steps   []tracedStep
	reached map[int64]int   // steps by version
	since   map[int64]int64 // going forward: the time of each session's first read of the walk
	cut     bool
}

// tracedStep is a step as the tables have it.
type tracedStep struct {
	version, session int64
	from             int
	read             int64
	again            bool
}

// add adds a step and reports whether there was room.
func (w *tracer) add(s tracedStep) bool {
	if len(w.steps) == w.limit {
		w.cut = true
		return false
	}
	if _, known := w.reached[s.version]; !known {
		w.reached[s.version] = len(w.steps)
	}
	w.steps = append(w.steps, s)
	return true
}

func (w *tracer) back(begin []tracedStep) error {
	for _, s := range begin {
		if !w.add(s) {
			return nil
		}
	}
	for at := 0; at < len(w.steps) && !w.cut; at++ {
		if w.steps[at].again {
			continue
		}
		var session sql.NullInt64
		var ts int64
		err := w.q.Row(`SELECT `+tables.SessionOf+`,c.ts FROM version v JOIN change c ON c.id=v.change`+tables.Attributed+`WHERE v.id=?`, w.steps[at].version).Scan(&session, &ts)
		if err != nil {
			return err
		}
		if !session.Valid {
			continue
		}
		reads, err := w.readBy(session.Int64, ts, at)
		if err != nil {
			return err
		}
		for _, r := range reads {
			_, r.again = w.reached[r.version]
			if !w.add(r) {
				return nil
			}
		}
	}
	return nil
}

// readBy returns the versions that a session had read at a time, in the order of their first reads.
func (w *tracer) readBy(session, upTo int64, from int) (out []tracedStep, err error) {
	r := tracedStep{session: session, from: from}
	return db.All(w.q.Rows(`SELECT version,min(ts) FROM read WHERE session=? AND ts<=? AND version IS NOT NULL GROUP BY version ORDER BY min(ts)`, session, upTo),
		&r, &r.version, &r.read)
}

func (w *tracer) forward(rows []int64) error {
	for _, row := range rows {
		if !w.add(tracedStep{version: row, from: -1}) {
			return nil
		}
	}
	for next := [][]int64{rows}; len(next) > 0 && !w.cut; next = next[1:] {
		readers, err := w.readersOf(next[0])
		if err != nil {
			return err
		}
		for _, r := range readers {
			if first, known := w.since[r.Session]; known && first <= r.TS {
				continue
			}
			w.since[r.Session] = r.TS
			wrote, err := w.writtenAfter(r)
			if err != nil {
				return err
			}
			if len(wrote) > 0 {
				next = append(next, wrote)
			}
		}
	}
	return nil
}

// readersOf returns the sessions that read one of some versions, or a later one of its memory. A read whose
// version is not known counts by its time.
func (w *tracer) readersOf(versions []int64) (out []core.Reading, err error) {
	var r core.Reading
	out, err = db.All(w.q.Rows(`WITH of AS MATERIALIZED (SELECT v.id,v.memory,v.number,c.ts FROM version v JOIN change c ON c.id=v.change WHERE v.id IN (SELECT value FROM json_each(?)))
		SELECT r.session,min(r.ts),of.id FROM of CROSS JOIN read r ON r.memory=of.memory LEFT JOIN version v ON v.id=r.version
		WHERE r.session IS NOT NULL AND CASE WHEN v.number IS NULL THEN r.ts>=of.ts ELSE v.number>=of.number END GROUP BY r.session`, tables.AsJSON(versions)), &r, &r.Session, &r.TS, &r.Version)
	slices.SortFunc(out, func(a, b core.Reading) int { return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(a.Session, b.Session)) })
	return out, err
}

// writtenAfter adds what a session wrote after a read, and returns what is new of it.
func (w *tracer) writtenAfter(r core.Reading) (added []int64, err error) {
	rows, err := db.Values[int64](w.q.Rows(`SELECT v.id FROM change c JOIN version v ON v.change=c.id WHERE c.id IN `+tables.ChangesOf(`SELECT ?1`)+` AND c.ts>=?2 ORDER BY v.id`, r.Session, r.TS))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if _, known := w.reached[row]; known {
			continue
		}
		if !w.add(tracedStep{version: row, session: r.Session, from: w.reached[r.Version], read: r.TS}) {
			break
		}
		added = append(added, row)
	}
	return added, nil
}

// traceAtOnce is how many versions are read with one statement.
const traceAtOnce = 500

// trace reads the versions of the steps.
func (w *tracer) trace() (versions.Trace, error) {
	out := versions.Trace{Cut: w.cut}
	sessions := map[int64]versions.SessionID{}
	for steps := range slices.Chunk(w.steps, traceAtOnce) {
		rows := make([]int64, len(steps))
		for i, s := range steps {
			rows[i] = s.version
		}
		read := map[int64]versions.TraceStep{}
		var v tables.Stored
		var step versions.TraceStep
		found := w.q.Rows(`SELECT `+tables.VersionColumns+`,(SELECT uid FROM store WHERE id=c.store),c.undone_by IS NOT NULL AND NOT `+tables.InEffect+tables.VersionTables+`WHERE v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(rows))
		for range found.Each(append(v.To(), tables.IDTo(&step.Store), &step.Undone)...) {
			step.Version = v.Version
			read[v.Row] = step
		}
		if err := found.Err(); err != nil {
			return out, err
		}
		for _, s := range steps {
			step := read[s.version]
			step.From, step.Again = s.from, s.again
			if s.session != 0 {
				if _, known := sessions[s.session]; !known {
					var uid versions.SessionID
					if err := w.q.Row(`SELECT uid FROM session WHERE id=?`, s.session).Scan(&uid); err != nil {
						return out, err
					}
					sessions[s.session] = uid
				}
				step.ReadBy, step.Read = sessions[s.session], tables.FromMicros(s.read)
			}
			out.Steps = append(out.Steps, step)
		}
	}
	return out, nil
}
