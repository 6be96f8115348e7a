package core

import (
	"database/sql"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
)

// Outside is the actor of other programs' writes: the program is unknown.
var Outside = versions.By{Actor: versions.Actor{Kind: versions.Outside}}

// Adopt brings the trail up to date with the file at p and returns its head; of a hosted store's replica
// it sets the file aside instead (see setAside). The head
// isn't live if p holds nothing that can be versioned. For a file that is too large to be
// versioned adopt returns a TooBigError, with the head of a memory that has outgrown the limit:
// the memory still exists, and its history ends until it is smaller.
func (x *Txn) Adopt(p memfs.Path) (tables.Head, error) {
	h, err := x.Head(p)
	if err != nil {
		return h, err
	}
	info, there, err := x.fileAt(p)
	switch {
	case err != nil:
		return h, err
	case !there:
		return tables.Head{Path: p}, x.adoptGone(h)
	case h.Fresh(info.Sig):
		return h, nil
	}
	if h.Live() && info.Sig.Size > blobs.ChunkBytes && info.Sig.Size == h.Sig.Size { // too large to read without need
		if now, g, err := x.Store.Dir.Hash(p, info.Sig.Size); err == nil && now == h.SHA {
			x.touch(h, g)
			return h, x.Err()
		}
	}
	return x.adoptFile(h)
}

// fileAt returns the regular file at p. It finds none if a link leads to p: scans don't
// follow links, and the target is outside the store or has another path.
func (x *Txn) fileAt(p memfs.Path) (info memfs.Info, there bool, err error) {
	if info, err = x.Store.Dir.Lstat(p); err != nil || info.Kind != memfs.File || x.beingWritten(p, info) {
		return info, false, memfs.Ignore(err, memfs.NoMemory)
	}
	folder := p.Dir()
	if folder.IsRoot() || folder == x.plain {
		return info, true, nil
	}
	real, _, err := x.Store.Dir.Resolve(folder)
	if err != nil || real != folder {
		return info, false, memfs.Ignore(err, memfs.NoMemory)
	}
	x.plain = folder
	return info, true, nil
}

// unfinishedName matches the temporary name NAME.tmp.PID.RANDOM, which Claude Code gives a
// file until it renames the file to NAME.
var unfinishedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`.\.tmp\.[0-9]+\.[0-9a-f]{6,}$`)
})

// unfinishedTime is how long a file with a temporary name counts as unfinished. An older
// one was left behind and is treated like any other file.
const unfinishedTime = 10 * time.Second

// beingWritten reports whether another program is still writing a temporary file that it
// will rename. If the temporary file were adopted, one save would appear as a memory that
// is created and deleted, besides the one that changes.
func (x *Txn) beingWritten(p memfs.Path, info memfs.Info) bool {
	return unfinishedName().MatchString(p.Base()) && x.Store.Trail.Now().Sub(fromNanos(info.Sig.Mtime)) < unfinishedTime
}

// adoptFile reads the file of h and adds a version if the content differs.
func (x *Txn) adoptFile(h tables.Head) (tables.Head, error) {
	b, g, err := x.Store.Dir.Read(h.Path, x.Store.Trail.MaxBytes)
	switch {
	case errors.Is(err, memfs.ErrTooBig):
		return h, &versions.TooBigError{Path: h.Path, Limit: x.Store.Trail.MaxBytes}
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotRegular):
		return tables.Head{Path: h.Path}, x.adoptGone(h)
	case err != nil:
		return h, err
	}
	sha := versions.Sum(b)
	if h.Live() && h.SHA == sha {
		x.touch(h, g)
		return h, x.Err()
	}
	if Hosted(x.Store) {
		return h, x.setAside(h, versions.NonNil(b), g)
	}
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: h.Path, Mode: 0}
	if !h.Live() {
		v.Op = versions.Created
		if v.Memory, err = x.reappeared(h.Path); err != nil {
			return h, err
		}
	}
	if v.Blob, err = blobs.Put(x.Tx, b, sha); err != nil {
		return h, err
	}
	if v.Source, err = x.broughtBack(v.Memory, v.Blob); err != nil {
		return h, err
	}
	v.Facts = tables.FactsOf(b, sha)
	if err := x.adoptVersion(&v, g); err != nil {
		return h, err
	}
	return tables.Head{Path: h.Path, Memory: v.Memory, Version: v.ID, SHA: sha, Sig: g}, nil
}

// broughtBack returns the newest version of a memory that had a content, or 0. Another program that writes the
// content again, as a switch of branches or an undo does, wrote none of its lines.
func (x *Txn) broughtBack(memory, blob int64) (version int64, err error) {
	err = x.Row(`SELECT coalesce(max(id),0) FROM version WHERE memory=? AND blob=? AND op<>'deleted' AND redacted IS NULL`, memory, blob).Scan(&version)
	return version, err
}

// adoptGone records that another program removed the file of h.
func (x *Txn) adoptGone(h tables.Head) error {
	if !h.Live() {
		return nil
	}
	if Hosted(x.Store) {
		return x.setAside(h, nil, memfs.Sig{})
	}
	v := VersionRow{Memory: h.Memory, Op: versions.Deleted, Path: h.Path, seen: h.Seen}
	return x.adoptVersion(&v, memfs.Sig{})
}

// adoptMoved records that another program renamed the memory of h.
func (x *Txn) adoptMoved(h tables.Head, to memfs.Path, g memfs.Sig) error {
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: to, Origin: h.Path}
	var err error
	if v.Blob, err = x.BlobOf(h.Version); err != nil {
		return err
	}
	if v.Facts, err = x.FactsOfHead(h); err != nil {
		return err
	}
	return x.adoptVersion(&v, g)
}

// adoptVersion adds a version to the change that collects what this transaction adopts of
// one writer. It moves the head at once, because the file already exists.
func (x *Txn) adoptVersion(v *VersionRow, g memfs.Sig) error {
	by, call, err := x.writerOf(v.written(g, x.Wall))
	if err != nil {
		return err
	}
	c, err := x.adopting(by, v.Path)
	if err != nil {
		return err
	}
	x.seen = append(x.seen, v.Path)
	for !v.Path.In(c.Path) { // find the folder that contains all of them
		c.Path = c.Path.Dir()
	}
	if err := x.AddVersion(c, v); err != nil {
		return err
	}
	x.join(call, c.ID)
	x.DropHead(v.Memory)
	if v.Op != versions.Deleted {
		x.insertHead(*v, g, c)
	}
	return x.Err()
}

// adopting returns the change of this transaction that collects one writer's versions.
func (x *Txn) adopting(by versions.By, p memfs.Path) (*ChangeRow, error) {
	for _, c := range x.adopted {
		if c.by == by {
			return c, nil
		}
	}
	c, err := x.NewChange(by, Request{Kind: versions.KindAdopt, Path: p})
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
func (x *Txn) reappeared(p memfs.Path) (int64, error) {
	var memory, live int64
	var op, kind string
	err := x.Row(`SELECT v.memory, v.op, c.kind, EXISTS(SELECT 1 FROM head WHERE memory=v.memory)
		FROM version v JOIN change c ON c.id=v.change WHERE v.path=? AND c.store=? ORDER BY v.id DESC LIMIT 1`, versions.Key(p), x.Store.Row).
		Scan(&memory, &op, &kind, &live)
	ended := versions.ChangeKind(kind) == versions.KindAdopt || versions.ChangeKind(kind) == versions.KindForget
	switch {
	case err == nil && versions.Operation(op) == versions.Deleted && ended && live == 0:
		return memory, nil
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return 0, err
	}
	return x.NewMemory(), x.Err()
}

// AdoptAll adopts every file in the folder p, hidden ones too. They are about to be moved
// or removed, and the trail must hold what is removed.
func (x *Txn) AdoptAll(p memfs.Path) error {
	entries, err := x.Store.Dir.ReadDir(p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Kind {
		case memfs.Folder:
			err = x.AdoptAll(e.Path)
		case memfs.File:
			if _, err = x.Adopt(e.Path); errors.Is(err, memfs.ErrTooBig) {
				err = nil // it moves unchanged
			}
		}
		if err != nil {
			return err
		}
	}
	heads, err := x.HeadsIn(p)
	if err != nil {
		return err
	}
	for _, h := range heads { // those whose files are gone
		if _, err := x.Adopt(h); err != nil && !errors.Is(err, memfs.ErrTooBig) {
			return err
		}
	}
	return nil
}
