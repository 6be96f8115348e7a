package versions

import (
	"database/sql"
	"errors"
	"regexp"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// outside is the actor of other programs' writes: the program is unknown.
var outside = By{Actor: Actor{Kind: Outside}}

// adopt brings the trail up to date with the file at p and returns its head; of a hosted store's replica
// it sets the file aside instead (see setAside). The head
// isn't live if p holds nothing that can be versioned. For a file that is too large to be
// versioned adopt returns a TooBigError, with the head of a memory that has outgrown the limit:
// the memory still exists, and its history ends until it is smaller.
func (x *txn) adopt(p memfs.Path) (head, error) {
	h, err := x.head(p)
	if err != nil {
		return h, err
	}
	info, there, err := x.fileAt(p)
	switch {
	case err != nil:
		return h, err
	case !there:
		return head{path: p}, x.adoptGone(h)
	case h.fresh(info.Sig):
		return h, nil
	}
	if h.live() && info.Sig.Size > blobs.ChunkBytes && info.Sig.Size == h.sig.Size { // too large to read without need
		if now, g, err := x.s.dir.Hash(p, info.Sig.Size); err == nil && now == h.sha {
			return h, x.touch(h, g)
		}
	}
	return x.adoptFile(h)
}

// fileAt returns the regular file at p. It finds none if a link leads to p: scans don't
// follow links, and the target is outside the store or has another path.
func (x *txn) fileAt(p memfs.Path) (info memfs.Info, there bool, err error) {
	if info, err = x.s.dir.Lstat(p); err != nil || info.Kind != memfs.File || x.beingWritten(p, info) {
		return info, false, memfs.Ignore(err, memfs.NoMemory)
	}
	folder := p.Dir()
	if folder.IsRoot() || folder == x.plain {
		return info, true, nil
	}
	real, _, err := x.s.dir.Resolve(folder)
	if err != nil || real != folder {
		return info, false, memfs.Ignore(err, memfs.NoMemory)
	}
	x.plain = folder
	return info, true, nil
}

// unfinishedName matches the temporary name NAME.tmp.PID.RANDOM, which Claude Code gives a
// file until it renames the file to NAME.
var unfinishedName = regexp.MustCompile(`.\.tmp\.[0-9]+\.[0-9a-f]{6,}$`)

// unfinishedTime is how long a file with a temporary name counts as unfinished. An older
// one was left behind and is treated like any other file.
const unfinishedTime = 10 * time.Second

// beingWritten reports whether another program is still writing a temporary file that it
// will rename. If the temporary file were adopted, one save would appear as a memory that
// is created and deleted, besides the one that changes.
func (x *txn) beingWritten(p memfs.Path, info memfs.Info) bool {
	return unfinishedName.MatchString(p.Base()) && x.s.t.now().Sub(fromNanos(info.Sig.Mtime)) < unfinishedTime
}

// adoptFile reads the file of h and adds a version if the content differs.
func (x *txn) adoptFile(h head) (head, error) {
	b, g, err := x.s.dir.Read(h.path, x.s.t.maxBytes)
	switch {
	case errors.Is(err, memfs.ErrTooBig):
		return h, &TooBigError{Path: h.path, Limit: x.s.t.maxBytes}
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotRegular):
		return head{path: h.path}, x.adoptGone(h)
	case err != nil:
		return h, err
	}
	sha := sum(b)
	if h.live() && h.sha == sha {
		return h, x.touch(h, g)
	}
	if x.s.hosted() {
		return h, x.setAside(h, nonNil(b), g)
	}
	v := versionRow{memory: h.memory, op: Modified, path: h.path, mode: 0}
	if !h.live() {
		v.op = Created
		if v.memory, err = x.reappeared(h.path); err != nil {
			return h, err
		}
	}
	if v.blob, err = blobs.Put(x.Tx, b, sha); err != nil {
		return h, err
	}
	if v.source, err = x.broughtBack(v.memory, v.blob); err != nil {
		return h, err
	}
	v.facts = factsOf(b, sha)
	if err := x.adoptVersion(&v, g); err != nil {
		return h, err
	}
	return head{path: h.path, memory: v.memory, version: v.id, sha: sha, sig: g}, nil
}

// broughtBack returns the newest version of a memory that had a content, or 0. Another program that writes the
// content again, as a switch of branches or an undo does, wrote none of its lines.
func (x *txn) broughtBack(memory, blob int64) (version int64, err error) {
	err = x.Row(`SELECT coalesce(max(id),0) FROM version WHERE memory=? AND blob=? AND op<>'deleted' AND redacted IS NULL`, memory, blob).Scan(&version)
	return version, err
}

// adoptGone records that another program removed the file of h.
func (x *txn) adoptGone(h head) error {
	if !h.live() {
		return nil
	}
	if x.s.hosted() {
		return x.setAside(h, nil, memfs.Sig{})
	}
	v := versionRow{memory: h.memory, op: Deleted, path: h.path, seen: h.seen}
	return x.adoptVersion(&v, memfs.Sig{})
}

// adoptMoved records that another program renamed the memory of h.
func (x *txn) adoptMoved(h head, to memfs.Path, g memfs.Sig) error {
	v := versionRow{memory: h.memory, op: Modified, path: to, origin: h.path}
	var err error
	if v.blob, err = x.blobOf(h.version); err != nil {
		return err
	}
	if v.facts, err = x.factsOfHead(h); err != nil {
		return err
	}
	return x.adoptVersion(&v, g)
}

// adoptVersion adds a version to the change that collects what this transaction adopts of
// one writer. It moves the head at once, because the file already exists.
func (x *txn) adoptVersion(v *versionRow, g memfs.Sig) error {
	by, call, err := x.writerOf(v, writtenAt(v, g, x.wall))
	if err != nil {
		return err
	}
	c, err := x.adopting(by, v.path)
	if err != nil {
		return err
	}
	x.seen = append(x.seen, v.path)
	for !v.path.In(c.path) { // find the folder that contains all of them
		c.path = c.path.Dir()
	}
	if err := x.addVersion(c, v); err != nil {
		return err
	}
	if err := x.join(call, c.id); err != nil {
		return err
	}
	if err := x.dropHead(v.memory); err != nil || v.op == Deleted {
		return err
	}
	return x.insertHead(*v, g, c)
}

// adopting returns the change of this transaction that collects one writer's versions.
func (x *txn) adopting(by By, p memfs.Path) (*changeRow, error) {
	for _, c := range x.adopted {
		if c.by == by {
			return c, nil
		}
	}
	c, err := x.newChange(by, request{kind: KindAdopt, path: p})
	if err != nil {
		return nil, err
	}
	c.by = by
	x.adopted = append(x.adopted, c)
	return c, nil
}

// reappeared returns the memory that another program's new file at p continues: the memory
// last removed there by another program, because many programs save by removing and
// recreating a file, or the one that was last forgotten there. In other cases the file is a
// new memory.
func (x *txn) reappeared(p memfs.Path) (int64, error) {
	var memory, live int64
	var op, kind string
	err := x.Row(`SELECT v.memory, v.op, c.kind, EXISTS(SELECT 1 FROM head WHERE memory=v.memory)
		FROM version v JOIN change c ON c.id=v.change WHERE v.path=? AND c.store=? ORDER BY v.id DESC LIMIT 1`, key(p), x.s.id).
		Scan(&memory, &op, &kind, &live)
	ended := ChangeKind(kind) == KindAdopt || ChangeKind(kind) == KindForget
	switch {
	case err == nil && Operation(op) == Deleted && ended && live == 0:
		return memory, nil
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return 0, err
	}
	return x.newMemory()
}

// adoptAll adopts every file in the folder p, hidden ones too. They are about to be moved
// or removed, and the trail must hold what is removed.
func (x *txn) adoptAll(p memfs.Path) error {
	entries, err := x.s.dir.ReadDir(p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Kind {
		case memfs.Folder:
			err = x.adoptAll(e.Path)
		case memfs.File:
			if _, err = x.adopt(e.Path); errors.Is(err, memfs.ErrTooBig) {
				err = nil // it moves unchanged
			}
		}
		if err != nil {
			return err
		}
	}
	heads, err := x.headsIn(p)
	if err != nil {
		return err
	}
	for _, h := range heads { // those whose files are gone
		if _, err := x.adopt(h); err != nil && !errors.Is(err, memfs.ErrTooBig) {
			return err
		}
	}
	return nil
}
