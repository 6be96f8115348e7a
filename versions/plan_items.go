package versions

import (
	"cmp"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/planning"
)

// publicState returns a state without what only this package knows of it.
func publicState(s planning.State) Place {
	return Place{Path: s.Path, Version: s.Version, SHA256: s.SHA256, Size: s.Size}
}

// textOf reads the text of a state.
func textOf(q db.Queryer, s planning.State) ([]byte, error) {
	if s.Text != nil || !s.Live() {
		return s.Text, nil
	}
	return blobs.Get(q, s.Blob)
}

// planned is one memory of a plan during the computation.
type planned struct {
	planning.Memory
	changes  []int64 // the changes that made the versions of its runs
	hits     int     // for a replacement
	excluded error   // why nothing can be replaced in it
}

// planner computes a plan from what it reads. It changes nothing itself.
type planner struct {
	s      *Store
	q      db.Queryer
	dir    *memfs.Dir
	goal   Goal
	shown  Plan // what the goal says of itself
	asked  request
	items  []*planned
	undone []int64 // the changes that are undone

	// A planner whose plan is applied scans the files first and adopts what other programs did
	// to them. Otherwise these are nil, and the planner relies on the trail.
	adopt   func(memory int64) error // adopts a memory's file
	adoptAt func(memfs.Path) error   // adopts what is at a path

	folder bool // one rename moves a whole folder back

	// The fields of a replacement.
	replacer *match.Replacer
	done     <-chan struct{} // closed when the caller gave up
	largest  int64           // maximum size of a memory in bytes
	made     int64           // bytes of new texts so far
	reported int             // hits reported so far
	reversed []other         // what undoes the effects on entries without versions
	others   []other         // those of them that are to be done
}

// memories returns the memories of the plan.
func (p *planner) memories() []*planning.Memory {
	out := make([]*planning.Memory, len(p.items))
	for i, it := range p.items {
		out[i] = &it.Memory
	}
	return out
}

// text reads the text of a state.
func (p *planner) text(s planning.State) ([]byte, error) { return textOf(p.q, s) }

// compute finds what happens to each memory of the goal, and the conflicts.
func (p *planner) compute() error {
	if err := p.collect(); err != nil {
		return err
	}
	for _, it := range p.items {
		if err := p.resolve(it); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.items, func(a, b *planned) int {
		return cmp.Or(comparePaths(a.Path(), b.Path()), cmp.Compare(a.Row, b.Row))
	})
	if err := p.moveFolder(); err != nil {
		return err
	}
	return p.settle()
}

// resolve computes what happens to one memory.
func (p *planner) resolve(it *planned) error {
	if p.replacer != nil {
		return p.replaceIn(it, nil)
	}
	return it.Resolve(p.text)
}

// collect adds the items with their current place and the one the goal requests.
func (p *planner) collect() error {
	err := p.goal.collect(p)
	if err != nil {
		return err
	}
	for _, it := range p.items {
		it.KeepFolders = it.KeepFolders || p.asked.kind == KindUndo || p.asked.kind == KindRedo // changes record folders
		if p.adopt != nil {
			if err := p.adopt(it.Row); err != nil {
				return err
			}
		}
		if it.Now, err = nowOf(p.q, it.Row); err != nil {
			return err
		}
		if p.adopt == nil && it.Now.Live() && p.s.tooBig(it.Now.Path) { // as adopt reports it
			return &TooBigError{Path: it.Now.Path, Limit: p.s.t.maxBytes}
		}
	}
	return nil
}

const stateColumns = `coalesce(v.id,0),v.uid,v.path,coalesce(v.blob,0),b.sha,coalesce(b.size,0),v.redacted IS NOT NULL,v.op`

// stateTo are the destinations of the stateColumns. The state is zero without a version and after a deletion.
func stateTo(s *planning.State) []any {
	return []any{&s.Row, idTo(&s.Version), pathTo(&s.Path), &s.Blob, hashTo(&s.SHA256), &s.Size, &s.Redacted,
		parsedTo(s, func(op string) (planning.State, error) {
			if Operation(op) == Deleted {
				return planning.State{}, nil
			}
			return *s, nil
		})}
}

// nowOf returns the current state of a memory in the trail.
func nowOf(q db.Queryer, memory int64) (now planning.State, err error) {
	err = q.Row(`SELECT `+stateColumns+` FROM head h JOIN version v ON v.id=h.version LEFT JOIN blob b ON b.id=v.blob WHERE h.memory=?`, memory).Scan(stateTo(&now)...)
	return now, ignoreNoRows(err)
}

// maxBlamed is how many versions of a memory are looked at for the change that is in the way of a plan.
const maxBlamed = 200

// inTheWay returns the change since which the plan of a memory has a conflict, and who made it: later changes may be about
// other lines.
func (p *planner) inTheWay(it *planned) (change int64, by ActorKind, err error) {
	var number int
	var n int64
	var made ActorKind
	rows := p.q.Rows(`SELECT v.number, c.number, a.kind, `+stateColumns+` FROM version v JOIN change c ON c.id=v.change`+attributed+`JOIN actor a ON a.id=`+makerOf+`
		LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? ORDER BY v.number DESC LIMIT ?`, it.Row, maxBlamed)
	var then planning.State
	for range rows.Each(append([]any{&number, &n, &made}, stateTo(&then)...)...) {
		undone := slices.Contains(p.undone, n)
		switch {
		case change == 0 && undone:
			continue
		case change != 0:
			if undone || len(it.Runs) == 0 || number <= it.Runs[0].First {
				return change, by, nil
			}
			if then.Redacted {
				continue // nobody can say any more whether it was in the way
			}
			m := planning.Memory{Row: it.Row, Runs: it.Runs, Now: then}
			if err := m.Resolve(p.text); err != nil {
				return 0, "", err
			}
			if m.Clash == planning.ClashNone {
				return change, by, nil
			}
		}
		change, by = n, made
	}
	if err := rows.Err(); err != nil {
		return 0, "", err
	}
	if change == 0 && len(it.changes) > 0 { // nobody else touched it
		change = slices.Max(it.changes)
	}
	return change, by, nil
}
