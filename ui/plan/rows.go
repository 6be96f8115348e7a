package plan

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// row is a heading, a folder, or the effect of the plan on one memory.
type row struct {
	heading string
	more    string     // explanation of a heading
	open    bool       // the rows below a heading are undecided
	folder  memfs.Path // of the rows below
	item    *versions.PlanItem
	inside  bool // the row above names the item's folder
	effect  effect
}

// effect is what a plan does to a memory.
type effect uint8

const (
	conflicts effect = iota
	merges
	changes
	deletes
	restores
	renames
	isDone
	nothing
)

func (r *row) conflict() bool { return r.item != nil && r.effect == conflicts }

// optional reports whether the memory can be left out.
func (r *row) optional() bool { return r.item != nil && r.effect < isDone }

// effectOf returns what a plan does to a memory without a conflict.
func effectOf(it *versions.PlanItem) effect {
	switch {
	case !it.Now.There() && !it.Then.There(), it.Now.Path == it.Then.Path && it.Now.SHA256 == it.Then.SHA256:
		return nothing
	case !it.Now.There():
		return restores
	case !it.Then.There():
		return deletes
	case it.Now.SHA256 == it.Then.SHA256:
		return renames
	}
	return changes
}

// sections are the headings, in the order in which they deserve attention.
var sections = []struct {
	name, more string
	holds      []effect
}{
	{"conflicts", "decide each", []effect{conflicts}},
	{"changed", "", []effect{merges, changes}},
	{"deleted", "", []effect{deletes}},
	{"restored", "", []effect{restores}},
	{"renamed", "", []effect{renames}},
	{"done", "", []effect{isDone}},
	{"as is", "nothing to do", []effect{nothing}},
}

// rowsOf lists a plan. If a plan was applied in part, what was done has its own heading.
func rowsOf(p *plan.Plan, partly *versions.PartlyError) []row {
	var all []row
	add := func(items []versions.PlanItem, of func(*versions.PlanItem) effect) {
		for i := range items {
			all = append(all, row{item: &items[i], effect: of(&items[i])})
		}
	}
	as := func(e effect) func(*versions.PlanItem) effect { return func(*versions.PlanItem) effect { return e } }
	clean, same := ofPlan(p, partly)
	add(p.Conflicts, as(conflicts))
	add(p.Merged, as(merges))
	add(clean, effectOf)
	add(same, as(nothing))
	if partly != nil {
		done := make([]versions.PlanItem, len(partly.Done))
		for i, path := range partly.Done {
			done[i].Now.Path = path
		}
		add(done, as(isDone))
	}
	var rows []row
	for _, s := range sections {
		var in []row
		for _, r := range all {
			if slices.Contains(s.holds, r.effect) {
				in = append(in, r)
			}
		}
		if len(in) > 0 {
			if s.holds[0] == restores && p.Held != 0 {
				s.name = "created"
			}
			if s.holds[0] >= isDone { // totals counts the others
				s.name += " · " + strconv.Itoa(len(in))
			}
			rows = append(rows, row{heading: s.name, more: s.more, open: s.holds[0] == conflicts})
			rows = append(rows, byFolder(in)...)
		}
	}
	return rows
}

// byFolder sorts rows by path. Several rows of one folder get a row with its path above them.
func byFolder(rows []row) []row {
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(pathOf(a.item).Dir().String(), pathOf(b.item).Dir().String()), strings.Compare(pathOf(a.item).String(), pathOf(b.item).String()))
	})
	var out []row
	for i := 0; i < len(rows); {
		j, dir := i, pathOf(rows[i].item).Dir()
		for j < len(rows) && pathOf(rows[j].item).Dir() == dir {
			j++
		}
		if j-i > 1 && !dir.IsRoot() {
			out = append(out, row{folder: dir})
			for k := range rows[i:j] {
				rows[i+k].inside = true
			}
		}
		out = append(out, rows[i:j]...)
		i = j
	}
	return out
}

// pathOf returns the path under which a plan lists a memory: the current one, else the one where
// it comes back.
func pathOf(it *versions.PlanItem) memfs.Path {
	if !it.Now.There() && it.Then.There() {
		return it.Then.Path
	}
	return it.Now.Path
}

// totals counts what the plan does, without what is left out.
func (p *Pane) totals() string {
	var counts [nothing + 1]int
	out := 0
	for i := range p.rows {
		r := &p.rows[i]
		switch {
		case r.item == nil:
		case p.choices[r.item.Memory].Kind == planning.Skip && r.optional():
			out++
		default:
			counts[r.effect]++
		}
	}
	var parts []string
	for _, c := range []struct {
		n    int
		name string
	}{
		{counts[deletes], "deleted"}, {counts[restores], p.comesBack("restored", "created")}, {counts[changes] + counts[merges], "changed"}, {counts[renames], "renamed"},
	} {
		if c.n > 0 {
			parts = append(parts, strconv.Itoa(c.n)+" "+c.name)
		}
	}
	if n := counts[conflicts]; n > 0 {
		s := draw.Plural(n, "conflict", "conflicts")
		if n := p.undecided(); n > 0 {
			s += ", " + strconv.Itoa(n) + " to decide"
		}
		parts = append(parts, s)
	}
	if out > 0 {
		parts = append(parts, strconv.Itoa(out)+" left out")
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, " · ")
}

// ofPlan separates items with an effect from those without one. If a memory is deleted and
// another one is created with the same text at the same path, both together are one unchanged
// memory: a service gives a restored memory a new id. What an earlier attempt did is left out.
func ofPlan(p *plan.Plan, partly *versions.PartlyError) (clean, nothing []versions.PlanItem) {
	type place struct {
		path memfs.Path
		sha  versions.Hash
	}
	leaves, done := map[place]bool{}, map[memfs.Path]bool{}
	for _, it := range p.Clean {
		if it.Now.There() && !it.Then.There() {
			leaves[place{it.Now.Path, it.Now.SHA256}] = true
		}
	}
	if partly != nil {
		for _, path := range partly.Done {
			done[path] = true
		}
	}
	stays := map[place]bool{}
	for _, it := range p.Clean {
		if at := (place{it.Then.Path, it.Then.SHA256}); !it.Now.There() && leaves[at] {
			stays[at] = true
			if it.Now = it.Then; !done[it.Now.Path] {
				nothing = append(nothing, it)
			}
		}
	}
	for _, it := range p.Clean {
		now, then := place{it.Now.Path, it.Now.SHA256}, place{it.Then.Path, it.Then.SHA256}
		if it.Now.There() && !it.Then.There() && stays[now] || !it.Now.There() && stays[then] {
			continue
		}
		clean = append(clean, it)
	}
	for _, it := range p.Nothing {
		if partly != nil && (!it.Now.There() && !it.Then.There() || done[it.Now.Path]) {
			continue
		}
		nothing = append(nothing, it)
	}
	return clean, nothing
}

// current returns the row under the cursor, or nil if there is none.
func (p *Pane) current() *row {
	if p.Cur < len(p.rows) && p.rows[p.Cur].item != nil {
		return &p.rows[p.Cur]
	}
	return nil
}

// AppendRow draws a row.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	c, ok := p.Split.Row(dst, i, w)
	if !ok {
		return c.End()
	}
	r := &p.rows[i]
	switch {
	case r.item == nil && r.heading == "":
		c.Space(2)
		c.Put(shortened(r.folder.String()+"/", c.Left()-1), p.env.Theme.Dim)
		return c.End()
	case r.item == nil:
		c.Space(1)
		c.Put(r.heading, p.env.Theme.Heading)
		more := r.more
		if r.open && p.undecided() == 0 {
			more = "all decided"
		}
		if more != "" {
			c.Put("  "+more, p.env.Theme.Dim)
		}
		return c.End()
	}
	label, st := p.label(r)
	c.Space(2)
	c.Column(label, labelCols, st)
	counts := r.counts()
	style := p.env.Theme.Text
	if p.choices[r.item.Memory].Kind == planning.Skip {
		style = p.env.Theme.Dim
	}
	c.Put(shortened(r.name(), c.Left()-text.Width(counts)-1), style)
	c.Space(c.Left() - text.Width(counts) - 1)
	c.Put(counts, p.env.Theme.Dim)
	return c.End()
}

// counts returns how many lines are added and removed.
func (r *row) counts() (s string) {
	if n := r.item.Added; n > 0 && !r.conflict() {
		s = " +" + strconv.Itoa(n)
	}
	if n := r.item.Removed; n > 0 && !r.conflict() {
		s += " −" + strconv.Itoa(n)
	}
	return s
}

// needs returns the columns of a row with nothing cut.
func (r *row) needs() int {
	switch {
	case r.item != nil:
		return 2 + labelCols + 1 + text.Width(text.Field(r.name())) + text.Width(r.counts()) + 1
	case r.heading == "":
		return 2 + text.Width(text.Field(r.folder.String()+"/")) + 1
	}
	return 0
}

// shortened cuts the middle of a path, where it says least: the folders before the name, if the
// name fits.
func shortened(path string, cols int) string {
	path = text.Field(path)
	if i := strings.LastIndexByte(path, '/'); i > 0 && text.Width(path) > cols {
		if room := cols - text.Width(path[i:]) - 1; room >= 2 {
			head, _ := text.Clip(nil, path[:i], room)
			return string(head) + "…" + path[i:]
		}
	}
	return string(text.ClipMiddle(nil, path, max(cols, 1)))
}

// name returns the path of the row's memory, or its end if a row above has the folder.
func (r *row) name() string {
	path := where(r.item)
	if !r.inside {
		return path
	}
	return strings.TrimPrefix(path, pathOf(r.item).Dir().String()+"/")
}

const labelCols = 12

// comesBack returns the word for a memory that does not exist now: only some plans restore it, others create it.
func (p *Pane) comesBack(restore, create string) string {
	if p.plan != nil && !p.plan.Restores() {
		return create
	}
	return restore
}

// label returns the effect on a memory, or what was decided.
func (p *Pane) label(r *row) (string, theme.Style) {
	th := p.env.Theme
	c := p.choices[r.item.Memory]
	switch {
	case r.effect == isDone:
		return "✓ done", th.Good
	case r.effect == nothing:
		return "= as is", th.Dim
	case c.Kind == planning.Skip:
		return "· left out", th.Dim
	case r.conflict() && c.Kind == planning.Undecided:
		return "? decide", th.Warn
	case r.conflict():
		return "✓ " + choiceLabel(c, p.then()), th.Good
	}
	switch r.effect {
	case merges:
		return "± merge", th.Text
	case restores:
		return "+ " + p.comesBack("restore", "create"), th.Added
	case deletes:
		return "− delete", th.Removed
	case renames:
		return "→ rename", th.Text
	}
	return "~ change", th.Text
}

// where returns the path of a memory, and its new path if it moves.
func where(it *versions.PlanItem) string {
	switch {
	case !it.Now.There() && !it.Then.There() && it.Reason != nil:
		return why(it)
	case it.Now.There() && it.Then.There() && it.Then.Path != it.Now.Path:
		return it.Now.Path.String() + " → " + it.Then.Path.String()
	}
	return pathOf(it).String()
}

// why returns why a memory conflicts, without repeating the task.
func why(it *versions.PlanItem) string {
	var later *versions.LaterChangeError
	switch {
	case it.Reason == nil:
		return ""
	case errors.As(it.Reason, &later):
		return later.Obstacle(later.Path.String())
	}
	return it.Reason.Error()
}
