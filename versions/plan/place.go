package plan

import (
	"database/sql"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// settle makes a conflict of each memory whose path is occupied, and repeats until no new conflict
// appears: such a memory stays at its current path, which another memory may need.
func (p *Planner) settle() error {
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
func (p *Planner) isBack(m *planning.Memory) (bool, error) {
	if !core.Hosted(p.Store) || m.Now.Live() {
		return false, nil
	}
	end := m.End()
	var sha versions.Hash
	err := p.Reader.Row(`SELECT sha FROM head WHERE store=? AND path=?`, p.Store.Row, versions.Key(end.Path)).Scan(tables.HashTo(&sha))
	return err == nil && sha == end.SHA256, tables.IgnoreNoRows(err)
}

// holder returns the change that put a memory at p, or at a path that blocks p.
func (p *Planner) holder(at memfs.Path) (n int64, err error) {
	for ; !at.IsRoot(); at = at.Dir() {
		err = p.Reader.Row(`SELECT number FROM head WHERE store=? AND path=?`, p.Store.Row, versions.Key(at)).Scan(&n)
		if !errors.Is(err, sql.ErrNoRows) {
			return n, err
		}
	}
	return 0, nil
}

// moveFolder decides whether the plan renames a whole folder back. Then other files in the
// folder move with it, and so do memories that were added since.
func (p *Planner) moveFolder() error {
	from, to := p.folderMove()
	if from.IsRoot() || len(p.Items) == 0 && !slices.ContainsFunc(p.reversed, func(o tables.Other) bool { return o.Kind == memfs.Folder && o.From == from }) {
		return nil
	}
	info, err := p.Dir.Lstat(from)
	if err != nil || info.Kind != memfs.Folder {
		return nil
	}
	if _, err := p.Dir.Lstat(to); !errors.Is(err, memfs.ErrNotExist) {
		return nil
	}
	in := map[int64]bool{}
	for _, it := range p.Items {
		if it.Clash != planning.ClashNone || it.Skipped || !it.Now.Live() || !it.Now.Path.In(from) ||
			it.Want.Path != it.Now.Path.Move(from, to) || it.Want.SHA256 != it.Now.SHA256 {
			return nil
		}
		in[it.Row] = true
	}
	p.folder = true
	var along []*Planned
	var next planning.Memory
	rows := p.Reader.Rows(`SELECT m.id, m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=?1 AND h.path>?2||'/' AND h.path<?2||'0' ORDER BY h.path`, p.Store.Row, versions.Key(from))
	for range rows.Each(&next.Row, tables.IDTo(&next.ID)) {
		if !in[next.Row] {
			along = append(along, &Planned{Memory: next})
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, it := range along {
		if it.Now, err = tables.NowOf(p.Reader, it.Row); err != nil {
			return err
		}
		it.Want = it.Now.At(it.Now.Path.Move(from, to))
	}
	p.Items = append(p.Items, along...)
	return nil
}

// folderMove returns the source and target of the folder rename; both are the root if
// there is none.
func (p *Planner) folderMove() (from, to memfs.Path) {
	if p.asked.To.IsRoot() {
		return memfs.Root, memfs.Root
	}
	if _, accepts := p.Goal.(Accept); accepts || p.asked.Kind == versions.KindRedo { // redoing a rename moves forward again
		return p.asked.Path, p.asked.To
	}
	return p.asked.To, p.asked.Path
}
