package versions

import (
	"errors"
	"io/fs"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// mutation is a change during planning: versions for the trail and steps for the folder.
// The calls on one mutation name different paths; moves of memories to each other's paths
// go through arrange.
type mutation struct {
	x        *txn
	by       By
	asked    request
	c        *changeRow // nil until there is something to do
	steps    []step
	versions []versionRow
	read     map[memfs.Path]Hash // what the plan depends on
	undone   []int64             // changes that it undoes
	accepts  *acceptance         // the held change that it accepts
	arrives  *heldBack           // a change from elsewhere, as it is held if it can't be made now
	decided  bool                // it is part of an act that was decided about already
	others   []other             // what it does to links, folders and files without versions
	all      []*changeRow        // its changes, oldest first, if there are more than c
}

// step is one action on the folder. Repeating it is harmless, because it records the state
// it expects and the state it leaves.
type step struct {
	op       memfs.OpKind
	path, to memfs.Path
	content  []byte      // for OpPut; nil means that the trail has it
	old, new Hash        // of the file before and after; zero: none (for OpRemove and OpRename: no regular file)
	mode     fs.FileMode // of a file or folder that is created, or of one that is removed; for OpPut, 0: unchanged
	left     memfs.Sig   // of the file after the step; zero if uncertain
	was      fs.FileMode // of the file or folder before a step that gives it another mode
	target   string      // of a link that is created or removed
	ifEmpty  bool        // for OpRemove of a folder: leave it if something is in it
}

// versionRow is a version as stored in the trail.
type versionRow struct {
	id, memory int64
	number     int
	op         Operation
	path       memfs.Path
	origin     memfs.Path // the path before a rename; else zero
	blob       int64
	facts      contentFacts
	source     int64       // the version that it brings back or copies; of a deletion, what the memory became in another store
	mode       fs.FileMode // for a deleted version, the mode of its file
	sig        memfs.Sig   // of the file, if the change doesn't touch it
	seen       int64
	uid        []byte // the id at another service; nil means a new one
}

// request describes the requested operation for the change's row.
type request struct {
	kind     ChangeKind
	path, to memfs.Path
	undoes   int64 // the change whose steps are undone
	about    int64 // the same for an undo; for a redo, the change that is redone

	message, email string    // of the commit that it came with
	at             time.Time // when it was made elsewhere; zero: now
}

// start writes the change's row, once. A change gets no number before it is known that
// there is something to do.
func (d *mutation) start() (err error) {
	if d.c == nil {
		d.c, err = d.x.newChange(d.by, d.asked)
	}
	return err
}

// current adopts the file at p and returns its head. The trail must hold what is about to be
// replaced or removed, so current fails for a file that is too large to be versioned.
func (d *mutation) current(p memfs.Path) (head, error) { return d.x.adopt(p) }

// put writes content to the memory at p. revive is the row of a deleted memory to
// recreate; 0 creates a new memory if p has none.
func (d *mutation) put(p memfs.Path, content []byte, revive, source int64) error {
	h, err := d.current(p)
	if err != nil {
		return err
	}
	if r, ok := d.read[p]; ok && r != h.sha {
		return errForeign // the state that content was computed from is outdated
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
	if v.blob, err = blobs.Put(d.x.Tx, content, sha); err != nil {
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

// remove removes what is at p: a memory, a link, a special file, or an empty folder.
func (d *mutation) remove(p memfs.Path) error { return d.removeAt(p, 0) }

// removeAt is remove for a memory that became a version in another store; 0: it is deleted.
func (d *mutation) removeAt(p memfs.Path, version int64) error {
	h, err := d.current(p)
	if err != nil {
		return err
	}
	if err := d.start(); err != nil {
		return err
	}
	mode := d.x.s.modeAt(p)
	if h.live() {
		v := versionRow{memory: h.memory, op: Deleted, path: p, mode: mode, source: version}
		if err := d.add(&v); err != nil {
			return err
		}
	}
	d.steps = append(d.steps, step{op: memfs.OpRemove, path: p, old: h.sha, mode: mode})
	return nil
}

// modeAt returns the mode of the file at p, for a file that replaces it later; 0 if there
// is none.
func (s *Store) modeAt(p memfs.Path) fs.FileMode {
	info, err := s.dir.Lstat(p)
	if err != nil {
		return 0
	}
	return info.Mode
}

// move renames a memory, a link, or a folder with everything in it.
func (d *mutation) move(from, to memfs.Path) error {
	info, err := d.x.s.dir.Lstat(from)
	if err != nil {
		return err
	}
	if err := d.adoptRemoved(to); err != nil {
		return err
	}
	st := step{op: memfs.OpRename, path: from, to: to}
	switch info.Kind {
	case memfs.File:
		h, err := d.current(from)
		if err != nil && !errors.Is(err, memfs.ErrTooBig) {
			return err
		}
		tooBig := err != nil // its content doesn't matter: the file moves as it is
		if err := d.start(); err != nil {
			return err
		}
		if !tooBig {
			st.old = h.sha
		}
		if err := d.moved(h, from, to, tooBig); err != nil {
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

// adoptRemoved adopts the removal of what the trail still has at p and below. The path is free
// on disk and must be free in the trail too.
func (d *mutation) adoptRemoved(p memfs.Path) error {
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

// moved adds the version of a memory that moves to another path, alone or with its whole
// folder.
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
	if whole { // the file itself doesn't change
		v.sig, v.seen = h.sig, h.seen
	}
	return d.add(&v)
}

// write moves the heads and journals the steps, so that recovery can finish them after a
// crash.
func (d *mutation) write() error {
	if err := d.x.moveHeads(d.c, d.versions); err != nil {
		return err
	}
	for n, st := range d.steps {
		if err := d.x.intend(d.c.id, n, st); err != nil {
			return err
		}
	}
	if err := d.x.recordOthers(d.c, d.others); err != nil {
		return err
	}
	if err := d.x.followLinks(d.others); err != nil {
		return err
	}
	if err := d.movePins(); err != nil {
		return err
	}
	d.c.versions = len(d.versions)
	return d.x.finish(d.c)
}

// intend journals step n of a change.
func (x *txn) intend(change int64, n int, st step) error {
	return x.Exec(`INSERT INTO intent(change,n,op,path,dest,old,new,mode,store,boot,target) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		change, n, int(st.op), key(st.path), key(st.to), hashOrNull(st.old), hashOrNull(st.new), int(st.mode), x.s.id, x.s.t.boot, st.target)
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

// factsOfHead returns the facts stored in the head, so that a rename need not read the
// content.
func (x *txn) factsOfHead(h head) (contentFacts, error) {
	f := contentFacts{sha: h.sha}
	err := x.Row(`SELECT bytes,binary,hidden FROM head WHERE memory=?`, h.memory).Scan(&f.size, &f.binary, &f.hidden)
	return f, err
}
