package core

import (
	"io/fs"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
)

// TextOf reads the text of a state.
func TextOf(q db.Queryer, s planning.State) ([]byte, error) {
	if s.Text != nil || !s.Live() {
		return s.Text, nil
	}
	return blobs.Get(q, s.Blob)
}

// StateColumns are the columns of a state: of a version v with its content b.
const StateColumns = `coalesce(v.id,0),v.uid,v.path,coalesce(v.blob,0),b.sha,coalesce(b.size,0),v.redacted IS NOT NULL,v.op`

// StateTo are the destinations of the StateColumns. The state is zero without a version and after a deletion.
func StateTo(s *planning.State) []any {
	return []any{&s.Row, IDTo(&s.Version), PathTo(&s.Path), &s.Blob, HashTo(&s.SHA256), &s.Size, &s.Redacted,
		ParsedTo(s, func(op string) (planning.State, error) {
			if versions.Operation(op) == versions.Deleted {
				return planning.State{}, nil
			}
			return *s, nil
		})}
}

// NowOf returns the current state of a memory in the trail.
func NowOf(q db.Queryer, memory int64) (now planning.State, err error) {
	err = q.Row(`SELECT `+StateColumns+` FROM head h JOIN version v ON v.id=h.version LEFT JOIN blob b ON b.id=v.blob WHERE h.memory=?`, memory).Scan(StateTo(&now)...)
	return now, IgnoreNoRows(err)
}

// MoveFiles adds the steps that bring the files of memories to their states after a plan. It returns
// the texts that the memories get.
func (d *Mutation) MoveFiles(dir planning.Folder, memories []*planning.Memory) (texts map[*planning.Memory][]byte, err error) {
	steps, err := planning.Steps(memories, dir)
	if err != nil {
		return nil, err
	}
	texts = map[*planning.Memory][]byte{}
	for _, m := range planning.Changed(memories) {
		if texts[m], err = TextOf(d.Txn, m.End()); err != nil {
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
	return fs.FileMode(mode), IgnoreNoRows(err)
}

// InEffect is an SQL condition: the change is in effect, because it was not undone or its
// undo was undone in turn. undone_by is the last change that undid it and is never
// cleared, so any undo, of one change or of many, can be undone and redone.
const InEffect = `(WITH RECURSIVE back(by,n) AS (SELECT c.undone_by,0
	UNION ALL SELECT u.undone_by,back.n+1 FROM back JOIN change u ON u.store=c.store AND u.number=back.by) SELECT max(n)%2=0 FROM back)`

// maxReplacedBytes bounds the size of the texts in one replacement plan.
const maxReplacedBytes = 256 << 20

// TooBig reports whether the file at p is too large for versions, as the last scan found it.
func TooBig(s *Store, p memfs.Path) bool {
	return slices.ContainsFunc(OtherEntries(s), func(e versions.Entry) bool { return e.Kind == versions.TooBig && e.Path == p })
}
