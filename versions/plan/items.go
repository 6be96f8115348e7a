package plan

import (
	"cmp"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/planning"
)

// publicState returns a state without what only this package knows of it.
func publicState(s planning.State) versions.Place {
	return versions.Place{Path: s.Path, Version: s.Version, SHA256: s.SHA256, Size: s.Size}
}

// Planned is one memory of a plan during the computation.
type Planned struct {
	planning.Memory
	changes  []int64 // the changes that made the versions of its runs
	hits     int     // for a replacement
	excluded error   // why nothing can be replaced in it
}

// Planner computes a plan from what it reads. It changes nothing itself.
type Planner struct {
	Store  *core.Store
	Reader db.Queryer
	Dir    *memfs.Dir
	Goal   Goal
	shown  Plan // what the goal says of itself
	asked  core.Request
	Items  []*Planned
	undone []int64 // the changes that are undone

	// A planner whose plan is applied scans the files first and adopts what other programs did
	// to them. Otherwise these are nil, and the planner relies on the trail.
	adopt   func(memory int64) error // adopts a memory's file
	adoptAt func(memfs.Path) error   // adopts what is at a path

	folder bool // one rename moves a whole folder back

	// The fields of a replacement.
	replacer *match.Replacer
	Done     <-chan struct{} // closed when the caller gave up
	largest  int64           // maximum size of a memory in bytes
	made     int64           // bytes of new texts so far
	reported int             // hits reported so far
	reversed []tables.Other  // what undoes the effects on entries without versions
	others   []tables.Other  // those of them that are to be done
}

// memories returns the memories of the plan.
func (p *Planner) memories() []*planning.Memory {
	out := make([]*planning.Memory, len(p.Items))
	for i, it := range p.Items {
		out[i] = &it.Memory
	}
	return out
}

// text reads the text of a state.
func (p *Planner) text(s planning.State) ([]byte, error) { return tables.TextOf(p.Reader, s) }

// Compute finds what happens to each memory of the goal, and the conflicts.
func (p *Planner) Compute() error {
	if err := p.collect(); err != nil {
		return err
	}
	for _, it := range p.Items {
		if err := p.resolve(it); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.Items, func(a, b *Planned) int {
		return cmp.Or(versions.ComparePaths(a.Path(), b.Path()), cmp.Compare(a.Row, b.Row))
	})
	if err := p.moveFolder(); err != nil {
		return err
	}
	return p.settle()
}

// resolve computes what happens to one memory.
func (p *Planner) resolve(it *Planned) error {
	if p.replacer != nil {
		return p.replaceIn(it, nil)
	}
	return it.Resolve(p.text)
}

// collect adds the items with their current place and the one the goal requests.
func (p *Planner) collect() error {
	err := p.Goal.collect(p)
	if err != nil {
		return err
	}
	for _, it := range p.Items {
		it.KeepFolders = it.KeepFolders || p.asked.Kind == versions.KindUndo || p.asked.Kind == versions.KindRedo // changes record folders
		if it.Now, err = p.now(it.Row); err != nil {
			return err
		}
		if p.adopt == nil && it.Now.Live() && core.TooBig(p.Store, it.Now.Path) { // as adopt reports it
			return &versions.TooBigError{Path: it.Now.Path, Limit: p.Store.Trail.MaxBytes}
		}
	}
	return nil
}

// maxBlamed is how many versions of a memory are looked at for the change that is in the way of a plan.
const maxBlamed = 200

// now returns what a memory is now, after what another program wrote was adopted.
func (p *Planner) now(row int64) (planning.State, error) {
	if p.adopt != nil {
		if err := p.adopt(row); err != nil {
			return planning.State{}, err
		}
	}
	return tables.NowOf(p.Reader, row)
}

// inTheWay notes the change since which the plan of a memory has a conflict of this kind, what it did and who made it: later changes
// may be about other lines.
func (p *Planner) inTheWay(it *Planned, later *versions.LaterChangeError) error {
	var number int
	var n int64
	var made versions.ActorKind
	var kind versions.ChangeKind
	var op versions.Operation
	rows := p.Reader.Rows(`SELECT v.number, v.op, c.number, c.kind, a.kind, `+tables.StateColumns+` FROM version v JOIN change c ON c.id=v.change`+tables.Attributed+`JOIN actor a ON a.id=`+tables.MakerOf+`
		LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? ORDER BY v.number DESC LIMIT ?`, it.Row, maxBlamed)
	var then planning.State
	newer := 0 // the number of the version that the change in the way made
	for range rows.Each(append([]any{&number, &op, &n, &kind, &made}, tables.StateTo(&then)...)...) {
		undone := slices.Contains(p.undone, n)
		switch {
		case newer == 0 && undone:
			continue
		case newer != 0:
			if undone || len(it.Runs) == 0 || number <= it.Runs[0].First {
				return nil
			}
			if then.Redacted {
				continue // nobody can say any more whether it was in the way
			}
			m := planning.Memory{Row: it.Row, Runs: it.Runs, Now: then}
			if err := m.Resolve(p.text); err != nil {
				return err
			}
			if m.Clash != it.Clash {
				return nil
			}
		}
		newer, later.Later, later.Kind, later.By, later.Clash = number, n, kind, made, ofChange(it.Clash, op != versions.Created)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if newer == 0 && len(it.changes) > 0 { // nobody else touched it
		later.Later = slices.Max(it.changes)
	}
	return nil
}

// ofChange returns what the change in the way did of a conflict: a memory that was created again may have been changed only
// after that, and one that was changed may have been deleted and created again. existed says whether it existed before the change.
func ofChange(c planning.Clash, existed bool) planning.Clash {
	switch {
	case !existed && (c == planning.ClashText || c == planning.ClashEdited):
		return planning.ClashRevived
	case existed && c == planning.ClashRevived:
		return planning.ClashEdited
	}
	return c
}
