package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// SyncChunk is how many dirty files one commit adopts: enough to make the cost of the
// commit negligible, few enough that the first import of a large folder shows progress and
// other writers get a turn.
const SyncChunk = 2000

// SyncPause is how long the home's lock is free between two chunks. A waiting process
// tries at least every millisecond.
const SyncPause = 5 * time.Millisecond

// Sync adopts what other programs did to the folder. It checks every file and reads those
// that seem changed. In the folder of a hosted store it adopts nothing: it holds what they did
// for review and puts the files back. If such a store is watched, Sync also requests a pull
// from its service, but doesn't wait for it.
func (s *Store) Sync(ctx context.Context) (versions.SyncReport, error) {
	_ = s.takeSpooled(ctx) // what can't be stored now waits
	if err := s.reportLate(ctx); err != nil {
		return versions.SyncReport{}, err
	}
	began := s.Trail.Now()
	defer s.Replica.RequestPull()
	sc, err := s.scan(ctx)
	if err != nil {
		return versions.SyncReport{}, err
	}
	recalled, err := s.recall(ctx, sc)
	if err != nil {
		return versions.SyncReport{}, err
	}
	report := versions.SyncReport{Files: sc.files, Read: len(sc.dirty), Denied: sc.denied}
	size := s.Trail.SyncChunk
	if sc.gone { // a rename needs both its ends in one chunk
		size = max(size, len(sc.dirty))
	}
	for chunk := range slices.Chunk(sc.dirty, size) {
		if report.Adopted > 0 {
			select {
			case <-time.After(s.Trail.SyncPause):
			case <-ctx.Done():
				return report, ctx.Err()
			}
		}
		n, denied, err := s.adoptReadable(ctx, chunk)
		report.Adopted += n
		report.Changed = report.Changed || n > 0
		report.Denied = append(report.Denied, denied...)
		for _, p := range denied {
			sc.others = append(sc.others, versions.Entry{Kind: versions.Unreadable, Path: p, Note: memfs.ErrNoPermission.Error()})
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
	if err := s.Trail.DB.Row(ctx, `SELECT began IS NOT NULL FROM store WHERE id=?`, s.Row).Scan(&known); err != nil || known || s.Trail.DB.ReadOnly() != nil {
		return err
	}
	return Update(ctx, s.Trail, `UPDATE store SET began=max(?2,coalesce((SELECT max(c.number) FROM change c WHERE c.store=?1 AND c.kind='adopt'
		AND EXISTS(SELECT 1 FROM version v WHERE v.change=c.id AND v.op='created')),0)) WHERE id=?1 AND began IS NULL`, s.Row, recalled)
}

// scanned is the result of one scan of the whole folder.
type scanned struct {
	files  int
	dirty  []memfs.Path // new, changed or gone
	gone   bool         // a file was removed
	others []versions.Entry
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
	heads, err := Heads(ctx, s)
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
			case h.Fresh(f.Sig):
			case why != "" && !h.Live():
				sc.others = append(sc.others, versions.Entry{Kind: versions.Special, Path: f.Path, Note: why, Size: f.Sig.Size, Time: fromNanos(f.Sig.Mtime)})
			case !Versionable(s, f.Sig.Size):
				sc.others = append(sc.others, versions.Entry{Kind: versions.TooBig, Path: f.Path, Size: f.Sig.Size, Time: fromNanos(f.Sig.Mtime)})
			default:
				sc.dirty = append(sc.dirty, f.Path)
			}
		case f.Kind == memfs.Link:
			sc.others = append(sc.others, versions.Entry{Kind: versions.LinkEntry, Path: f.Path, Note: f.Target})
		default:
			sc.others = append(sc.others, versions.Entry{Kind: versions.Special, Path: f.Path})
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
			if info, err := dir.Lstat(p); err == nil && info.Kind == memfs.File && h.Fresh(info.Sig) {
				continue
			}
		}
		sc.dirty, sc.gone = append(sc.dirty, p), true
	}
	slices.SortFunc(sc.dirty, versions.ComparePaths)
	return sc, nil
}

// openClean opens the store's folder and removes temporary files that crashed writes left.
func (s *Store) openClean(ctx context.Context) (*memfs.Dir, error) {
	unlock, err := Enter(ctx, s)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.Dir.Sweep(); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Disk) {
		return nil, err
	}
	return s.Dir, nil
}

func unreadable(f memfs.Found) versions.Entry {
	e := versions.Entry{Kind: versions.Unreadable, Path: f.Path, Note: f.Err.Error()}
	if errors.Is(f.Err, memfs.ErrName) {
		e.Note = f.Name + ": " + e.Note
	}
	return e
}

// Heads reads all heads of the store.
func Heads(ctx context.Context, s *Store) (out map[memfs.Path]tables.Head, err error) {
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		many, err := HowMany(s, q)
		if err != nil {
			return err
		}
		out = make(map[memfs.Path]tables.Head, many)
		return EachHead(s, q, tables.ScannedHeads, func(r *HeadReader) {
			h := r.head()
			out[h.Path] = h
		})
	})
	return out, err
}

// head reads a head.
func (r *HeadReader) head() (h tables.Head) {
	h.Memory, h.Version, h.Seen = r.Number(), r.Number(), r.Number()
	h.Sig = memfs.Sig{Size: r.Number(), Mtime: r.Number(), Ctime: r.Number(), Ino: uint64(r.Number())}
	p, err := tables.PathOf(strings.Clone(r.Text()))
	copy(h.SHA[:], r.Text())
	if err != nil {
		r.Failed(err)
	}
	h.Path = p
	return h
}

// AdoptPaths adopts a set of paths as one change, except for what agents are known to have
// written, which gets one change for each call. A removed path and a new path with the
// same content are a rename if each is the only one with that content.
func AdoptPaths(ctx context.Context, s *Store, paths []memfs.Path) (versions int, err error) {
	versions, _, err = s.adoptReadable(ctx, paths)
	return versions, err
}

// adoptReadable is AdoptPaths, and returns the paths of the files that may not be read.
func (s *Store) adoptReadable(ctx context.Context, paths []memfs.Path) (versions int, denied []memfs.Path, err error) {
	aside := 0
	err = Locked(ctx, s, func(x *Txn) error {
		err := x.adoptEach(paths)
		versions, denied, aside = 0, x.denied, len(x.aside)
		for _, c := range x.adopted {
			versions += c.Versions
		}
		return err
	})
	if err != nil {
		return 0, denied, err
	}
	if versions+aside > 0 {
		Notify(s.Trail)
	}
	return versions, denied, nil
}

// adoptEach adopts the files at paths. It leaves unreadable ones for a later scan, and leaves out what is no memory.
func (x *Txn) adoptEach(paths []memfs.Path) error {
	var adopted []memfs.Path
	for _, p := range paths {
		if memfs.Leftover(p.Base()) != "" {
			if h, err := x.Head(p); err != nil {
				return err
			} else if !h.Live() {
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
		switch _, err := x.Adopt(p); {
		case err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy):
			return err
		case errors.Is(err, memfs.ErrNoPermission):
			x.denied = append(x.denied, p)
		}
	}
	return nil
}
