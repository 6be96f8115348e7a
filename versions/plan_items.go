package versions

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/match"
)

// place is the path and content of a memory. The zero place means that the memory doesn't
// exist.
type place struct {
	path     memfs.Path
	sha      Hash
	size     int64
	blob     int64
	version  int64 // the row of the version that holds it
	uid      VersionID
	text     []byte // a new text, used instead of blob and version
	redacted bool   // the memory existed, but its path and content are redacted
}

func (p place) live() bool { return p.redacted || p.sha != (Hash{}) }

// same reports whether two places are known to have the same path and content.
func (p place) same(o place) bool {
	return !p.redacted && !o.redacted && p.path == o.path && p.sha == o.sha
}

// with returns p with the content of from.
func (p place) with(from place) place {
	from.path = p.path
	return from
}

func (p place) public() Place {
	return Place{Path: p.path, Version: p.uid, SHA256: p.sha, Size: p.size}
}

func (p place) content(q db.Queryer) ([]byte, error) {
	if p.text != nil || !p.live() {
		return p.text, nil
	}
	return blobs.Get(q, p.blob)
}

// run is a contiguous run of a memory's versions that are undone together.
type run struct {
	before, after place
	first         int // number of its oldest version
}

// planned is one memory of a plan during the computation.
type planned struct {
	memory    int64
	id        MemoryID
	stretches []run   // to undo, newest first; none for a restore
	then      place   // the target of a restore
	changes   []int64 // the changes that made those versions
	now, want place
	merge     *diff.Merged
	clash     Clash
	later     int64 // the change that conflicts
	skipped   bool
	made      bool  // its version is already written
	hits      int   // for a replacement
	barred    error // why nothing can be replaced in it
}

// leaves reports whether the plan removes the memory from its current path.
func (it *planned) leaves() bool { return it.now.live() && it.now.path != it.end().path }

// end returns the place of the memory after the plan.
func (it *planned) end() place {
	if it.clash != ClashNone || it.skipped {
		return it.now
	}
	return it.want
}

// shown returns the path under which people know the memory.
func (it *planned) shown() memfs.Path {
	if it.now.live() || !it.want.live() {
		return it.now.path
	}
	return it.want.path
}

// planner computes a plan from what it reads. It changes nothing itself.
type planner struct {
	s     *Store
	q     db.Queryer
	dir   *memfs.Dir
	goal  goal
	asked request
	items []*planned
	took  []int64 // the changes that are undone

	// A planner whose plan is applied scans the files first and adopts what other programs did
	// to them. Otherwise look is nil, and the planner relies on the trail.
	look   func(memory int64) error
	vacate func(memfs.Path) error

	folder bool // one rename moves a whole folder back

	// The fields of a replacement.
	replacer *match.Replacer
	done     <-chan struct{} // closed when the caller gave up
	largest  int64           // maximum size of a memory in bytes
	made     int64           // bytes of new texts so far
	reported int             // hits reported so far
}

// work computes what happens to each memory of the goal, and the conflicts.
func (p *planner) work() error {
	if err := p.collect(); err != nil {
		return err
	}
	for _, it := range p.items {
		if err := p.resolve(it, favorNone); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.items, func(a, b *planned) int {
		return cmp.Or(comparePaths(a.shown(), b.shown()), cmp.Compare(a.memory, b.memory))
	})
	if err := p.moveFolder(); err != nil {
		return err
	}
	return p.settle()
}

// collect adds the items with their current place and the one the goal requests.
func (p *planner) collect() error {
	var err error
	switch {
	case p.goal.change != 0:
		err = p.collectChange(p.goal.change)
	case len(p.goal.changes) > 0:
		err = p.collectChanges(p.goal.changes)
	case p.goal.session != "":
		err = p.collectSession(p.goal.session)
	case p.goal.version != "":
		err = p.collectVersion(p.goal.version)
	case p.goal.moment != nil:
		err = p.collectMoment()
	case p.goal.replace != nil:
		err = p.collectReplace()
	default:
		err = fmt.Errorf("%w: no change, session, version or moment is named", ErrNothing)
	}
	if err != nil {
		return err
	}
	for _, it := range p.items {
		if p.look != nil {
			if err := p.look(it.memory); err != nil {
				return err
			}
		}
		if it.now, err = nowOf(p.q, it.memory); err != nil {
			return err
		}
	}
	return nil
}

const placeColumns = `v.id,v.uid,v.op,coalesce(v.path,''),coalesce(v.blob,0),b.sha,coalesce(b.size,0),coalesce(v.redacted,0)`

// placeScan is the scan target for the columns of a place.
type placeScan struct {
	version    sql.NullInt64
	uid, sha   []byte
	op, path   sql.NullString
	blob, size int64
	redacted   int64
}

// unknownPlace is the unknown place of a memory before its first known version, if that version
// didn't create it: a service keeps old versions for a limited time only.
var unknownPlace = place{redacted: true}

func (s *placeScan) dest() []any {
	return []any{&s.version, &s.uid, &s.op, &s.path, &s.blob, &s.sha, &s.size, &s.redacted}
}

func (s *placeScan) place() (p place, err error) {
	if !s.version.Valid || Operation(s.op.String) == Deleted {
		return place{}, nil
	}
	p = place{version: s.version.Int64, uid: VersionID(ids.Format(ids.VersionPrefix, s.uid)), blob: s.blob, size: s.size, redacted: s.redacted != 0}
	copy(p.sha[:], s.sha)
	p.path, err = pathOf(s.path.String)
	return p, err
}

// nowOf returns the current place of a memory in the trail.
func nowOf(q db.Queryer, memory int64) (place, error) {
	var s placeScan
	err := q.Row(`SELECT `+placeColumns+` FROM head h JOIN version v ON v.id=h.version LEFT JOIN blob b ON b.id=v.blob WHERE h.memory=?`, memory).Scan(s.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return place{}, nil
	}
	if err != nil {
		return place{}, err
	}
	return s.place()
}

// newestChange returns the last change that touched a memory.
func newestChange(q db.Queryer, memory int64) (n int64, err error) {
	err = q.Row(`SELECT c.number FROM version v JOIN change c ON c.id=v.change WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&n)
	return n, err
}

// known returns the path under which people know a memory of the plan: its current path,
// else its path after the plan, else its last known path.
func (p *planner) known(it *planned) memfs.Path {
	places := []place{it.now, it.want, it.then}
	for _, s := range it.stretches {
		places = append(places, s.after, s.before)
	}
	for _, at := range places {
		if at.live() && !at.redacted {
			return at.path
		}
	}
	return memfs.Root
}
