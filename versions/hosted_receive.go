package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// ErrHereToo means that another store of this home already has the hosted store's memories.
var ErrHereToo = errors.New("its memories are in another store of this home already")

// errOnePath means that the service's history puts two memories at one path.
var errOnePath = errors.New("two memories have one path")

// receive stores changes, oldest first, in one commit with the steps that bring the folder to the
// final state. It skips what is already here.
func (s *replica) receive(ctx context.Context, arrivals []arrival) (got pulled, err error) {
	err = s.exclusively(ctx, func(ctx context.Context) error {
		return s.act(ctx, func(x *txn) (*mutation, error) {
			r := &receiver{s: s.Store, x: x, memories: map[string]*received{}}
			d, err := r.plan(arrivals)
			if err == nil {
				got = r.got
			}
			return d, err
		}, commitAndApply)
	})
	return got, err
}

func (r *receiver) plan(arrivals []arrival) (d *mutation, err error) {
	if err := r.x.adoptInWay(arrivals); err != nil {
		return nil, err
	}
	if r.last, err = r.x.lastTime(); err != nil {
		return nil, err
	}
	for i := range arrivals {
		if err := r.take(&arrivals[i]); err != nil {
			return nil, err
		}
	}
	if len(r.changes) == 0 {
		return &mutation{x: r.x}, nil
	}
	return r.finish()
}

// adoptInWay finds what other programs changed at the paths of the arriving changes. The commit holds that
// and puts the files back, before the steps of the arriving changes.
func (x *txn) adoptInWay(arrivals []arrival) error {
	paths := map[memfs.Path]bool{}
	for _, a := range arrivals {
		for _, v := range a.versions {
			for p := v.path; !p.IsRoot() && !paths[p]; p = p.Dir() {
				paths[p] = true
			}
			var at memfs.Path
			if err := x.Row(`SELECT path FROM head WHERE memory=(SELECT id FROM memory WHERE uid=?) AND store=?`, v.muid, x.s.id).Scan(pathTo(&at)); ignoreNoRows(err) != nil {
				return err
			}
			paths[at] = true
		}
	}
	delete(paths, memfs.Root)
	for _, p := range slices.SortedFunc(maps.Keys(paths), comparePaths) {
		below, err := x.headsIn(p)
		if err != nil {
			return err
		}
		for _, p := range append(below, p) {
			if _, err := x.adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
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
	op      Operation
	start   planning.State // its state in the folder
	now     planning.State // its state afterwards
	hidden  bool           // a redaction hides its path
	version versionRow
	change  *changeRow // that made the newest version; nil while nothing arrived
}

func (m *received) exists() bool { return m.hidden || m.now.Live() }

// receiver stores changes in one transaction.
type receiver struct {
	s        *Store
	x        *txn
	last     int64 // time of the newest change
	memories map[string]*received
	order    []*received
	changes  []*changeRow
	versions []versionRow
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
	var c *changeRow
	for i := range fresh {
		v := &fresh[i]
		m, err := r.memoryOf(v)
		if err != nil {
			return err
		}
		if m.is(v) {
			m.unsent, m.known = false, true
			if err := r.x.sentNow(m.newest, v.uid); err != nil {
				return err
			}
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
		return r.recordRename(c, a)
	}
	for _, n := range a.undone {
		if err := r.x.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, c.number, r.s.id, n); err != nil {
			return err
		}
	}
	if err := r.x.accept(a.accepts, c.number); err != nil {
		return err
	}
	var err error
	r.got.own, err = scanChange(r.x.Row(changeNumbered, r.s.id, c.number))
	r.got.own.Versions = c.versions // which its row has at the end
	return err
}

// recordRename records an edit of one memory as a rename when it moved the memory.
func (r *receiver) recordRename(c *changeRow, a *arrival) error {
	v := r.versions[len(r.versions)-1]
	if a.asked.kind != KindEdit || v.origin.IsRoot() || c.versions != 1 {
		return nil
	}
	c.path = v.origin
	return r.x.Exec(`UPDATE change SET kind=?, dest=? WHERE id=?`, string(KindRename), key(v.path), c.id)
}

// here reports whether the store already has a version.
func (r *receiver) here(uid []byte) (bool, error) {
	var store int64
	err := r.x.Row(`SELECT m.store FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=?`, uid).Scan(&store)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err == nil && store != r.s.id:
		return false, fmt.Errorf("store %s: version %s: %w", r.s.info.Name, ids.Format(ids.VersionPrefix, uid), ErrHereToo)
	}
	return true, err
}

// change writes the row of a change. It uses the service's time unless that is not later than the
// last change.
func (r *receiver) change(by By, a request, at time.Time) (*changeRow, error) {
	r.x.wall = at.UnixMicro()
	r.x.ts = max(r.x.wall, r.last+1)
	r.last = r.x.ts
	c, err := r.x.newChange(by, a)
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
	case err == nil && store != r.s.id:
		return nil, fmt.Errorf("store %s: memory %s: %w", r.s.info.Name, ids.Format(ids.MemoryPrefix, v.muid), ErrHereToo)
	case errors.Is(err, sql.ErrNoRows):
		if m.row, err = r.x.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, v.muid, r.s.id); err != nil {
			return nil, err
		}
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
	m.hidden = redacted && m.op != Deleted
	if m.start, err = nowOf(r.x, m.row); err != nil {
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
	if v.Operation == Deleted {
		return m.op == Deleted
	}
	return m.now.Live() && m.now.Path == v.path && m.now.SHA256 == v.SHA256
}

// add writes a version and makes it the newest of its memory.
func (r *receiver) add(c *changeRow, v *incoming, m *received) error {
	row := versionRow{memory: m.row, op: v.Operation, path: v.path, source: v.source, uid: v.uid}
	switch {
	case v.Operation == Created && m.exists(): // its deletion was never listed
		row.op = Modified
	case v.Operation == Modified && m.known && !m.exists(): // its creation was never listed
		row.op = Created
	}
	if row.op == Modified && m.now.Live() && !v.path.IsRoot() && m.now.Path != v.path {
		row.origin = m.now.Path
	}
	var err error
	if v.Operation != Deleted && v.Redacted.IsZero() {
		if row.blob, err = blobs.Put(r.x.Tx, v.Content, v.SHA256); err != nil {
			return err
		}
		row.facts = factsOf(v.Content, v.SHA256)
	}
	if err := r.x.addVersion(c, &row); err != nil {
		return err
	}
	if !v.Redacted.IsZero() {
		if err := r.redacted(&row, v); err != nil {
			return err
		}
	}
	m.known, m.newest, m.unsent, m.op = true, row.id, false, row.op
	m.version, m.change = row, c
	m.hidden = !v.Redacted.IsZero() && v.Operation != Deleted
	if m.now = (planning.State{}); v.Operation != Deleted && !m.hidden {
		m.now = planning.State{Path: row.path, SHA256: row.facts.sha, Size: int64(row.facts.size), Blob: row.blob, Row: row.id}
	}
	r.versions = append(r.versions, row)
	r.got.Versions++
	return nil
}

// redacted records that the service has erased a version.
func (r *receiver) redacted(row *versionRow, v *incoming) error {
	by := null(int64(0))
	if v.RedactedBy != (Actor{}) {
		id, err := r.x.actor(v.RedactedBy)
		if err != nil {
			return err
		}
		by = id
	}
	return r.x.Exec(`UPDATE version SET path=NULL, origin=NULL, blob=NULL, redacted=?, redacted_by=? WHERE id=?`, v.Redacted.UnixMicro(), by, row.id)
}

// restoreCurrent makes the earlier state current again after a version that arrived late: the late
// version is older than the known ones, but no version can be inserted between existing ones.
func (r *receiver) restoreCurrent(m, before *received, at time.Time) error {
	was := before.now
	v := &incoming{HostedVersion: HostedVersion{Operation: Modified, SHA256: was.SHA256}, path: was.Path, source: was.Row}
	a := request{kind: KindRestore, path: was.Path}
	var err error
	switch {
	case !was.Live():
		v.Operation, v.path, a.path = Deleted, m.now.Path, m.now.Path
	case !m.exists():
		v.Operation = Created
	}
	if was.Live() {
		if v.Content, err = textOf(r.x, was); err != nil {
			return err
		}
	}
	v.uid = ids.New() // nobody else has it
	if before.unsent {
		v.uid = ids.NewUnsent()
	}
	c, err := r.change(By{Actor: someKey}, a, at)
	if err != nil {
		return err
	}
	err = r.add(c, v, m)
	m.unsent = before.unsent
	return err
}

// someKey is the actor of changes for which the service names none.
var someKey = Actor{Kind: APIKey, Name: "unknown"}
