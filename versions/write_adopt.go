package versions

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
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
		return info, false, unlessGone(err)
	}
	folder := p.Dir()
	if folder.IsRoot() || folder == x.plain {
		return info, true, nil
	}
	real, _, err := x.s.dir.Resolve(folder)
	if err != nil || real != folder {
		return info, false, unlessGone(err)
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

// unlessGone drops errors that mean that no file exists at a path.
func unlessGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
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

// syncChunk is how many dirty files one commit adopts: enough to make the cost of the
// commit negligible, few enough that the first import of a large folder shows progress and
// other writers get a turn.
const syncChunk = 2000

// syncPause is how long the home's lock is free between two chunks. A waiting process
// tries at least every millisecond.
const syncPause = 5 * time.Millisecond

// Sync adopts what other programs did to the folder. It checks every file and reads those
// that seem changed. In the folder of a hosted store it adopts nothing: it holds what they did
// for review and puts the files back. If such a store is watched, Sync also requests a pull
// from its service, but doesn't wait for it.
func (s *Store) Sync(ctx context.Context) (SyncReport, error) {
	_ = s.takeSpooled(ctx) // what can't be stored now waits
	if err := s.reportLate(ctx); err != nil {
		return SyncReport{}, err
	}
	began := s.t.now()
	defer s.replica.requestPull()
	sc, err := s.scan(ctx)
	if err != nil {
		return SyncReport{}, err
	}
	recalled, err := s.recall(ctx, sc)
	if err != nil {
		return SyncReport{}, err
	}
	report := SyncReport{Files: sc.files, Read: len(sc.dirty), Denied: sc.denied}
	size := s.t.syncChunk
	if sc.gone { // a rename needs both its ends in one chunk
		size = max(size, len(sc.dirty))
	}
	for chunk := range slices.Chunk(sc.dirty, size) {
		if report.Adopted > 0 {
			select {
			case <-time.After(syncPause):
			case <-ctx.Done():
				return report, ctx.Err()
			}
		}
		n, denied, err := s.adoptReadable(ctx, chunk)
		report.Adopted += n
		report.Changed = report.Changed || n > 0
		report.Denied = append(report.Denied, denied...)
		for _, p := range denied {
			sc.others = append(sc.others, Entry{Kind: Unreadable, Path: p, Note: memfs.ErrNoPermission.Error()})
		}
		if err != nil {
			s.setOthers(sc.others)
			return report, err
		}
	}
	report.Changed = s.setOthers(sc.others) || report.Changed
	links, err := s.adoptLinks(ctx, sc)
	if err != nil {
		return report, err
	}
	report.Changed = report.Changed || links
	s.dropMetEvidence(ctx, began)
	return report, s.noteBeginning(ctx, recalled)
}

// noteBeginning records, after the first scan, up to which change the trail only lists what
// existed before the history began: adopted creations, and the changes up to recalled, which
// come from agents' records. A folder that can't be scanned has no beginning yet.
func (s *Store) noteBeginning(ctx context.Context, recalled int64) error {
	var known bool
	if err := s.t.db.Row(ctx, `SELECT began IS NOT NULL FROM store WHERE id=?`, s.id).Scan(&known); err != nil || known || s.t.db.ReadOnly() != nil {
		return err
	}
	return s.t.update(ctx, `UPDATE store SET began=max(?2,coalesce((SELECT max(c.number) FROM change c WHERE c.store=?1 AND c.kind='adopt'
		AND EXISTS(SELECT 1 FROM version v WHERE v.change=c.id AND v.op='created')),0)) WHERE id=?1 AND began IS NULL`, s.id, recalled)
}

// scanned is the result of one scan of the whole folder.
type scanned struct {
	files  int
	dirty  []memfs.Path // new, changed or gone
	gone   bool         // a file was removed
	others []Entry
	denied []memfs.Path // that may not be read
}

// scan compares the folder with the heads. It doesn't take the lock, because a large
// folder would make others wait too long. Its results are hints: a mutation may be half
// done during the scan, so the caller checks again under the lock before it adopts.
func (s *Store) scan(ctx context.Context) (*scanned, error) {
	dir, err := s.openClean(ctx)
	if err != nil {
		return nil, err
	}
	heads, err := s.heads(ctx)
	if err != nil {
		return nil, err
	}
	sc := &scanned{}
	err = dir.Scan(ctx, func(f memfs.Found) error {
		switch {
		case f.Err != nil:
			sc.others = append(sc.others, unreadable(f))
			if errors.Is(f.Err, memfs.ErrName) { // its path is that of its folder
				return nil
			}
			sc.denied = append(sc.denied, f.Path)
		case f.Kind == memfs.File:
			sc.files++
			h := heads[f.Path]
			delete(heads, f.Path)
			switch why := memfs.Leftover(f.Path.Base()); {
			case h.fresh(f.Sig):
			case why != "" && !h.live():
				sc.others = append(sc.others, Entry{Kind: Special, Path: f.Path, Note: why, Size: f.Sig.Size, Time: fromNanos(f.Sig.Mtime)})
			case !s.versionable(f.Sig.Size):
				sc.others = append(sc.others, Entry{Kind: TooBig, Path: f.Path, Size: f.Sig.Size, Time: fromNanos(f.Sig.Mtime)})
			default:
				sc.dirty = append(sc.dirty, f.Path)
			}
		case f.Kind == memfs.Link:
			sc.others = append(sc.others, Entry{Kind: LinkEntry, Path: f.Path, Note: f.Target})
		default:
			sc.others = append(sc.others, Entry{Kind: Special, Path: f.Path})
		}
		return nil
	})
	if err == nil && dir.Strays() {
		_, err = s.openClean(ctx)
	}
	if err != nil {
		return nil, err
	}
	for p, h := range heads {
		if slices.ContainsFunc(sc.denied, p.In) { // not gone, only unreadable
			continue
		}
		if !dir.Names().Shows(p) { // scans skip hidden files
			if info, err := dir.Lstat(p); err == nil && info.Kind == memfs.File && h.fresh(info.Sig) {
				continue
			}
		}
		sc.dirty, sc.gone = append(sc.dirty, p), true
	}
	slices.SortFunc(sc.dirty, comparePaths)
	return sc, nil
}

// openClean opens the store's folder and removes temporary files that crashed writes left.
func (s *Store) openClean(ctx context.Context) (*memfs.Dir, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.dir.Sweep(); err != nil && !passedOver(err) && !errors.Is(err, memfs.ErrReadOnlyDisk) {
		return nil, err
	}
	return s.dir, nil
}

func unreadable(f memfs.Found) Entry {
	e := Entry{Kind: Unreadable, Path: f.Path, Note: f.Err.Error()}
	if errors.Is(f.Err, memfs.ErrName) {
		e.Note = f.Name + ": " + e.Note
	}
	return e
}

// heads reads all heads of the store.
func (s *Store) heads(ctx context.Context) (out map[memfs.Path]head, err error) {
	err = s.t.view(ctx, func(q reader) error {
		many, err := s.howMany(q)
		if err != nil {
			return err
		}
		var paths texts
		return s.eachHead(q, false, func() { out = make(map[memfs.Path]head, many) }, func(r *headRow) error {
			h := head{memory: r.memory, version: r.version, seen: r.seen,
				sig: memfs.Sig{Size: r.size, Mtime: r.mtime, Ctime: r.ctime, Ino: uint64(r.ino)}}
			copy(h.sha[:], r.sha)
			if h.path, err = paths.path(r.path); err != nil {
				return err
			}
			out[h.path] = h
			return nil
		})
	})
	return out, err
}

// adoptPaths adopts a set of paths as one change, except for what agents are known to have
// written, which gets one change for each call. A removed path and a new path with the
// same content are a rename if each is the only one with that content.
func (s *Store) adoptPaths(ctx context.Context, paths []memfs.Path) (versions int, err error) {
	versions, _, err = s.adoptReadable(ctx, paths)
	return versions, err
}

// adoptReadable is adoptPaths, and returns the paths of the files that may not be read.
func (s *Store) adoptReadable(ctx context.Context, paths []memfs.Path) (versions int, denied []memfs.Path, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	x, err := s.begin(context.WithoutCancel(ctx))
	if err != nil {
		return 0, nil, err
	}
	defer x.Rollback()
	if err := x.adoptEach(paths); err != nil {
		return 0, x.denied, err
	}
	for _, c := range x.adopted {
		versions += c.versions
	}
	if err := x.Commit(); err != nil {
		return 0, x.denied, err
	}
	if versions+len(x.aside) > 0 {
		s.t.notify()
	}
	return versions, x.denied, nil
}

// adoptEach adopts the files at paths. It leaves unreadable ones for a later scan, and leaves out what is no memory.
func (x *txn) adoptEach(paths []memfs.Path) error {
	var adopted []memfs.Path
	for _, p := range paths {
		if memfs.Leftover(p.Base()) != "" {
			if h, err := x.head(p); err != nil {
				return err
			} else if !h.live() {
				continue
			}
		}
		adopted = append(adopted, p)
	}
	paths, err := x.adoptRenames(adopted)
	if err != nil {
		return err
	}
	for _, p := range paths {
		switch _, err := x.adopt(p); {
		case err != nil && !notNow(err):
			return err
		case errors.Is(err, memfs.ErrNoPermission):
			x.denied = append(x.denied, p)
		}
	}
	return nil
}
