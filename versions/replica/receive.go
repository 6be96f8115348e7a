package replica

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// errOnePath means that the service's history puts two memories at one path.
var errOnePath = errors.New("two memories have one path")

// receive stores changes, oldest first, in one commit with the steps that bring the folder to the
// final state. It skips what is already here.
func (s *replica) receive(ctx context.Context, arrivals []arrival) (got pulled, err error) {
	err = core.Exclusively(ctx, s.Store, func(ctx context.Context) error {
		return core.Act(ctx, s.Store, func(x *core.Txn) (*core.Mutation, error) {
			r := &receiver{s: s.Store, x: x, memories: map[string]*received{}}
			d, err := r.plan(arrivals)
			if err == nil {
				got = r.got
			}
			return d, err
		}, core.CommitAndApply)
	})
	return got, err
}

func (r *receiver) plan(arrivals []arrival) (d *core.Mutation, err error) {
	if err := adoptInWay(r.x, arrivals); err != nil {
		return nil, err
	}
	if r.last, err = r.x.LastTime(); err != nil {
		return nil, err
	}
	for i := range arrivals {
		if err := r.take(&arrivals[i]); err != nil {
			return nil, err
		}
	}
	if len(r.changes) == 0 {
		return &core.Mutation{Txn: r.x}, nil
	}
	return r.finish()
}

// adoptInWay finds what other programs changed at the paths of the arriving changes. The commit holds that
// and puts the files back, before the steps of the arriving changes.
func adoptInWay(x *core.Txn, arrivals []arrival) error {
	paths := map[memfs.Path]bool{}
	for _, a := range arrivals {
		for _, v := range a.versions {
			for p := v.path; !p.IsRoot() && !paths[p]; p = p.Dir() {
				paths[p] = true
			}
			var at memfs.Path
			if err := x.Row(`SELECT path FROM head WHERE memory=(SELECT id FROM memory WHERE uid=?) AND store=?`, v.muid, x.Store.Row).Scan(tables.PathTo(&at)); tables.IgnoreNoRows(err) != nil {
				return err
			}
			paths[at] = true
		}
	}
	delete(paths, memfs.Root)
	for _, p := range slices.SortedFunc(maps.Keys(paths), versions.ComparePaths) {
		below, err := x.HeadsIn(p)
		if err != nil {
			return err
		}
		for _, p := range append(below, p) {
			if _, err := x.Adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
				return err
			}
		}
	}
	return nil
}

// received is the state of a memory while its versions are stored.
type received struct {
	row     int64
	known   bool  // it has versions
	newest  int64 // row of the newest version
	unsent  bool  // the service does not have the newest version
	op      versions.Operation
	start   planning.State // its state in the folder
	now     planning.State // its state afterwards
	hidden  bool           // a redaction hides its path
	version core.VersionRow
	change  *core.ChangeRow // that made the newest version; nil while nothing arrived
}

func (m *received) exists() bool { return m.hidden || m.now.Live() }

// receiver stores changes in one transaction.
type receiver struct {
	s        *core.Store
	x        *core.Txn
	last     int64 // time of the newest change
	memories map[string]*received
	order    []*received
	changes  []*core.ChangeRow
	versions []core.VersionRow
	got      pulled
}

// take stores the parts of one change that are not here yet.
func (r *receiver) take(a *arrival) error {
	var fresh []incoming
	for _, v := range a.versions {
		here, err := r.here(v.uid)
		if err != nil {
			return err
		}
		if !here {
			fresh = append(fresh, v)
		}
	}
	var c *core.ChangeRow
	first := len(r.versions) // of c
	for i := range fresh {
		v := &fresh[i]
		m, err := r.memoryOf(v)
		if err != nil {
			return err
		}
		if m.is(v) {
			m.unsent, m.known = false, true
			sentNow(r.x, m.newest, v.uid)
			continue
		}
		if c == nil {
			if c, err = r.change(a.by, a.asked, a.versions[0].Time); err != nil {
				return err
			}
		}
		was := *m
		if err := r.add(c, v, m); err != nil {
			return err
		}
		if v.late && was.exists() != m.exists() || v.late && !was.now.Is(m.now) {
			if err := r.restoreCurrent(m, &was, a.versions[0].Time); err != nil {
				return err
			}
		}
	}
	if c == nil {
		return nil
	}
	if !a.own {
		if v := r.versions[first]; a.asked.Kind == versions.KindEdit && !v.Origin.IsRoot() && c.Versions == 1 {
			c.Path = v.Origin
			r.x.Exec(`UPDATE change SET kind=?, dest=? WHERE id=?`, string(versions.KindRename), versions.Key(v.Path), c.ID)
		}
		return r.x.Err()
	}
	for _, n := range a.undone {
		r.x.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, c.Number, r.s.Row, n)
	}
	if err := r.x.Accept(a.accepts, c.Number); err != nil {
		return err
	}
	var err error
	r.got.own, err = tables.ScanChange(r.x.Row(tables.ChangeNumbered, r.s.Row, c.Number))
	r.got.own.Versions = c.Versions // which its row has at the end
	return err
}

// here reports whether the store already has a version.
func (r *receiver) here(uid []byte) (bool, error) {
	var store int64
	err := r.x.Row(`SELECT m.store FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=?`, uid).Scan(&store)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err == nil && store != r.s.Row:
		return false, fmt.Errorf("store %s: version %s: %w", r.s.Opened.Name, ids.Format(ids.VersionPrefix, uid), versions.ErrHereToo)
	}
	return true, err
}

// change writes the row of a change. It uses the service's time unless that is not later than the
// last change.
func (r *receiver) change(by versions.By, a core.Request, at time.Time) (*core.ChangeRow, error) {
	r.x.Wall = at.UnixMicro()
	r.x.TS = max(r.x.Wall, r.last+1)
	r.last = r.x.TS
	c, err := r.x.NewChange(by, a)
	if err == nil {
		r.changes = append(r.changes, c)
	}
	return c, err
}

// memoryOf returns the memory of a version.
func (r *receiver) memoryOf(v *incoming) (*received, error) {
	if m := r.memories[string(v.muid)]; m != nil {
		return m, nil
	}
	m := &received{}
	var store int64
	err := r.x.Row(`SELECT id,store FROM memory WHERE uid=?`, v.muid).Scan(&m.row, &store)
	switch {
	case err == nil && store != r.s.Row:
		return nil, fmt.Errorf("store %s: memory %s: %w", r.s.Opened.Name, ids.Format(ids.MemoryPrefix, v.muid), versions.ErrHereToo)
	case errors.Is(err, sql.ErrNoRows):
		m.row = r.x.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, v.muid, r.s.Row)
	case err != nil:
		return nil, err
	}
	if err := r.load(m); err != nil {
		return nil, err
	}
	r.memories[string(v.muid)] = m
	r.order = append(r.order, m)
	return m, nil
}

// moved reports whether an arriving version concerns a memory, so that its stored head is out of
// date.
func (r *receiver) moved(row int64) bool {
	return slices.ContainsFunc(r.order, func(m *received) bool { return m.row == row })
}

// load reads the current state of a memory.
func (r *receiver) load(m *received) error {
	var uid []byte
	var redacted bool
	err := r.x.Row(`SELECT id,uid,op,redacted IS NOT NULL FROM version WHERE memory=? ORDER BY number DESC LIMIT 1`, m.row).Scan(&m.newest, &uid, &m.op, &redacted)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	m.known, m.unsent = true, ids.Unsent(uid)
	m.hidden = redacted && m.op != versions.Deleted
	if m.start, err = tables.NowOf(r.x, m.row); err != nil {
		return err
	}
	m.now = m.start
	return nil
}

// is reports whether a version equals the current one, which still has an id of this home.
func (m *received) is(v *incoming) bool {
	if !m.unsent || !v.Redacted.IsZero() {
		return false
	}
	if v.Operation == versions.Deleted {
		return m.op == versions.Deleted
	}
	return m.now.Live() && m.now.Path == v.path && m.now.SHA256 == v.SHA256
}

// add writes a version and makes it the newest of its memory.
func (r *receiver) add(c *core.ChangeRow, v *incoming, m *received) error {
	row := core.VersionRow{Memory: m.row, Op: v.Operation, Path: v.path, Source: v.source, UID: v.uid}
	switch {
	case v.Operation == versions.Created && m.exists(): // its deletion was never listed
		row.Op = versions.Modified
	case v.Operation == versions.Modified && m.known && !m.exists(): // its creation was never listed
		row.Op = versions.Created
	}
	if row.Op == versions.Modified && m.now.Live() && !v.path.IsRoot() && m.now.Path != v.path {
		row.Origin = m.now.Path
	}
	var err error
	if v.Operation != versions.Deleted && v.Redacted.IsZero() {
		if row.Blob, err = blobs.Put(r.x.Tx, v.Content, v.SHA256); err != nil {
			return err
		}
		row.Facts = tables.FactsOf(v.Content, v.SHA256)
	}
	if err := r.x.AddVersion(c, &row); err != nil {
		return err
	}
	if !v.Redacted.IsZero() {
		if err := r.redacted(&row, v); err != nil {
			return err
		}
	}
	m.known, m.newest, m.unsent, m.op = true, row.ID, false, row.Op
	m.version, m.change = row, c
	m.hidden = !v.Redacted.IsZero() && v.Operation != versions.Deleted
	if m.now = (planning.State{}); v.Operation != versions.Deleted && !m.hidden {
		m.now = planning.State{Path: row.Path, SHA256: row.Facts.SHA, Size: int64(row.Facts.Size), Blob: row.Blob, Row: row.ID}
	}
	r.versions = append(r.versions, row)
	r.got.Versions++
	return nil
}

// redacted records that the service has erased a version.
func (r *receiver) redacted(row *core.VersionRow, v *incoming) error {
	by := tables.Null(int64(0))
	if v.RedactedBy != (versions.Actor{}) {
		id, err := r.x.Actor(v.RedactedBy)
		if err != nil {
			return err
		}
		by = id
	}
	r.x.Exec(`UPDATE version SET path=NULL, origin=NULL, blob=NULL, redacted=?, redacted_by=? WHERE id=?`, v.Redacted.UnixMicro(), by, row.ID)
	return r.x.Err()
}

// restoreCurrent makes the earlier state current again after a version that arrived late: the late
// version is older than the known ones, but no version can be inserted between existing ones.
func (r *receiver) restoreCurrent(m, before *received, at time.Time) error {
	was := before.now
	v := &incoming{HostedVersion: versions.HostedVersion{Operation: versions.Modified, SHA256: was.SHA256}, path: was.Path, source: was.Row}
	a := core.Request{Kind: versions.KindRestore, Path: was.Path}
	var err error
	switch {
	case !was.Live():
		v.Operation, v.path, a.Path = versions.Deleted, m.now.Path, m.now.Path
	case !m.exists():
		v.Operation = versions.Created
	}
	if was.Live() {
		if v.Content, err = tables.TextOf(r.x, was); err != nil {
			return err
		}
	}
	v.uid = ids.New() // nobody else has it
	if before.unsent {
		v.uid = ids.NewUnsent()
	}
	c, err := r.change(versions.By{Actor: someKey}, a, at)
	if err != nil {
		return err
	}
	err = r.add(c, v, m)
	m.unsent = before.unsent
	return err
}

// someKey is the actor of changes for which the service names none.
var someKey = versions.Actor{Kind: versions.APIKey, Name: "unknown"}
