package versions

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/match"
)

// place is where a memory is and what it holds. The zero place is nowhere.
type place struct {
	path     memfs.Path
	sha      Hash
	size     int64
	blob     int64
	version  int64 // the row of the version that holds it
	uid      VersionID
	text     []byte // instead of a blob and a version, of a text that was made here
	redacted bool   // something stood there, and nobody knows what and where
}

func (p place) live() bool { return p.redacted || p.sha != (Hash{}) }

// same reports whether two places are known to be the same one with the same content.
func (p place) same(o place) bool {
	return !p.redacted && !o.redacted && p.path == o.path && p.sha == o.sha
}

// with is p holding what from holds.
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
	return blobContent(q, p.blob)
}

// run is an unbroken run of a memory's versions, to be undone as one.
type run struct {
	before, after place
	first         int // number of its oldest version
}

// planned is one memory of a plan while it is worked out.
type planned struct {
	memory    int64
	id        MemoryID
	stretches []run   // to be undone, newest first; none for a restore
	then      place   // what a restore asks for
	changes   []int64 // whose versions they are
	now, want place
	merge     *diff.Merged
	clash     Clash
	later     int64 // the change in the way
	skipped   bool
	made      bool  // its version is written already
	hits      int   // of a replacement
	barred    error // why it can't be replaced here
}

// leaves reports whether the memory won't stand where it stands now.
func (it *planned) leaves() bool { return it.now.live() && it.now.path != it.end().path }

// end is where the memory will be.
func (it *planned) end() place {
	if it.clash != ClashNone || it.skipped {
		return it.now
	}
	return it.want
}

// shown is the path by which the memory is known.
func (it *planned) shown() memfs.Path {
	if it.now.live() || !it.want.live() {
		return it.now.path
	}
	return it.want.path
}

// planner works out a plan from what it reads. It changes nothing itself.
type planner struct {
	s     *Store
	q     db.Queryer
	dir   *memfs.Dir
	goal  goal
	asked request
	items []*planned
	took  []int64 // the changes that are undone

	// A planner that is to be applied looks at the files first, and adopts what
	// other programs did to them; else the trail is believed.
	look   func(memory int64) error
	vacate func(memfs.Path) error

	folder bool // a whole folder goes back by one rename

	// Of a replacement.
	replacer *match.Replacer
	done     <-chan struct{} // closed when nobody waits for the plan any more
	largest  int64           // how many bytes a memory may have
	made     int64           // bytes of texts
	told     int             // hits
}

// work finds what the goal asks of which memories, and what stands against it.
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

// collect fills in the items with what they are now and what the goal wants.
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

// placeScan reads the columns of a place.
type placeScan struct {
	version    sql.NullInt64
	uid, sha   []byte
	op, path   sql.NullString
	blob, size int64
	redacted   int64
}

// longAgo is where a memory was before the first version that is known of it, when
// that is not the one that made it: a service keeps old versions for a while only.
var longAgo = place{redacted: true}

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

// nowOf is where a memory stands, as the trail has it.
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

// newestChange is the last change that touched a memory.
func newestChange(q db.Queryer, memory int64) (n int64, err error) {
	err = q.Row(`SELECT c.number FROM version v JOIN change c ON c.id=v.change WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&n)
	return n, err
}

// known is the path by which people know a memory of the plan: where it stands,
// else where it would, else where it last was known to be.
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
