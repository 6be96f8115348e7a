package core

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// repairCrash repairs the folder after a loss of power. For changes that were not flushed
// in the boot that made them, it compares the folder with the heads, which are durable. A
// file with the content from before or after one of those changes, or with a part of it,
// was written by memend: repairCrash writes the head's content. Any other file was written
// by another program and stays, and so does a file written after the change was done,
// because that is not a lost write.
//
// The caller holds the lock. No change of this boot is half done.
func (s *Store) repairCrash(ctx context.Context) error {
	open, err := OpenChanges(ctx, s, `boot<>?`, s.Trail.boot)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := s.Dir.Sweep(); err != nil {
		return err
	}
	l := &crashRepair{s: s, ctx: ctx, steps: stepsOf(open), known: map[versions.Hash]bool{}, done: map[memfs.Path]int64{}}
	l.noteTimes(open)
	if l.heads, err = Heads(ctx, s); err != nil {
		return err
	}
	if err := l.adoptNewer(); err != nil {
		return err
	}
	if err := l.restore(); err != nil {
		return err
	}
	if err := s.syncSteps(l.steps); err != nil {
		return err
	}
	if err := InTx(ctx, s, func(x *Txn) error {
		x.dropIntents(open)
		return x.Err()
	}); err != nil {
		return err
	}
	return s.adoptSteps(ctx, l.steps)
}

// crashRepair is the state of one repair after a loss of power.
type crashRepair struct {
	s     *Store
	ctx   context.Context
	steps []Step
	heads map[memfs.Path]tables.Head
	known map[versions.Hash]bool // contents that only memend can have written

	done map[memfs.Path]int64 // when the last change at a path was done, in nanoseconds
	last int64                // when the last change of all was done
}

// undated is later than the time of any file. It stands for an unrecorded end of a change:
// no file counts as newer than such a change.
const undated = math.MaxInt64

func (l *crashRepair) noteTimes(open []*openChange) {
	for _, o := range open {
		done := o.done
		if done == 0 {
			done = undated
		}
		l.last = max(l.last, done)
		for _, st := range o.steps {
			l.done[st.Path], l.done[st.To] = max(l.done[st.Path], done), max(l.done[st.To], done)
		}
	}
}

// adoptNewer adopts what other programs did after our changes were done, and records that
// no other file is theirs. The files that the repair writes are newer as well, and a
// second loss of power may revert them.
func (l *crashRepair) adoptNewer() error {
	var theirs []memfs.Path
	for _, p := range l.concerned() {
		newer, err := l.newer(p)
		if err != nil {
			return err
		}
		if newer {
			theirs = append(theirs, p)
		}
	}
	err := InTx(l.ctx, l.s, func(x *Txn) error {
		if err := x.adoptEach(theirs); err != nil {
			return err
		}
		x.Exec(`UPDATE intent SET done=? WHERE store=? AND boot<>?`, int64(undated), l.s.Row, l.s.Trail.boot)
		return x.Err()
	})
	if err != nil || len(theirs) == 0 {
		return err
	}
	l.heads, err = Heads(l.ctx, l.s)
	return err
}

// newer reports whether another program wrote, moved or removed the file at p after our
// last change there. A write sets both times of a file, and a rename sets its ctime. A
// chmod does too, so a torn content with a new ctime still counts as ours. A folder's
// mtime changes when a name in it is added or removed. File systems keep names in the
// order of their creation, so a folder with a newer time has kept ours too.
func (l *crashRepair) newer(p memfs.Path) (bool, error) {
	h, done := l.heads[p], l.done[p]
	if done == 0 {
		done = l.last
	}
	info, err := l.s.Dir.Lstat(p)
	if memfs.Is(err, memfs.NoMemory) && h.Live() {
		return l.newerFolder(p.Dir())
	}
	if err != nil || info.Kind != memfs.File || info.Sig.Size > MaxContent || max(info.Sig.Mtime, info.Sig.Ctime) <= done {
		return false, memfs.Ignore(err, memfs.OnlyPath)
	}
	now, err := FileHash(l.s, p)
	if err != nil || now == h.SHA {
		return false, memfs.Ignore(err, memfs.OnlyPath)
	}
	return info.Sig.Mtime > done || l.known[now], nil
}

// newerFolder reports whether a name was added or removed after our last change in the
// folder p or, if p is gone, in its nearest existing parent. If something else is in the
// folder's place, its own time decides.
func (l *crashRepair) newerFolder(p memfs.Path) (bool, error) {
	for ; ; p = p.Dir() {
		info, err := l.s.Dir.Lstat(p)
		if err == nil {
			return info.Sig.Mtime > l.last, nil
		}
		if !memfs.Is(err, memfs.NoMemory) || p.IsRoot() {
			return false, memfs.Ignore(err, memfs.OnlyPath)
		}
	}
}

// restore restores the state that should exist now. It doesn't follow the steps, because
// any of them may be lost. Removals come first, because a folder may be where a file
// should be.
func (l *crashRepair) restore() error {
	paths := l.concerned()
	if err := l.again(memfs.OpRename); err != nil {
		return err
	}
	for _, p := range slices.Backward(paths) { // the contents of a folder before the folder
		if !l.heads[p].Live() {
			if err := l.each(p, l.clear); err != nil {
				return err
			}
		}
	}
	if err := l.again(memfs.OpRemove); err != nil {
		return err
	}
	if err := l.again(memfs.OpFolder); err != nil {
		return err
	}
	for _, p := range paths {
		if l.heads[p].Live() {
			if err := l.each(p, l.fill); err != nil {
				return err
			}
		}
	}
	return l.again(memfs.OpLink)
}

// concerned lists the paths that the steps changed, in order, and collects the contents
// they name.
func (l *crashRepair) concerned() []memfs.Path {
	paths := map[memfs.Path]bool{}
	for _, st := range l.steps {
		paths[st.Path], paths[st.To] = true, true
		for _, h := range []versions.Hash{st.Old, st.New} {
			if h != (versions.Hash{}) {
				l.known[h] = true
			}
		}
	}
	moved := l.renamedFolders()
	for p, h := range l.heads { // a file that another program moved; a folder at neither of its paths
		if l.known[h.SHA] || slices.ContainsFunc(moved, p.In) {
			paths[p] = true
		}
	}
	delete(paths, memfs.Root)
	return slices.SortedFunc(maps.Keys(paths), versions.ComparePaths)
}

// renamedFolders returns the new paths of renamed folders.
func (l *crashRepair) renamedFolders() (to []memfs.Path) {
	for _, st := range l.steps {
		if st.renamesUntracked() {
			to = append(to, st.To)
		}
	}
	return to
}

// again repeats the steps of one kind on folders and links, which the trail can't
// recreate. A rename of one is durable before another change follows (see lazy).
func (l *crashRepair) again(op memfs.OpKind) error {
	for i := range l.steps {
		st := &l.steps[i]
		if st.Op != op || st.Old != (versions.Hash{}) {
			continue
		}
		if _, err := l.s.applyStep(l.ctx, st); err != nil && !memfs.Is(err, memfs.OnlyPath) {
			return err
		}
	}
	return nil
}

// each checks the file at p and calls putRight if it isn't what it should be and another
// program didn't write it. there reports whether a file is at p, and now is its hash.
func (l *crashRepair) each(p memfs.Path, putRight func(p memfs.Path, there bool, now versions.Hash) error) error {
	h := l.heads[p]
	b, _, err := l.s.Dir.Read(p, MaxContent)
	there := err == nil
	switch {
	case memfs.Is(err, memfs.Busy):
		return nil // a running program's file
	case err != nil && !memfs.Is(err, memfs.NoMemory):
		return memfs.Ignore(err, memfs.OnlyPath)
	}
	now := versions.Sum(b)
	if there == h.Live() && (!there || now == h.SHA) {
		return nil
	}
	if there {
		if ours, err := l.ours(h, b, now); err != nil || !ours {
			return err
		}
	} else if _, err := l.s.Dir.Lstat(p); err == nil {
		return nil // a folder or a link of another program
	}
	err = putRight(p, there, now)
	if errors.Is(err, versions.ErrDamaged) { // the next check reports it; the file stays
		return nil
	}
	return memfs.Ignore(err, memfs.OnlyPath)
}

func (l *crashRepair) clear(p memfs.Path, _ bool, now versions.Hash) error {
	return l.applyStep(Step{Op: memfs.OpRemove, Path: p, Old: now})
}

func (l *crashRepair) fill(p memfs.Path, there bool, now versions.Hash) error {
	st := Step{Op: memfs.OpPut, Path: p, New: l.heads[p].SHA}
	if there {
		st.Old = now
	}
	return l.applyStep(st)
}

func (l *crashRepair) applyStep(st Step) error {
	l.steps = append(l.steps, st) // to sync with the others
	_, err := l.s.applyStep(l.ctx, &st)
	return err
}

// ours reports whether a file holds a whole content from the trail, or one of which a part
// didn't reach the disk.
func (l *crashRepair) ours(h tables.Head, b []byte, now versions.Hash) (bool, error) {
	if l.known[now] {
		return true, nil
	}
	candidates := slices.Collect(maps.Keys(l.known))
	if h.Live() {
		candidates = append(candidates, h.SHA)
	}
	for _, c := range candidates {
		full, err := l.s.contentByHash(l.ctx, c)
		if errors.Is(err, versions.ErrDamaged) {
			continue
		}
		if err != nil {
			return false, err
		}
		if TornFrom(b, full) {
			return true, nil
		}
	}
	return false, nil
}

// sector is the unit that a disk writes atomically.
const sector = 512

// TornFrom reports whether b is what a loss of power can leave of full: each sector is
// either correct or zero, and sectors may be missing at the end.
func TornFrom(b, full []byte) bool {
	if len(b) > len(full) {
		return false
	}
	for at := 0; at < len(b); at += sector {
		end := min(at+sector, len(b))
		if !bytes.Equal(b[at:end], full[at:end]) && len(bytes.Trim(b[at:end], "\x00")) > 0 {
			return false
		}
	}
	return true
}
