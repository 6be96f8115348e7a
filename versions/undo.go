package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memtrail/memtrail/memfs"
)

// Undo takes change n back, as a new change: each of its memories gets the path
// and the content from before it. 0 is the newest change of by's own that stands.
// What later changes did to other facets stays: undoing a rename keeps a later
// edit. *LaterChangeError when they touched the same.
func (s *Store) Undo(ctx context.Context, by By, n int64) (Change, error) {
	return s.mutate(ctx, by, func(d *draft) error {
		if n == 0 {
			var err error
			if n, err = d.x.lastOwn(by.Actor); err != nil {
				return err
			}
		}
		return d.undo(n)
	})
}

// Redo brings change n back after it was undone; 0 is the change of by's own
// that was undone last, unless something of its own came after that.
func (s *Store) Redo(ctx context.Context, by By, n int64) (Change, error) {
	return s.mutate(ctx, by, func(d *draft) error {
		undo := int64(0)
		var err error
		if n == 0 {
			undo, err = d.x.lastUndo(by.Actor)
		} else {
			undo, err = d.x.undoOf(n)
		}
		if err != nil {
			return err
		}
		return d.undo(undo)
	})
}

func (x *txn) lastOwn(a Actor) (n int64, err error) {
	err = x.row(`SELECT c.number FROM change c JOIN actor a ON a.id=c.actor
		WHERE c.store=? AND a.kind=? AND a.name=? AND c.kind NOT IN ('undo','redo') AND c.undone_by IS NULL ORDER BY c.number DESC LIMIT 1`,
		x.s.id, string(a.Kind), a.Name).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("undo: %w: no change of %s stands", ErrNothing, a)
	}
	return n, diskError(err)
}

func (x *txn) lastUndo(a Actor) (n int64, err error) {
	var later int64
	err = x.row(`SELECT c.number, (SELECT coalesce(max(o.number),0) FROM change o WHERE o.store=c.store AND o.actor=c.actor AND o.kind NOT IN ('undo','redo'))
		FROM change c JOIN actor a ON a.id=c.actor
		WHERE c.store=? AND a.kind=? AND a.name=? AND c.kind='undo' AND c.undone_by IS NULL ORDER BY c.number DESC LIMIT 1`,
		x.s.id, string(a.Kind), a.Name).Scan(&n, &later)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("redo: %w: %s has undone nothing", ErrNothing, a)
	case err != nil:
		return 0, diskError(err)
	case later > n:
		return 0, fmt.Errorf("redo: %w: change %d came after the last undo; name the change to bring back", ErrNothing, later)
	}
	return n, nil
}

func (x *txn) undoOf(n int64) (by int64, err error) {
	err = x.row(`SELECT coalesce(undone_by,0) FROM change WHERE store=? AND number=?`, x.s.id, n).Scan(&by)
	switch {
	case err != nil:
		return 0, notFound(err, ErrNoChange, fmt.Sprint(n))
	case by == 0:
		return 0, fmt.Errorf("redo change %d: %w", n, ErrNotUndone)
	}
	return by, nil
}

// String names an actor in messages.
func (a Actor) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return a.Name
}

// place is where a memory is and what it holds; blob 0 is nowhere.
type place struct {
	path memfs.Path
	blob int64
}

func (p place) live() bool { return p.blob != 0 }

// shift is what one memory should go through.
type shift struct {
	memory    int64
	now, want place
	sha       Hash  // of the file now
	source    int64 // the version whose content it gets
}

func (d *draft) undo(n int64) error {
	x := d.x
	var kind, path, dest string
	var undoneBy, undoes int64
	err := x.row(`SELECT kind,path,dest,coalesce(undone_by,0),coalesce(undoes,0) FROM change WHERE store=? AND number=?`, x.s.id, n).Scan(&kind, &path, &dest, &undoneBy, &undoes)
	switch {
	case err != nil:
		return notFound(err, ErrNoChange, fmt.Sprint(n))
	case undoneBy != 0:
		return fmt.Errorf("undo change %d: %w, by change %d", n, ErrUndone, undoneBy)
	}
	d.asked = asked{kind: KindUndo, undoes: n, about: n}
	if ChangeKind(kind) == KindUndo {
		d.asked.kind, d.asked.about = KindRedo, undoes
	}
	if d.asked.path, err = pathOf(path); err != nil {
		return err
	}
	if d.asked.to, err = pathOf(dest); err != nil {
		return err
	}
	shifts, err := d.inverse(n)
	if err != nil {
		return err
	}
	if done, err := d.moveFolderBack(shifts); err != nil || done {
		return errors.Join(err, d.markUndone(n))
	}
	if err := d.arrange(n, shifts); err != nil {
		return err
	}
	if d.c == nil {
		return fmt.Errorf("undo change %d: %w: everything is as it was before it", n, ErrNothing)
	}
	return d.markUndone(n)
}

// markUndone notes that n no longer stands, and turns over what n itself undid.
func (d *draft) markUndone(n int64) error {
	if d.c == nil {
		return nil
	}
	by := d.c.number
	for n != 0 {
		if err := d.x.exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, null(by), d.x.s.id, n); err != nil {
			return err
		}
		var next int64
		if err := d.x.row(`SELECT coalesce(undoes,0) FROM change WHERE store=? AND number=?`, d.x.s.id, n).Scan(&next); err != nil {
			return diskError(err)
		}
		if by != 0 {
			by = 0
		} else {
			by = n
		}
		n = next
	}
	return nil
}

// inverse works out what undoing n asks of each of its memories.
func (d *draft) inverse(n int64) ([]shift, error) {
	type row struct {
		memory, prev  int64
		after, before place
		redacted      bool
	}
	rows, err := d.x.rows(`SELECT v.memory, v.op, coalesce(v.path,''), coalesce(v.blob,0), coalesce(p.id,0), coalesce(p.op,''), coalesce(p.path,''), coalesce(p.blob,0),
			coalesce(v.redacted,p.redacted,0)
		FROM version v JOIN change c ON c.id=v.change LEFT JOIN version p ON p.memory=v.memory AND p.number=v.number-1
		WHERE c.store=? AND c.number=? ORDER BY v.id`, d.x.s.id, n)
	if err != nil {
		return nil, diskError(err)
	}
	var all []row
	for rows.Next() {
		var r row
		var op, path, prevOp, prevPath string
		var redacted int64
		if err := rows.Scan(&r.memory, &op, &path, &r.after.blob, &r.prev, &prevOp, &prevPath, &r.before.blob, &redacted); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if r.after.path, err = pathOf(path); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if r.before.path, err = pathOf(prevPath); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		r.redacted = redacted != 0
		all = append(all, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, diskError(err)
	}
	var out []shift
	for _, r := range all {
		if r.redacted {
			return nil, fmt.Errorf("undo change %d: %s: %w", n, r.after.path.Tool(), ErrRedacted)
		}
		h, err := d.now(r.memory)
		if err != nil {
			return nil, err
		}
		sh := shift{memory: r.memory, sha: h.sha, source: r.prev}
		if h.live() {
			sh.now.path = h.path
			if sh.now.blob, err = d.x.blobOf(h.version); err != nil {
				return nil, err
			}
		}
		var ok bool
		if sh.want, ok = invert(sh.now, r.before, r.after); !ok {
			return nil, d.inTheWay(n, r.memory, r.after.path)
		}
		out = append(out, sh)
	}
	return out, nil
}

// invert is what now becomes when the step from before to after is taken back.
// Path and content are taken back each for itself; each must be as after left it.
func invert(now, before, after place) (want place, ok bool) {
	switch {
	case !before.live():
		return place{}, now == after
	case !after.live():
		return before, !now.live()
	case !now.live():
		return place{}, false
	}
	want = now
	if before.path != after.path {
		if now.path != after.path {
			return place{}, false
		}
		want.path = before.path
	}
	if before.blob != after.blob {
		if now.blob != after.blob {
			return place{}, false
		}
		want.blob = before.blob
	}
	return want, true
}

// inTheWay says which change came after n to this memory.
func (d *draft) inTheWay(n, memory int64, p memfs.Path) error {
	e := &LaterChangeError{Change: n, Path: p}
	err := d.x.row(`SELECT max(c.number) FROM version v JOIN change c ON c.id=v.change WHERE v.memory=?`, memory).Scan(&e.Later)
	if err != nil {
		return diskError(err)
	}
	return e
}

// moveFolderBack undoes the rename of a whole folder by renaming it back, so
// that what is in it and is no memory goes along.
func (d *draft) moveFolderBack(shifts []shift) (done bool, err error) {
	from, to := d.asked.to, d.asked.path
	if from.IsRoot() || len(shifts) == 0 {
		return false, nil
	}
	if d.asked.kind == KindRedo { // of a rename: forward again
		from, to = to, from
	}
	info, err := d.x.s.dir.Lstat(from)
	if err != nil || info.Kind != memfs.Folder || d.free(to) != nil {
		return false, nil
	}
	for _, sh := range shifts {
		if !sh.now.live() || !sh.now.path.In(from) || sh.want.path != sh.now.path.Move(from, to) || sh.want.blob != sh.now.blob {
			return false, nil
		}
	}
	return true, d.move(from, to)
}

// arrange brings memories to where they should be, whatever swaps places with
// whatever. Where a path is left by one and taken by another, contents are put in
// place instead of files renamed, so that no step depends on another's.
func (d *draft) arrange(n int64, shifts []shift) error {
	held, wanted := map[memfs.Path]shift{}, map[memfs.Path]bool{}
	for _, sh := range shifts {
		if sh.now.live() {
			held[sh.now.path] = sh
		}
		if sh.want.live() {
			wanted[sh.want.path] = true
		}
	}
	var due []shift
	for _, sh := range shifts {
		if sh.now == sh.want {
			continue
		}
		if sh.want.live() && sh.want.path != sh.now.path {
			if err := d.vacate(sh.want.path); err != nil {
				return err
			}
			if _, ours := held[sh.want.path]; !ours && d.free(sh.want.path) != nil {
				return &LaterChangeError{Change: n, Path: sh.want.path}
			}
		}
		due = append(due, sh)
	}
	for _, sh := range due {
		if err := d.start(); err != nil {
			return err
		}
		if err := d.shift(sh, held, wanted); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) shift(sh shift, held map[memfs.Path]shift, wanted map[memfs.Path]bool) error {
	if !sh.want.live() {
		v := versionRow{memory: sh.memory, op: Deleted, path: sh.now.path}
		if !wanted[sh.now.path] {
			d.steps = append(d.steps, step{op: memfs.OpRemove, path: sh.now.path, old: sh.sha})
		}
		return d.add(&v)
	}
	content, err := blobContent(d.x, sh.want.blob)
	if err != nil {
		return err
	}
	v := versionRow{memory: sh.memory, op: Modified, path: sh.want.path, source: sh.source}
	if !sh.now.live() {
		v.op = Created
	} else if sh.now.path != sh.want.path {
		v.origin = sh.now.path
	}
	if err := d.addContent(&v, content, sum(content)); err != nil {
		return err
	}
	occupant, taken := held[sh.want.path]
	put := step{op: memfs.OpPut, path: sh.want.path, content: content, old: occupant.sha, new: v.facts.sha}
	if sh.now.live() && sh.now.path != sh.want.path {
		if !taken && !wanted[sh.now.path] {
			d.steps = append(d.steps, step{op: memfs.OpRename, path: sh.now.path, to: sh.want.path, old: sh.sha})
			put.old = sh.sha
			if sh.now.blob == sh.want.blob {
				return nil
			}
		} else if !wanted[sh.now.path] {
			defer func() {
				d.steps = append(d.steps, step{op: memfs.OpRemove, path: sh.now.path, old: sh.sha})
			}()
		}
	}
	d.steps = append(d.steps, put)
	return nil
}
