package versions

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
)

// Imported counts what an import brought.
type Imported struct {
	Changes, Versions, Memories int // Memories: those that stand at the end
}

// Import takes in a whole history, with its own times, actors, sessions and, where
// they are free in this home, ids. The store must have no history
// (ErrHasHistory) and nothing may stand where the memories go. All of it is taken
// in, or, when it is not sound or anything fails, nothing (ErrUnsound says the
// history is at fault); a process that dies in the middle leaves all or nothing,
// too. The trail is locked meanwhile.
//
// A change that is not later than the one before it is made so, by a microsecond;
// what its clock said is kept. It holds one content and the places of all memories
// in the process's memory.
func (s *Store) Import(ctx context.Context, by By, source iter.Seq2[Item, error]) (Imported, error) {
	if err := s.t.MayAdminister(ctx, by); err != nil {
		return Imported{}, err
	}
	if s.hosted() {
		return Imported{}, fmt.Errorf("store %s: %w: a hosted store has its history from its service", s.info.Name, ErrInvalid)
	}
	if err := s.t.mayChange(); err != nil {
		return Imported{}, err
	}
	unlock, err := s.enter(ctx)
	if err != nil {
		return Imported{}, err
	}
	defer unlock()
	im, err := s.newImporter(context.WithoutCancel(ctx))
	if err != nil {
		return Imported{}, err
	}
	defer im.x.Rollback()
	if err := im.x.refuseArchived(); err != nil {
		return Imported{}, err
	}
	for item, err := range source {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = im.item(item)
		}
		if err != nil {
			return Imported{}, err
		}
	}
	if err := im.finish(); err != nil {
		return Imported{}, err
	}
	if err := s.t.step("before-intent-commit"); err != nil {
		return Imported{}, err
	}
	if err := im.x.Commit(); err != nil {
		return Imported{}, err
	}
	if err := im.applySteps(); err != nil {
		return Imported{}, err
	}
	s.t.notify()
	return im.total, nil
}

// importer takes in one history in one transaction.
type importer struct {
	s     *Store
	ctx   context.Context
	x     *txn
	total Imported

	number    int64 // of the newest change
	ts        int64
	last      int64 // its row
	actors    map[Actor]int64
	sessions  map[SessionID]int64
	undoes    map[int64]int64 // change -> the change it undid
	memories  map[MemoryID]*imported
	renamed   map[VersionID]int64 // rows of versions whose ids the home had already
	places    places
	blobsOf   int64          // contents with a higher row are new in this trail
	had       map[int64]bool // contents brought that the trail had already
	sessionOf int64          // sessions with a higher row are new, too

	steps []step // that bring the folder to where the history ends; without their contents
}

func (s *Store) newImporter(ctx context.Context) (*importer, error) {
	x, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	im := &importer{s: s, ctx: ctx, x: x, actors: map[Actor]int64{}, sessions: map[SessionID]int64{}, undoes: map[int64]int64{},
		memories: map[MemoryID]*imported{}, renamed: map[VersionID]int64{}, places: newPlaces(), had: map[int64]bool{}}
	var changes int64
	err = x.Row(`SELECT (SELECT changes FROM store WHERE id=?), (SELECT coalesce(max(id),0) FROM blob), (SELECT coalesce(max(id),0) FROM session)`, s.id).
		Scan(&changes, &im.blobsOf, &im.sessionOf)
	if err == nil && changes > 0 {
		err = fmt.Errorf("store %s: %w", s.info.Name, ErrHasHistory)
	}
	if err != nil {
		x.Rollback()
		return nil, err
	}
	return im, nil
}

func (im *importer) item(it Item) error {
	if it.Record != nil {
		if err := im.record(it.Record); err != nil {
			return fmt.Errorf("change %d: %w", im.number, err)
		}
		return nil
	}
	if len(it.Content) > maxKeepBytes {
		return unsound("a content has %d bytes, over the limit of %d MiB", len(it.Content), maxKeepBytes>>20)
	}
	id, err := im.x.putBlob(it.Content, sum(it.Content))
	if err == nil && id <= im.blobsOf {
		im.had[id] = true
	}
	return err
}

// finish writes what is known of a history only at its end: what undid what, the
// heads, and the steps that bring the folder there.
func (im *importer) finish() error {
	for _, write := range []func() error{im.writeCount, im.markUndone, im.dropUnused, im.writeHeads} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) writeCount() error {
	im.total.Changes = int(im.number)
	return im.x.Exec(`UPDATE store SET changes=? WHERE id=?`, im.number, im.s.id)
}

// markUndone notes which change was undone by which. A change that was itself
// undone undoes nothing, so the newest come first.
func (im *importer) markUndone() error {
	undone := map[int64]bool{}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(im.undoes))) {
		target := im.undoes[n]
		if undone[n] || undone[target] {
			continue
		}
		undone[target] = true
		if err := im.x.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, n, im.s.id, target); err != nil {
			return err
		}
	}
	return nil
}

// dropUnused forgets contents that came and that no version holds.
func (im *importer) dropUnused() error {
	if err := im.x.Exec(`DELETE FROM blob_chunk WHERE blob>? AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=blob_chunk.blob)`, im.blobsOf); err != nil {
		return err
	}
	return im.x.Exec(`DELETE FROM blob WHERE id>? AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=blob.id)`, im.blobsOf)
}

// free refuses a path where something stands.
func (s *Store) free(p memfs.Path) error {
	_, err := s.dir.Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist):
		return nil
	case err == nil:
		return fmt.Errorf("%s: %w", p.Tool(), memfs.ErrExist)
	}
	return err
}

func (im *importer) writeHeads() error {
	for _, p := range slices.SortedFunc(maps.Keys(im.places.byPath), comparePaths) {
		m := im.places.byPath[p]
		if err := im.s.free(p); err != nil {
			return err
		}
		v := versionRow{id: m.version, memory: m.row, path: p}
		b, err := blobContent(im.x, m.blob)
		lost := errors.Is(err, ErrLost) // no file can be made of it: what is missing is adopted
		if lost {
			v.facts, err = im.x.factsOfBlob(m.blob)
		} else {
			v.facts = factsOf(b, sum(b))
		}
		if err != nil {
			return err
		}
		if err := im.x.insertSeen(v, memfs.Sig{}, 0, &m.change); err != nil {
			return err
		}
		if lost {
			continue
		}
		st := step{op: memfs.OpPut, path: p, new: v.facts.sha}
		if err := im.x.intend(im.last, len(im.steps), st); err != nil {
			return err
		}
		im.steps = append(im.steps, st)
	}
	for id, m := range im.memories {
		if m.live && m.path.IsRoot() {
			return unsound("memory %s ends with a redacted version that is no deletion", id)
		}
	}
	im.total.Memories = len(im.steps)
	return nil
}

// applySteps takes the committed history to the folder.
func (im *importer) applySteps() error {
	s := im.s
	d := &mutation{c: &changeRow{id: im.last}, steps: im.steps}
	done := 0
	err := s.t.step("after-intent-commit")
	for i := range d.steps {
		if err != nil {
			break
		}
		var touched bool
		if touched, err = im.applyStep(&d.steps[i]); touched {
			done = i + 1
		}
	}
	if err == nil && !s.t.lazy() {
		err = s.syncSteps(d.steps)
	}
	if err != nil {
		if back := im.revert(done); back != nil {
			return fmt.Errorf("%w; %w (%w)", err, ErrUnfinished, back)
		}
		return err
	}
	return s.acknowledge(im.ctx, d)
}

// applyStep holds the content of a step for as long as the step takes.
func (im *importer) applyStep(st *step) (touched bool, err error) {
	if st.content, err = im.s.contentByHash(im.ctx, st.new); err != nil {
		return false, err
	}
	touched, err = im.s.applyStep(st)
	st.content = nil
	if errors.Is(err, errForeign) {
		err = fmt.Errorf("%s: %w", st.path.Tool(), err)
	}
	return touched, err
}

// revert empties the folder and the store again.
func (im *importer) revert(done int) error {
	for i := done - 1; i >= 0; i-- {
		if err := im.s.revertStep(im.ctx, im.steps[i]); err != nil {
			return err
		}
	}
	x, err := im.s.begin(im.ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	for _, q := range []string{
		`DELETE FROM intent WHERE store=?`,
		`DELETE FROM head WHERE store=?`,
		`DELETE FROM version WHERE change IN (SELECT id FROM change WHERE store=?)`,
		`DELETE FROM change WHERE store=?`,
		`DELETE FROM memory WHERE store=?`,
		`UPDATE store SET changes=0, looked=min(looked,0) WHERE id=?`,
	} {
		if err := x.Exec(q, im.s.id); err != nil {
			return err
		}
	}
	im.x = x
	if err := im.dropUnused(); err != nil {
		return err
	}
	if err := x.Exec(`DELETE FROM session WHERE id>? AND NOT EXISTS(SELECT 1 FROM change WHERE session=session.id)`, im.sessionOf); err != nil {
		return err
	}
	return x.Commit()
}
