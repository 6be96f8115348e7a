package versions

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/memend/memend/memfs"
)

// mutation is a change while it is planned: versions for the trail and steps for
// the folder. The calls of one mutation name different paths; what moves memories
// around each other goes through arrange.
type mutation struct {
	x        *txn
	by       By
	asked    request
	c        *changeRow // nil until there is something to do
	steps    []step
	versions []versionRow
	read     map[memfs.Path]Hash // what the plan rests on
	undone   []int64             // changes that it reverts
	all      []int64             // the rows of its changes, oldest first, when it is more than c
}

// step is one thing to do to the folder. It can be done again without harm: it
// knows what it expects to find and what it leaves.
type step struct {
	op       memfs.OpKind
	path, to memfs.Path
	content  []byte
	old, new Hash        // of the file before and after; zero is none (or, for OpRemove and OpRename, no regular file)
	mode     fs.FileMode // of a file that is made anew
	left     memfs.Sig   // of the file as the step left it; zero when that isn't certain
}

// versionRow is a version as the trail holds it.
type versionRow struct {
	id, memory int64
	number     int
	op         Operation
	path       memfs.Path
	origin     memfs.Path // before a rename; else zero
	blob       int64
	facts      contentFacts
	source     int64
	mode       fs.FileMode // of a deleted one, that its file had
	sig        memfs.Sig   // of the file, when the change does not touch it
	seen       int64
	uid        []byte // under which another service has it; nil: a new one
}

// request is what the change's row says of the request.
type request struct {
	kind     ChangeKind
	path, to memfs.Path
	undoes   int64 // the change whose steps are reverted
	about    int64 // the same for an undo; for a redo the change that it brings back
}

// start writes the change's row, once. Nothing is numbered before it is known
// that there is something to do.
func (d *mutation) start() (err error) {
	if d.c == nil {
		d.c, err = d.x.newChange(d.by, d.asked)
	}
	return err
}

// maxKeepBytes is the largest file that is read so that its removal can be taken
// back. Beyond it a removal is refused rather than made final.
const maxKeepBytes = 256 << 20

// current adopts the file at p and gives its head, however large it is: what is
// about to be replaced or removed must be in the trail first.
func (d *mutation) current(p memfs.Path) (head, error) {
	h, err := d.x.adopt(p, maxKeepBytes)
	if errors.Is(err, memfs.ErrTooBig) {
		return h, fmt.Errorf("%s: %w to keep a version of (over %d MiB); remove it with another program", p.Tool(), memfs.ErrTooBig, maxKeepBytes>>20)
	}
	return h, err
}

// put makes the memory at p hold content. A memory that was deleted may be
// revived by its row; 0 makes a new one when none stands there.
func (d *mutation) put(p memfs.Path, content []byte, revive, source int64) error {
	h, err := d.current(p)
	if err != nil {
		return err
	}
	if r, ok := d.read[p]; ok && r != h.sha {
		return errForeign // content was made from a state that is no longer
	}
	sha := sum(content)
	if h.live() && h.sha == sha {
		return nil
	}
	if !h.live() && d.asked.kind == KindEdit {
		d.asked.kind = KindCreate
	}
	if err := d.start(); err != nil {
		return err
	}
	v := versionRow{memory: h.memory, op: Modified, path: p, source: source}
	if !h.live() {
		v.op = Created
		if v.memory = revive; revive == 0 {
			if v.memory, err = d.x.newMemory(); err != nil {
				return err
			}
		}
	}
	if err := d.addContent(&v, content, sha); err != nil {
		return err
	}
	d.steps = append(d.steps, step{op: memfs.OpPut, path: p, content: content, old: h.sha, new: sha})
	return nil
}

func (d *mutation) addContent(v *versionRow, content []byte, sha Hash) (err error) {
	if v.blob, err = d.x.putBlob(content, sha); err != nil {
		return err
	}
	v.facts = factsOf(content, sha)
	return d.add(v)
}

func (d *mutation) add(v *versionRow) error {
	if err := d.x.addVersion(d.c, v); err != nil {
		return err
	}
	d.versions = append(d.versions, *v)
	return nil
}

// remove takes away what stands at p: a memory, a link, a special file, or an
// empty folder.
func (d *mutation) remove(p memfs.Path) error {
	h, err := d.current(p)
	if err != nil {
		return err
	}
	if err := d.start(); err != nil {
		return err
	}
	mode := d.x.s.modeAt(p)
	if h.live() {
		v := versionRow{memory: h.memory, op: Deleted, path: p, mode: mode}
		if err := d.add(&v); err != nil {
			return err
		}
	}
	d.steps = append(d.steps, step{op: memfs.OpRemove, path: p, old: h.sha, mode: mode})
	return nil
}

// modeAt is the mode that a file has, for one that takes its place later; 0 where
// there is none.
func (s *Store) modeAt(p memfs.Path) fs.FileMode {
	info, err := s.dir.Lstat(p)
	if err != nil {
		return 0
	}
	return info.Mode.Perm()
}

// move renames a memory, a link, or a folder with all that is in it.
func (d *mutation) move(from, to memfs.Path) error {
	info, err := d.x.s.dir.Lstat(from)
	if err != nil {
		return err
	}
	if err := d.vacate(to); err != nil {
		return err
	}
	st := step{op: memfs.OpRename, path: from, to: to}
	switch info.Kind {
	case memfs.File:
		h, err := d.current(from)
		if err != nil {
			return err
		}
		if err := d.start(); err != nil {
			return err
		}
		st.old = h.sha
		if err := d.moved(h, from, to, false); err != nil {
			return err
		}
	case memfs.Folder:
		if err := d.x.adoptAll(from); err != nil {
			return err
		}
		if err := d.start(); err != nil {
			return err
		}
		paths, err := d.x.headsIn(from)
		if err != nil {
			return err
		}
		for _, p := range paths {
			h, err := d.x.head(p)
			if err != nil {
				return err
			}
			if err := d.moved(h, p, p.Move(from, to), true); err != nil {
				return err
			}
		}
	}
	if err := d.start(); err != nil { // a link
		return err
	}
	d.steps = append(d.steps, st)
	return nil
}

// vacate adopts what the trail still believes at p and below it: the path is
// free on the disk, and must be free in the trail too.
func (d *mutation) vacate(p memfs.Path) error {
	stale, err := d.x.headsIn(p)
	if err != nil {
		return err
	}
	for _, q := range stale {
		if _, err := d.current(q); err != nil {
			return err
		}
	}
	return nil
}

// moved adds the version of a memory that goes to another path, alone or with the
// whole folder that it lies in.
func (d *mutation) moved(h head, from, to memfs.Path, whole bool) error {
	if !h.live() {
		return nil
	}
	blob, err := d.x.blobOf(h.version)
	if err != nil {
		return err
	}
	facts, err := d.x.factsOfHead(h)
	if err != nil {
		return err
	}
	v := versionRow{memory: h.memory, op: Modified, path: to, origin: from, blob: blob, facts: facts}
	if whole { // the file itself stays as it is
		v.sig, v.seen = h.sig, h.seen
	}
	return d.add(&v)
}

// write moves the heads and journals the steps, so that whoever comes after a
// crash can finish them.
func (d *mutation) write() error {
	if err := d.x.moveHeads(d.c, d.versions); err != nil {
		return err
	}
	for n, st := range d.steps {
		if err := d.x.intend(d.c.id, n, st); err != nil {
			return err
		}
	}
	d.c.versions = len(d.versions)
	return d.x.finish(d.c)
}

// intend journals step n of a change.
func (x *txn) intend(change int64, n int, st step) error {
	return x.Exec(`INSERT INTO intent(change,n,op,path,dest,old,new,mode,store,boot) VALUES(?,?,?,?,?,?,?,?,?,?)`,
		change, n, int(st.op), key(st.path), key(st.to), hashOrNull(st.old), hashOrNull(st.new), int(st.mode), x.s.id, x.s.t.boot)
}

func hashOrNull(h Hash) any {
	if h == (Hash{}) {
		return nil
	}
	return h[:]
}

func (x *txn) newMemory() (int64, error) {
	return x.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, x.s.freshUID(), x.s.id)
}

// addVersion numbers a version and writes its row.
func (x *txn) addVersion(c *changeRow, v *versionRow) error {
	if err := x.Row(`SELECT coalesce(max(number),0)+1 FROM version WHERE memory=?`, v.memory).Scan(&v.number); err != nil {
		return err
	}
	var err error
	uid := v.uid
	if uid == nil {
		uid = x.s.freshUID()
	}
	v.id, err = x.Insert(`INSERT INTO version(uid,memory,number,change,op,path,origin,blob,mode,source) VALUES(?,?,?,?,?,?,?,?,?,?)`,
		uid, v.memory, v.number, c.id, string(v.op), key(v.path), null(key(v.origin)), null(v.blob), null(int(v.mode)), null(v.source))
	c.versions++
	return err
}

func (x *txn) blobOf(version int64) (id int64, err error) {
	err = x.Row(`SELECT coalesce(blob,0) FROM version WHERE id=?`, version).Scan(&id)
	return id, err
}

// factsOfHead reads back what the head says, so that a rename need not read the content.
func (x *txn) factsOfHead(h head) (contentFacts, error) {
	f := contentFacts{sha: h.sha}
	err := x.Row(`SELECT bytes,binary,hidden FROM head WHERE memory=?`, h.memory).Scan(&f.size, &f.binary, &f.hidden)
	return f, err
}
