package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// An export reads the trail in pages. One long read would keep redactions from finishing until the
// export ends.
const (
	exportChanges  = 64
	exportVersions = 512 // a change is never split
)

// Export passes the whole history of the store, as it is at the call, to each, oldest change first.
// It holds one page of changes and some of its contents in memory. It passes a version with a damaged
// content without that content, and returns a *LeftOutError after everything else. It fails with
// ErrRedactedMeanwhile when a redaction ran in between: the items passed so far may contain erased
// text.
func Export(ctx context.Context, s *core.Store, each func(versions.Item) error) error {
	return ExportAfter(ctx, s, 0, each)
}

// ExportAfter is Export for the changes after a change, without the contents of those before.
func ExportAfter(ctx context.Context, s *core.Store, change int64, each func(versions.Item) error) error {
	e := &exporter{s: s, ctx: ctx, each: each, at: change, given: db.RowSet{}, lost: db.RowSet{}}
	if err := e.begin(); err != nil {
		return err
	}
	for e.at < e.upTo {
		if err := e.page(); err != nil {
			return err
		}
	}
	now, err := redactions(ctx, s)
	switch {
	case err != nil:
		return err
	case now != e.redactions:
		return versions.ErrRedactedMeanwhile
	case len(e.left) > 0:
		return &versions.LeftOutError{What: e.left}
	}
	return nil
}

// begin finishes or discards unfinished changes and then determines where the history ends.
func (e *exporter) begin() error {
	unlock, err := core.EnterToRead(e.ctx, e.s)
	if errors.Is(err, versions.ErrFolderGone) { // the trail needs none
		unlock, err = func() {}, nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	if e.upTo, err = e.s.LastChange(e.ctx); err == nil {
		e.redactions, err = redactions(e.ctx, e.s)
	}
	return err
}

// redactions counts the redacted versions of the store.
func redactions(ctx context.Context, s *core.Store) (n int64, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL`, s.Row).Scan(&n)
	return n, err
}

type exporter struct {
	s          *core.Store
	ctx        context.Context
	each       func(versions.Item) error
	at, upTo   int64
	redactions int64
	given      db.RowSet       // contents passed so far
	lost       db.RowSet       // damaged contents
	next       []int64         // contents of the page that are not read yet
	read       []blobs.Content // those before them, which are not passed yet
	left       []string
}

// exported is a version and what must be exported before it.
type exported struct {
	versions.RecordVersion
	change int64 // its number
	blob   int64 // its content; 0: none
}

func (e *exporter) page() error {
	var records []*versions.Record
	var counts map[int64]int // number of versions by the number of their change
	var vs []exported
	err := core.View(e.ctx, e.s.Trail, func(q tables.Reader) (err error) {
		if records, counts, err = e.records(q); err != nil {
			return err
		}
		vs, err = e.versions(q, records[0].Number, records[len(records)-1].Number)
		return err
	})
	if err != nil {
		return err
	}
	e.next = e.notGiven(vs)
	for _, r := range records {
		said := counts[r.Number]
		for ; len(vs) > 0 && vs[0].change == r.Number; vs = vs[1:] {
			v := vs[0].RecordVersion
			if v.Lost, err = e.content(vs[0].blob); err != nil {
				return err
			}
			if v.Lost {
				e.left = append(e.left, fmt.Sprintf("%s: its content in change %d is damaged", v.Path.Tool(), r.Number))
			}
			r.Versions = append(r.Versions, v)
		}
		if len(r.Versions) != said {
			return fmt.Errorf("%w: of %d versions of change %d %d can be read", versions.ErrDamaged, said, r.Number, len(r.Versions))
		}
		if err := e.each(versions.Item{Record: r}); err != nil {
			return err
		}
		e.at = r.Number
	}
	return nil
}

// content exports a content that was not exported before, and reports whether it is damaged.
func (e *exporter) content(blob int64) (lost bool, err error) {
	if blob == 0 || e.given.Has(blob) {
		return e.lost.Has(blob), nil
	}
	if len(e.read) == 0 {
		err := core.View(e.ctx, e.s.Trail, func(q tables.Reader) (err error) {
			e.read, err = blobs.GetMany(q, e.next)
			return err
		})
		if err != nil {
			return false, err
		}
		e.next = e.next[len(e.read):]
	}
	c := e.read[0]
	e.read = e.read[1:]
	e.given.Add(blob)
	switch {
	case errors.Is(c.Err, versions.ErrDamaged): // or deleted: the check for redactions comes at the end
		e.lost.Add(blob)
		return true, nil
	case c.Err != nil:
		return false, c.Err
	}
	return false, e.each(versions.Item{Content: c.Text})
}

// notGiven lists the contents of versions that were not passed before, each once, in the order in which they will be.
func (e *exporter) notGiven(vs []exported) (out []int64) {
	listed := map[int64]bool{0: true}
	for _, v := range vs {
		if !listed[v.blob] && !e.given.Has(v.blob) {
			listed[v.blob] = true
			out = append(out, v.blob)
		}
	}
	return out
}

// records reads the changes of the next page without their versions, and how many versions each
// change has.
func (e *exporter) records(q tables.Reader) (out []*versions.Record, counts map[int64]int, err error) {
	counts = map[int64]int{}
	total := 0
	var r versions.Record
	var nVersions int
	rows := q.Rows(`SELECT c.number,c.kind,c.path,c.dest,c.versions,a.kind,a.name,coalesce(s.uid,''),coalesce(`+tables.CallOf+`,''),coalesce(`+tables.TurnOf+`,0),
		c.ts,c.wall,coalesce(c.undoes,0),`+tables.DoorAndInputs+`,`+tables.IsInferred+`,`+tables.IsFound+`,coalesce(c.message,''),coalesce(c.email,'')`+tables.ChangeTables+`WHERE c.store=? AND c.number>? AND c.number<=? ORDER BY c.number LIMIT ?`,
		e.s.Row, e.at, e.upTo, exportChanges)
	for range rows.Each(&r.Number, &r.Kind, tables.PathTo(&r.Path), tables.PathTo(&r.To), &nVersions, &r.By.Actor.Kind, &r.By.Actor.Name, &r.By.Session, &r.By.ToolUse, &r.By.Turn,
		tables.TimeTo(&r.Time), tables.TimeTo(&r.Wall), &r.Undoes, &r.By.Door, &r.Inputs, &r.Inferred, &r.Found, &r.Message, &r.Email) {
		if total += nVersions; total > exportVersions && len(out) > 0 {
			break
		}
		if r.Number != e.at+int64(len(out))+1 {
			return nil, nil, fmt.Errorf("%w: change %d is missing", versions.ErrDamaged, e.at+int64(len(out))+1)
		}
		counts[r.Number] = nVersions
		next := r
		out = append(out, &next)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	if len(out) == 0 {
		return nil, nil, fmt.Errorf("%w: change %d is missing", versions.ErrDamaged, e.at+1)
	}
	return out, counts, nil
}

// versions reads the versions of a page in the order they were made. The cross joins fix the order
// of the tables: otherwise SQLite scans all changes for each version.
func (e *exporter) versions(q tables.Reader, from, to int64) ([]exported, error) {
	var v exported
	return db.All(q.Rows(`SELECT c.number,v.uid,m.uid,v.op,v.path,v.origin,iif(v.redacted IS NULL,`+tables.KnownHash+`,NULL),iif(v.redacted IS NULL,coalesce(b.size,0),0),
		(SELECT uid FROM version WHERE id=v.source),v.redacted,coalesce(a.kind,''),coalesce(a.name,''),iif(v.redacted IS NULL,coalesce(v.blob,0),0)
		FROM change c CROSS JOIN version v ON v.change=c.id JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor a ON a.id=v.redacted_by
		WHERE c.store=? AND c.number BETWEEN ? AND ? ORDER BY c.number,v.id`, e.s.Row, from, to), &v,
		&v.change, tables.IDTo(&v.ID), tables.IDTo(&v.Memory), &v.Operation, tables.PathTo(&v.Path), tables.PathTo(&v.From), tables.HashTo(&v.SHA256), &v.Size,
		tables.IDTo(&v.Source), tables.TimeTo(&v.Redacted), &v.RedactedBy.Kind, &v.RedactedBy.Name, &v.blob)
}
