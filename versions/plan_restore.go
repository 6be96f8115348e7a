package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// Restore gives the memory the content of version v, as a new version. An existing memory
// keeps its path; a deleted one comes back under the same id at its path in v. If the
// memory already has that content, Restore makes no change and returns a zero Change
// without an error.
func (s *Store) Restore(ctx context.Context, by By, id VersionID) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		err := d.fulfil(goal{version: id}, nil, nil)
		if c := (*ConflictsError)(nil); errors.As(err, &c) {
			if c.Conflicts[0].Clash == planning.ClashTaken {
				return fmt.Errorf("restore version %s: %s: %w", id, c.Conflicts[0].Then.Path.Tool(), memfs.ErrExist)
			}
			return c.Conflicts[0].Reason
		}
		return err
	})
}

// PlanRestore plans what Restore does.
func (s *Store) PlanRestore(ctx context.Context, id VersionID) (*Plan, error) {
	return s.plan(ctx, func(reader) (goal, error) { return goal{version: id}, nil })
}

// PlanRestoreAt plans to restore some paths, and everything below them, to a moment; the
// root is the whole tree. It covers every memory that was there then or is there now: each
// returns to its path and content of that moment, or is deleted if it didn't exist. Links and
// folders return as far as changes since then affected them.
// PlanRestoreAt scans the folder first, so that the trail has what other programs wrote
// before the restore replaces it.
func (s *Store) PlanRestoreAt(ctx context.Context, m Moment, paths ...memfs.Path) (*Plan, error) {
	return s.plan(ctx, func(q reader) (goal, error) {
		m, err := s.momentOf(q, m.Change)
		return goal{moment: &m, path: common(paths), among: paths}, err
	})
}

// collectVersion adds the memory of one version to the plan.
func (p *planner) collectVersion(id VersionID) error {
	var memory int64
	var uid []byte
	var v stateScan
	row, err := p.s.findVersion(p.q, id)
	if err != nil {
		return err
	}
	err = p.q.Row(`SELECT v.memory, m.uid, `+stateColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob WHERE v.id=?`, row).Scan(append([]any{&memory, &uid}, v.dest()...)...)
	if err != nil {
		return notFound(err, ErrNoVersion, string(id))
	}
	then, err := v.state()
	switch {
	case err != nil:
		return err
	case then.Redacted:
		return fmt.Errorf("restore: %w", erased(p.q, id))
	case !then.Live():
		return fmt.Errorf("restore: version %s: %w", id, ErrDeletion)
	}
	if p.adopt != nil {
		if err := p.adopt(memory); err != nil {
			return err
		}
	}
	now, err := nowOf(p.q, memory)
	if err != nil {
		return err
	}
	if now.Live() {
		then = then.At(now.Path)
	}
	p.asked = request{kind: KindRestore, path: then.Path}
	p.items = []*planned{{Memory: planning.Memory{Row: memory, ID: MemoryID(ids.Format(ids.MemoryPrefix, uid)), Then: then}}}
	return nil
}

// collectMoment adds the memories that changed since a moment and were then, or are now,
// at the path or below it.
func (p *planner) collectMoment() error {
	p.asked = request{kind: KindRestore, path: p.goal.path}
	for row, err := range p.q.Each(`SELECT m.id, m.uid, `+stateColumns+`, coalesce(h.path,''), since.number=1 AND EXISTS(SELECT 1 FROM version WHERE memory=since.memory AND number=1 AND op='modified'),
		`+arrivedBy+` NOT IN ('adopt','import') FROM `+sinceThen+`
		JOIN memory m ON m.id=since.memory LEFT JOIN version v ON v.memory=since.memory AND v.number=since.number-1
		LEFT JOIN blob b ON b.id=v.blob LEFT JOIN head h ON h.memory=m.id`, p.s.id, p.goal.moment.Change) {
		if err != nil {
			return err
		}
		var it planned
		var uid []byte
		var v stateScan
		var now string
		var begins bool
		if err := row.Scan(append(append([]any{&it.Row, &uid}, v.dest()...), &now, &begins, &it.KeepFolders)...); err != nil {
			return err
		}
		it.ID = MemoryID(ids.Format(ids.MemoryPrefix, uid))
		if it.Then, err = v.state(); err != nil {
			return err
		}
		if begins {
			it.Then = planning.Unknown
		}
		at, err := pathOf(now)
		if err != nil {
			return err
		}
		// A redacted version has no path; the memory's current path decides.
		if it.Then.Live() && !it.Then.Redacted && p.goal.holds(it.Then.Path) || !at.IsRoot() && p.goal.holds(at) {
			p.items = append(p.items, &it)
		}
	}
	if err := p.collectOthersSince(); err != nil || len(p.items)+len(p.reversed) > 0 {
		return err
	}
	return p.everThere()
}

// arrivedBy is an SQL expression: the kind of the change that put memory m at its path. If another program
// or an import did, nothing says which folders existed before.
const arrivedBy = `coalesce((SELECT c.kind FROM version a JOIN change c ON c.id=a.change WHERE a.memory=m.id AND (a.op='created' OR a.origin IS NOT NULL) ORDER BY a.number DESC LIMIT 1),'')`

// everThere rejects a path where no memory ever was. It is most likely misspelled, and
// "nothing to do" would mislead.
func (p *planner) everThere() error {
	for _, at := range p.goal.among {
		if err := p.wasThere(at); err != nil {
			return err
		}
	}
	return nil
}

// wasThere returns ErrNoMemory for a path where no memory ever was.
func (p *planner) wasThere(at memfs.Path) error {
	if at.IsRoot() {
		return nil
	}
	k := key(at)
	var there bool
	if err := p.q.Row(`SELECT EXISTS(SELECT 1 FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND (v.path=?2 OR v.path>?2||'/' AND v.path<?2||'0'))`, p.s.id, k).Scan(&there); err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("%s: %w", p.goal.doing(), ErrNoMemory)
	}
	return nil
}

// now adopts the file of a memory and returns the head after that.
func (d *mutation) now(memory int64) (head, error) {
	h, err := d.x.headOf(memory)
	if err != nil || !h.live() {
		return h, err
	}
	if _, err := d.current(h.path); err != nil {
		return h, err
	}
	return d.x.headOf(memory)
}
