package core

import (
	"io/fs"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// MoveFiles adds the steps that bring the files of memories to their states after a plan. It returns
// the texts that the memories get.
func (d *Mutation) MoveFiles(dir planning.Folder, memories []*planning.Memory) (texts map[*planning.Memory][]byte, err error) {
	steps, err := planning.Steps(memories, dir)
	if err != nil {
		return nil, err
	}
	texts = map[*planning.Memory][]byte{}
	for _, m := range planning.Changed(memories) {
		if texts[m], err = tables.TextOf(d.Txn, m.End()); err != nil {
			return nil, err
		}
	}
	for _, next := range steps {
		m := next.Memory
		st := Step{Op: next.Op, Path: next.Path, To: next.To, Old: next.Old, New: next.New}
		if st.Op == memfs.OpPut {
			st.Content = texts[m]
			if st.Mode, err = d.modeOf(m); err != nil {
				return nil, err
			}
		}
		d.Steps = append(d.Steps, st)
	}
	return texts, nil
}

// modeOf returns the mode that a memory's file gets if it is created at its path after a plan: the one
// that its file has elsewhere, or had before it was deleted; 0 if unknown.
func (d *Mutation) modeOf(m *planning.Memory) (fs.FileMode, error) {
	switch {
	case !m.Now.Live():
		return d.Txn.lastMode(m.Row)
	case m.Now.Path != m.End().Path:
		return ModeAt(d.Txn.Store, m.Now.Path), nil
	}
	return 0, nil
}

// lastMode returns the mode of a deleted memory's file; 0 if unknown.
func (x *Txn) lastMode(memory int64) (fs.FileMode, error) {
	var mode int
	err := x.Row(`SELECT coalesce(mode,0) FROM version WHERE memory=? AND op='deleted' ORDER BY number DESC LIMIT 1`, memory).Scan(&mode)
	return fs.FileMode(mode), tables.IgnoreNoRows(err)
}

// maxReplacedBytes bounds the size of the texts in one replacement plan.
const maxReplacedBytes = 256 << 20

// TooBig reports whether the file at p is too large for versions, as the last scan found it.
func TooBig(s *Store, p memfs.Path) bool {
	return slices.ContainsFunc(OtherEntries(s), func(e versions.Entry) bool { return e.Kind == versions.TooBig && e.Path == p })
}
