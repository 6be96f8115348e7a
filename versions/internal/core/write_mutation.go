package core

import (
	"errors"
	"io/fs"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
)

// Mutation is a change during planning: versions for the trail and steps for the folder.
// The calls on one mutation name different paths; moves of memories to each other's paths
// go through arrange.
type Mutation struct {
	Txn      *Txn
	By       versions.By
	Asked    Request
	Change   *ChangeRow // nil until there is something to do
	Steps    []Step
	Versions []VersionRow
	read     map[memfs.Path]versions.Hash // what the plan depends on
	Undone   []int64                      // changes that it undoes
	Accepts  *Acceptance                  // the held change that it accepts
	Arrives  *HeldBack                    // a change from elsewhere, as it is held if it can't be made now
	Decided  bool                         // it is part of an act that was decided about already
	others   []tables.Other               // what it does to links, folders and files without versions
	All      []*ChangeRow                 // its changes, oldest first, if there are more than c
}

// Step is one action on the folder. Repeating it is harmless, because it records the state
// it expects and the state it leaves.
type Step struct {
	Op       memfs.OpKind
	Path, To memfs.Path
	Content  []byte        // for OpPut; nil means that the trail has it
	Old, New versions.Hash // of the file before and after; zero: none (for OpRemove and OpRename: no regular file)
	Mode     fs.FileMode   // of a file or folder that is created, or of one that is removed; for OpPut, 0: unchanged
	left     memfs.Sig     // of the file after the step; zero if uncertain
	was      fs.FileMode   // of the file or folder before a step that gives it another mode
	Target   string        // of a link that is created or removed
	IfEmpty  bool          // for OpRemove of a folder: leave it if something is in it
}

// VersionRow is a version as stored in the trail.
type VersionRow struct {
	ID, Memory int64
	Number     int
	Op         versions.Operation
	Path       memfs.Path
	Origin     memfs.Path // the path before a rename; else zero
	Blob       int64
	Facts      tables.ContentFacts
	Source     int64       // the version that it brings back or copies; of a deletion, what the memory became in another store
	Mode       fs.FileMode // for a deleted version, the mode of its file
	sig        memfs.Sig   // of the file, if the change doesn't touch it
	seen       int64
	UID        []byte // the id at another service; nil means a new one
}

// Request describes the requested operation for the change's row.
type Request struct {
	Kind     versions.ChangeKind
	Path, To memfs.Path
	Undoes   int64 // the change whose steps are undone
	About    int64 // the same for an undo; for a redo, the change that is redone

	Message, Email string    // of the commit that it came with
	At             time.Time // when it was made elsewhere; zero: now
}

// Start writes the change's row, once. A change gets no number before it is known that
// there is something to do.
func (d *Mutation) Start() (err error) {
	if d.Change == nil {
		d.Change, err = d.Txn.NewChange(d.By, d.Asked)
	}
	return err
}

// Current adopts the file at p and returns its head. The trail must hold what is about to be
// replaced or removed, so current fails for a file that is too large to be versioned.
func (d *Mutation) Current(p memfs.Path) (tables.Head, error) { return d.Txn.Adopt(p) }

// Put writes content to the memory at p. revive is the row of a deleted memory to
// recreate; 0 creates a new memory if p has none.
func (d *Mutation) Put(p memfs.Path, content []byte, revive, source int64) error {
	h, err := d.Current(p)
	if err != nil {
		return err
	}
	if r, ok := d.read[p]; ok && r != h.SHA {
		return ErrForeign // the state that content was computed from is outdated
	}
	sha := versions.Sum(content)
	if h.Live() && h.SHA == sha {
		return nil
	}
	if !h.Live() && d.Asked.Kind == versions.KindEdit {
		d.Asked.Kind = versions.KindCreate
	}
	if err := d.Start(); err != nil {
		return err
	}
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: p, Source: source}
	if !h.Live() {
		v.Op = versions.Created
		if v.Memory = revive; revive == 0 {
			v.Memory = d.Txn.NewMemory()
		}
	}
	if err := d.AddContent(&v, content, sha); err != nil {
		return err
	}
	d.Steps = append(d.Steps, Step{Op: memfs.OpPut, Path: p, Content: content, Old: h.SHA, New: sha})
	return nil
}

// AddContent adds a version with a content.
func (d *Mutation) AddContent(v *VersionRow, content []byte, sha versions.Hash) (err error) {
	if v.Blob, err = blobs.Put(d.Txn.Tx, content, sha); err != nil {
		return err
	}
	v.Facts = tables.FactsOf(content, sha)
	return d.Add(v)
}

// Add adds a version to the change.
func (d *Mutation) Add(v *VersionRow) error {
	if err := d.Txn.AddVersion(d.Change, v); err != nil {
		return err
	}
	d.Versions = append(d.Versions, *v)
	return nil
}

// Remove removes what is at p: a memory, a link, a special file, or an empty folder.
func (d *Mutation) Remove(p memfs.Path) error { return d.RemoveAt(p, 0) }

// RemoveAt is remove for a memory that became a version in another store; 0: it is deleted.
func (d *Mutation) RemoveAt(p memfs.Path, version int64) error {
	h, err := d.Current(p)
	if err != nil {
		return err
	}
	if err := d.Start(); err != nil {
		return err
	}
	mode := ModeAt(d.Txn.Store, p)
	if h.Live() {
		v := VersionRow{Memory: h.Memory, Op: versions.Deleted, Path: p, Mode: mode, Source: version}
		if err := d.Add(&v); err != nil {
			return err
		}
	}
	d.Steps = append(d.Steps, Step{Op: memfs.OpRemove, Path: p, Old: h.SHA, Mode: mode})
	return nil
}

// ModeAt returns the mode of the file at p, for a file that replaces it later; 0 if there
// is none.
func ModeAt(s *Store, p memfs.Path) fs.FileMode {
	info, err := s.Dir.Lstat(p)
	if err != nil {
		return 0
	}
	return info.Mode
}

// Move renames a memory, a link, or a folder with everything in it.
func (d *Mutation) Move(from, to memfs.Path) error {
	info, err := d.Txn.Store.Dir.Lstat(from)
	if err != nil {
		return err
	}
	if err := d.AdoptRemoved(to); err != nil {
		return err
	}
	st := Step{Op: memfs.OpRename, Path: from, To: to}
	switch info.Kind {
	case memfs.File:
		h, err := d.Current(from)
		if err != nil && !errors.Is(err, memfs.ErrTooBig) {
			return err
		}
		tooBig := err != nil // its content doesn't matter: the file moves as it is
		if err := d.Start(); err != nil {
			return err
		}
		if !tooBig {
			st.Old = h.SHA
		}
		if err := d.Moved(h, from, to, tooBig); err != nil {
			return err
		}
	case memfs.Folder:
		if err := d.Txn.AdoptAll(from); err != nil {
			return err
		}
		if err := d.Start(); err != nil {
			return err
		}
		paths, err := d.Txn.HeadsIn(from)
		if err != nil {
			return err
		}
		for _, p := range paths {
			h, err := d.Txn.Head(p)
			if err != nil {
				return err
			}
			if err := d.Moved(h, p, p.Move(from, to), true); err != nil {
				return err
			}
		}
	}
	if err := d.Start(); err != nil { // a link
		return err
	}
	d.Steps = append(d.Steps, st)
	return nil
}

// AdoptRemoved adopts the removal of what the trail still has at p and below. The path is free
// on disk and must be free in the trail too.
func (d *Mutation) AdoptRemoved(p memfs.Path) error {
	stale, err := d.Txn.HeadsIn(p)
	if err != nil {
		return err
	}
	for _, q := range stale {
		if _, err := d.Current(q); err != nil {
			return err
		}
	}
	return nil
}

// Moved adds the version of a memory that moves to another path, alone or with its whole
// folder.
func (d *Mutation) Moved(h tables.Head, from, to memfs.Path, whole bool) error {
	if !h.Live() {
		return nil
	}
	blob, err := d.Txn.BlobOf(h.Version)
	if err != nil {
		return err
	}
	facts, err := d.Txn.FactsOfHead(h)
	if err != nil {
		return err
	}
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: to, Origin: from, Blob: blob, Facts: facts}
	if whole { // the file itself doesn't change
		v.sig, v.seen = h.Sig, h.Seen
	}
	return d.Add(&v)
}

// write moves the heads and journals the steps, so that recovery can finish them after a
// crash.
func (d *Mutation) write() error {
	d.Txn.MoveHeads(d.Change, d.Versions)
	for n, st := range d.Steps {
		d.Txn.Intend(d.Change.ID, n, st)
	}
	d.Txn.recordOthers(d.Change, d.others)
	if err := d.Txn.followLinks(d.others); err != nil {
		return err
	}
	d.movePins()
	d.Change.Versions = len(d.Versions)
	d.Txn.Finish(d.Change)
	return d.Txn.Err()
}

// Intend journals step n of a change.
func (x *Txn) Intend(change int64, n int, st Step) {
	x.Exec(`INSERT INTO intent(change,n,op,path,dest,old,new,mode,store,boot,target) VALUES(?,?,?,?,?,?,?,?,?,?,?)`,
		change, n, int(st.Op), versions.Key(st.Path), versions.Key(st.To), tables.HashOrNull(st.Old), tables.HashOrNull(st.New), int(st.Mode), x.Store.Row, x.Store.Trail.boot, st.Target)
}

// NewMemory writes the row of a new memory.
func (x *Txn) NewMemory() int64 {
	return x.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, FreshUID(x.Store), x.Store.Row)
}

// AddVersion numbers a version and writes its row.
func (x *Txn) AddVersion(c *ChangeRow, v *VersionRow) error {
	if err := x.Row(`SELECT coalesce(max(number),0)+1 FROM version WHERE memory=?`, v.Memory).Scan(&v.Number); err != nil {
		return err
	}
	uid := v.UID
	if uid == nil {
		uid = FreshUID(x.Store)
	}
	v.ID = x.Insert(`INSERT INTO version(uid,memory,number,change,op,path,origin,blob,mode,source) VALUES(?,?,?,?,?,?,?,?,?,?)`,
		uid, v.Memory, v.Number, c.ID, string(v.Op), versions.Key(v.Path), tables.Null(versions.Key(v.Origin)), tables.Null(v.Blob), tables.Null(int(v.Mode)), tables.Null(v.Source))
	c.Versions++
	return x.Err()
}

// BlobOf returns the row of a version's content; 0 if it has none.
func (x *Txn) BlobOf(version int64) (id int64, err error) {
	err = x.Row(`SELECT coalesce(blob,0) FROM version WHERE id=?`, version).Scan(&id)
	return id, err
}

// FactsOfHead returns the facts stored in the head, so that a rename need not read the
// content.
func (x *Txn) FactsOfHead(h tables.Head) (tables.ContentFacts, error) {
	f := tables.ContentFacts{SHA: h.SHA}
	err := x.Row(`SELECT bytes,binary,hidden FROM head WHERE memory=?`, h.Memory).Scan(&f.Size, &f.Binary, &f.Hidden)
	return f, err
}
