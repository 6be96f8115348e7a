package versions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
)

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
	defer s.replica.RequestPull()
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
	if err := s.dir.Sweep(); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Disk) {
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
		out = make(map[memfs.Path]head, many)
		r := headReader{s: s, q: q, query: scannedHeads, err: err}
		for r.next() {
			h := r.head()
			out[h.path] = h
		}
		return r.err
	})
	return out, err
}

// head reads a head.
func (r *headReader) head() (h head) {
	h.memory, h.version, h.seen = r.number(), r.number(), r.number()
	h.sig = memfs.Sig{Size: r.number(), Mtime: r.number(), Ctime: r.number(), Ino: uint64(r.number())}
	p, err := pathOf(strings.Clone(r.path()))
	copy(h.sha[:], r.text())
	if err != nil {
		r.failed(err)
	}
	h.path = p
	return h
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
	aside := 0
	err = s.locked(ctx, func(x *txn) error {
		err := x.adoptEach(paths)
		versions, denied, aside = 0, x.denied, len(x.aside)
		for _, c := range x.adopted {
			versions += c.versions
		}
		return err
	})
	if err != nil {
		return 0, denied, err
	}
	if versions+aside > 0 {
		s.t.notify()
	}
	return versions, denied, nil
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
		case err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy):
			return err
		case errors.Is(err, memfs.ErrNoPermission):
			x.denied = append(x.denied, p)
		}
	}
	return nil
}
