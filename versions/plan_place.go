package versions

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// settle makes a conflict of each memory whose path is occupied, and repeats until no new conflict
// appears: such a memory stays at its current path, which another memory may need.
func (p *planner) settle() error {
	for again := !p.folder; again; {
		memories := p.memories()
		if p.adoptAt != nil {
			for _, m := range planning.Arriving(memories) {
				if err := p.adoptAt(m.End().Path); err != nil {
					return err
				}
			}
		}
		blocked, err := planning.Blocked(memories, p.cleared())
		if err != nil {
			return err
		}
		for _, m := range blocked {
			back, err := p.isBack(m)
			if err != nil {
				return err
			}
			if back {
				m.Want = planning.State{}
			} else {
				m.Clash = planning.ClashTaken
			}
		}
		again = len(blocked) > 0
	}
	return p.settleOthers()
}

// isBack reports whether a memory that the plan recreates already exists under another id.
// This happens in a hosted store, whose service assigns a new id, when an earlier attempt
// was interrupted after the request.
func (p *planner) isBack(m *planning.Memory) (bool, error) {
	if !p.s.hosted() || m.Now.Live() {
		return false, nil
	}
	end := m.End()
	var sha Hash
	err := p.q.Row(`SELECT sha FROM head WHERE store=? AND path=?`, p.s.id, key(end.Path)).Scan(hashTo(&sha))
	return err == nil && sha == end.SHA256, ignoreNoRows(err)
}

// holder returns the change that put a memory at p, or at a path that blocks p.
func (p *planner) holder(at memfs.Path) (n int64, err error) {
	for ; !at.IsRoot(); at = at.Dir() {
		err = p.q.Row(`SELECT number FROM head WHERE store=? AND path=?`, p.s.id, key(at)).Scan(&n)
		if !errors.Is(err, sql.ErrNoRows) {
			return n, err
		}
	}
	return 0, nil
}

// moveFolder decides whether the plan renames a whole folder back. Then other files in the
// folder move with it, and so do memories that were added since.
func (p *planner) moveFolder() error {
	from, to := p.folderMove()
	if from.IsRoot() || len(p.items) == 0 && !slices.ContainsFunc(p.reversed, func(o other) bool { return o.kind == memfs.Folder && o.from == from }) {
		return nil
	}
	info, err := p.dir.Lstat(from)
	if err != nil || info.Kind != memfs.Folder {
		return nil
	}
	if _, err := p.dir.Lstat(to); !errors.Is(err, memfs.ErrNotExist) {
		return nil
	}
	in := map[int64]bool{}
	for _, it := range p.items {
		if it.Clash != planning.ClashNone || it.Skipped || !it.Now.Live() || !it.Now.Path.In(from) ||
			it.Want.Path != it.Now.Path.Move(from, to) || it.Want.SHA256 != it.Now.SHA256 {
			return nil
		}
		in[it.Row] = true
	}
	p.folder = true
	var along []*planned
	var next planning.Memory
	rows := p.q.Rows(`SELECT m.id, m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=?1 AND h.path>?2||'/' AND h.path<?2||'0' ORDER BY h.path`, p.s.id, key(from))
	for range rows.Each(&next.Row, idTo(&next.ID)) {
		if !in[next.Row] {
			along = append(along, &planned{Memory: next})
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, it := range along {
		if it.Now, err = nowOf(p.q, it.Row); err != nil {
			return err
		}
		it.Want = it.Now.At(it.Now.Path.Move(from, to))
	}
	p.items = append(p.items, along...)
	return nil
}

// folderMove returns the source and target of the folder rename; both are the root if
// there is none.
func (p *planner) folderMove() (from, to memfs.Path) {
	if p.asked.to.IsRoot() {
		return memfs.Root, memfs.Root
	}
	if _, accepts := p.goal.(Accept); accepts || p.asked.kind == KindRedo { // redoing a rename moves forward again
		return p.asked.path, p.asked.to
	}
	return p.asked.to, p.asked.path
}
