package versions

import (
	"bytes"
	"context"
	"errors"

	"github.com/memtrail/memtrail/memfs"
)

// makeUp puts the folder right after a loss of power: for the changes that were
// not settled in the run of the system that made them, it is compared with the
// heads, which are on the disk. A file that holds what it held before one of those
// changes, or after one, or a part of that, was written by none but us: the head's
// content is put back. Anything else is another program's, and stays.
//
// The caller holds the lock; nothing is half done in this run of the system.
func (s *Store) makeUp(ctx context.Context) error {
	open, err := s.openChanges(ctx, `boot<>?`, s.t.boot)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := s.dir.Sweep(); err != nil {
		return err
	}
	l := &loss{s: s, ctx: ctx, known: map[Hash]bool{}, paths: map[memfs.Path]bool{}}
	if l.heads, err = s.heads(ctx); err != nil {
		return err
	}
	for _, o := range open {
		l.steps = append(l.steps, o.steps...)
	}
	if err := l.restore(); err != nil {
		return err
	}
	if err := s.syncSteps(l.steps); err != nil {
		return err
	}
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	for _, o := range open {
		if err := x.exec(`DELETE FROM intent WHERE change=?`, o.id); err != nil {
			return err
		}
	}
	if err := x.commit(); err != nil {
		return err
	}
	return s.adoptSteps(ctx, l.steps)
}

// loss is one making up.
type loss struct {
	s     *Store
	ctx   context.Context
	steps []step
	heads map[memfs.Path]head
	paths map[memfs.Path]bool
	known map[Hash]bool // contents that only our own writes can have left
}

func (l *loss) restore() error {
	for i := range l.steps {
		st := &l.steps[i]
		for _, h := range []Hash{st.old, st.new} {
			if h != (Hash{}) {
				l.known[h] = true
			}
		}
		l.paths[st.path], l.paths[st.to] = true, true
		if st.old != (Hash{}) || st.op == memfs.OpPut {
			continue
		}
		// Of a folder or a link: nothing in the trail could replace it.
		if _, err := l.s.carry(st); err != nil && !passedOver(err) {
			return err
		}
		if st.op == memfs.OpRename { // what was written in it before has another path now
			for p := range l.heads {
				if p.In(st.to) {
					l.paths[p] = true
				}
			}
		}
	}
	for p := range l.paths {
		if p.IsRoot() {
			continue
		}
		if err := l.restoreFile(p); err != nil && !passedOver(err) {
			return err
		}
	}
	return nil
}

// restoreFile makes the file at p what its head says, unless another program
// wrote it.
func (l *loss) restoreFile(p memfs.Path) error {
	h := l.heads[p]
	now, _, err := l.s.dir.Read(p, maxKeepBytes)
	there := err == nil
	if err != nil && !gone(err) {
		return err
	}
	sha := sum(now)
	if there == h.live() && (!there || sha == h.sha) {
		return nil
	}
	if there {
		ours, err := l.ours(p, now, sha)
		if err != nil || !ours {
			return err
		}
	} else if _, err := l.s.dir.Lstat(p); err == nil {
		return nil // a folder or a link of another program
	}
	st := step{op: memfs.OpRemove, path: p}
	if there {
		st.old = sha
	}
	if h.live() {
		st.op, st.new = memfs.OpPut, h.sha
		if st.content, err = l.s.contentByHash(l.ctx, h.sha); err != nil {
			return err
		}
	}
	l.steps = append(l.steps, st) // to be synced with the others
	_, err = l.s.carry(&st)
	return err
}

// ours reports whether what the file holds is a whole content of the trail's, or
// one of which a part did not reach the disk.
func (l *loss) ours(p memfs.Path, now []byte, sha Hash) (bool, error) {
	if l.known[sha] {
		return true, nil
	}
	for h := range l.known {
		full, err := l.s.contentByHash(l.ctx, h)
		if err != nil {
			if errors.Is(err, ErrDamaged) {
				continue
			}
			return false, err
		}
		if tornFrom(now, full) {
			return true, nil
		}
	}
	return false, nil
}

// sector is what a disk writes whole or not at all.
const sector = 512

// tornFrom reports whether b is what a loss of power can leave of full: each
// sector as it should be, or zeros, and perhaps not all of them.
func tornFrom(b, full []byte) bool {
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
