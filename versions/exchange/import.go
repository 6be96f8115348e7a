package exchange

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Import adds a whole history with its own times, actors and sessions, and with its own ids where
// they are unused in this home. The store must have no history (ErrHasHistory), and the paths of
// the memories must be free. Import adds either everything or nothing, also when the process dies;
// ErrUnsound means that the history is invalid. It locks the trail meanwhile.
//
// When a change is not later than the one before it, Import sets its time one microsecond later and
// keeps what its clock showed. Import holds one content and the paths of all memories in memory.
func Import(ctx context.Context, s *core.Store, by versions.By, source iter.Seq2[versions.Item, error]) (versions.Imported, error) {
	if err := core.MayAdministerStore(ctx, s.Trail, by, s.Opened.ID, "import"); err != nil {
		return versions.Imported{}, err
	}
	if core.Hosted(s) {
		return versions.Imported{}, fmt.Errorf("store %s: %w: a hosted store has its history from its service", s.Opened.Name, versions.ErrInvalid)
	}
	if err := core.MayChange(s.Trail); err != nil {
		return versions.Imported{}, err
	}
	unlock, err := core.Enter(ctx, s)
	if err != nil {
		return versions.Imported{}, err
	}
	defer unlock()
	im, err := newImporter(context.WithoutCancel(ctx), s)
	if err != nil {
		return versions.Imported{}, err
	}
	defer im.x.Rollback()
	if err := im.x.RefuseArchived(); err != nil {
		return versions.Imported{}, err
	}
	for item, err := range source {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = im.item(item)
		}
		if err != nil {
			return versions.Imported{}, err
		}
	}
	if err := im.finish(); err != nil {
		return versions.Imported{}, err
	}
	if err := core.AtStep(s.Trail, "before-intent-commit"); err != nil {
		return versions.Imported{}, err
	}
	if err := im.x.Commit(); err != nil {
		return versions.Imported{}, err
	}
	d := &core.Mutation{Change: &core.ChangeRow{ID: im.last}, Steps: im.steps}
	if err := core.ApplySteps(im.ctx, s, d, im.forget); err != nil {
		return versions.Imported{}, err
	}
	core.Notify(s.Trail)
	return im.total, nil
}

// importer adds one history in one transaction.
type importer struct {
	s     *core.Store
	ctx   context.Context
	x     *core.Txn
	total versions.Imported

	number    int64 // of the newest change
	ts        int64
	last      int64 // row of the newest change
	found     int64 // number of the newest change that lists what was there when the history began
	actors    map[versions.Actor]int64
	sessions  map[versions.SessionID]int64
	undoes    map[int64]int64 // change -> the change it undid
	memories  map[versions.MemoryID]*imported
	renamed   map[versions.VersionID]int64 // rows of versions whose ids were already used in the home
	places    memfs.Occupied[memfs.Path, imported]
	blobsOf   int64          // contents with a higher row are new in this trail
	had       map[int64]bool // imported contents that the trail already had
	sessionOf int64          // sessions with a higher row are new, too

	steps []core.Step // steps that create the final state of the folder; without contents
}

func newImporter(ctx context.Context, s *core.Store) (*importer, error) {
	x, err := core.Begin(ctx, s)
	if err != nil {
		return nil, err
	}
	im := &importer{s: s, ctx: ctx, x: x, actors: map[versions.Actor]int64{}, sessions: map[versions.SessionID]int64{}, undoes: map[int64]int64{},
		memories: map[versions.MemoryID]*imported{}, renamed: map[versions.VersionID]int64{}, had: map[int64]bool{}}
	var changes int64
	err = x.Row(`SELECT (SELECT changes FROM store WHERE id=?), (SELECT coalesce(max(id),0) FROM blob), (SELECT coalesce(max(id),0) FROM session)`, s.Row).
		Scan(&changes, &im.blobsOf, &im.sessionOf)
	if err == nil && changes > 0 {
		err = fmt.Errorf("store %s: %w", s.Opened.Name, versions.ErrHasHistory)
	}
	if err != nil {
		x.Rollback()
		return nil, err
	}
	return im, nil
}

func (im *importer) item(it versions.Item) error {
	if it.Record != nil {
		if err := im.record(it.Record); err != nil {
			return fmt.Errorf("change %d: %w", im.number, err)
		}
		return nil
	}
	if len(it.Content) > core.MaxContent {
		return unsoundImport("a content has %d bytes, over the limit of %d MiB", len(it.Content), core.MaxContent>>20)
	}
	id, err := blobs.Put(im.x.Tx, it.Content, versions.Sum(it.Content))
	if err == nil && id <= im.blobsOf {
		im.had[id] = true
	}
	return err
}

// finish writes what is known only at the end of a history: which change undid which, the heads,
// and the steps that create the final state of the folder.
func (im *importer) finish() error {
	im.total.Changes = int(im.number)
	for _, write := range []func() error{im.markUndone, im.dropUnused, im.writeHeads, im.noteBeginning} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// noteBeginning records up to which change the history lists what it found. All of it was there when the store was made, so
// none of it is to be reviewed.
func (im *importer) noteBeginning() error {
	im.x.Exec(`UPDATE store SET began=?, looked=? WHERE id=?`, im.found, im.number, im.s.Row)
	return im.x.Err()
}

// markUndone records which change undid which. A change that was itself undone undoes nothing, so
// the newest come first.
func (im *importer) markUndone() error {
	undone := map[int64]bool{}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(im.undoes))) {
		target := im.undoes[n]
		if undone[n] || undone[target] {
			continue
		}
		undone[target] = true
		im.x.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, n, im.s.Row, target)
	}
	return nil
}

// dropUnused removes imported contents that no version uses.
func (im *importer) dropUnused() error {
	im.x.Exec(`DELETE FROM blob_chunk WHERE blob>? AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=blob_chunk.blob)`, im.blobsOf)
	im.x.Exec(`DELETE FROM blob WHERE id>? AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=blob.id)`, im.blobsOf)
	return im.x.Err()
}

// free returns an error when a path is taken.
func free(s *core.Store, p memfs.Path) error {
	_, err := s.Dir.Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist):
		return nil
	case err == nil:
		return fmt.Errorf("%s: %w", p.Tool(), memfs.ErrExist)
	}
	return err
}

func (im *importer) writeHeads() error {
	current := maps.Collect(im.places.In(memfs.Root))
	for _, p := range slices.SortedFunc(maps.Keys(current), versions.ComparePaths) {
		m := current[p]
		if err := free(im.s, p); err != nil {
			return err
		}
		v := core.VersionRow{ID: m.version, Memory: m.row, Path: p}
		b, err := blobs.Get(im.x, m.blob)
		lost := errors.Is(err, versions.ErrLost) // no file can be written for it: Sync adopts the missing file
		if lost {
			v.Facts, err = im.x.FactsOfBlob(m.blob)
		} else {
			v.Facts = tables.FactsOf(b, versions.Sum(b))
		}
		if err != nil {
			return err
		}
		im.x.InsertSeen(v, memfs.Sig{}, 0, &m.change)
		if lost {
			continue
		}
		st := core.Step{Op: memfs.OpPut, Path: p, New: v.Facts.SHA}
		im.x.Intend(im.last, len(im.steps), st)
		im.steps = append(im.steps, st)
	}
	for id, m := range im.memories {
		if m.live && m.path.IsRoot() {
			return unsoundImport("memory %s ends with a redacted version that is no deletion", id)
		}
	}
	im.total.Memories = len(im.steps)
	return nil
}

// forget empties the store again.
func (im *importer) forget(ctx context.Context, _ *core.Mutation) error {
	return core.InTx(ctx, im.s, func(x *core.Txn) error {
		for _, q := range []string{
			`DELETE FROM intent WHERE store=?`,
			`DELETE FROM head WHERE store=?`,
			`DELETE FROM version WHERE change IN (SELECT id FROM change WHERE store=?)`,
			`DELETE FROM change WHERE store=?`,
			`DELETE FROM memory WHERE store=?`,
			`DELETE FROM shared WHERE store=?`,
			`UPDATE store SET changes=0, began=min(began,0), looked=min(looked,0) WHERE id=?`,
		} {
			x.Exec(q, im.s.Row)
		}
		im.x = x
		if err := im.dropUnused(); err != nil {
			return err
		}
		x.Exec(`DELETE FROM session WHERE id>? AND NOT EXISTS(SELECT 1 FROM change WHERE session=session.id)`, im.sessionOf)
		return x.Err()
	})
}
