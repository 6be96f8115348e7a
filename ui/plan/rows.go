package plan

import (
	"errors"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
)

// row is a heading, or the effect of the plan on one memory.
type row struct {
	heading string
	more    string // explanation of a heading
	open    bool   // the rows below a heading are undecided
	item    *versions.PlanItem
	merged  bool
	done    bool
}

func (r *row) conflict() bool { return r.item != nil && r.item.Clash != planning.ClashNone }

// rowsOf lists a plan, undecided conflicts first. If a plan was applied in part, what was done
// has its own heading.
func rowsOf(p *versions.Plan, partly *versions.PartlyError) []row {
	var rows []row
	clean, nothing := ofPlan(p, partly)
	group := func(name string, items []versions.PlanItem, merged bool) {
		if len(items) == 0 {
			return
		}
		name, more, _ := strings.Cut(name, ": ")
		rows = append(rows, row{heading: name + " · " + strconv.Itoa(len(items)), more: more})
		for i := range items {
			rows = append(rows, row{item: &items[i], merged: merged})
		}
	}
	group("conflicts: decide each", p.Conflicts, false)
	if len(rows) > 0 {
		rows[0].open = true
	}
	group("merged: both changes stay", p.Merged, true)
	group("clean", clean, false)
	if partly != nil {
		done := make([]versions.PlanItem, len(partly.Done))
		for i, path := range partly.Done {
			done[i].Now.Path = path
		}
		from := len(rows)
		group("done", done, false)
		for i := range rows[from:] {
			rows[from+i].done = true
		}
	}
	group("as is: nothing to do", nothing, false)
	return rows
}

// ofPlan separates items with an effect from those without one. If a memory is deleted and
// another one is created with the same text at the same path, both together are one unchanged
// memory: a service gives a restored memory a new id. What an earlier attempt did is left out.
func ofPlan(p *versions.Plan, partly *versions.PartlyError) (clean, nothing []versions.PlanItem) {
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

// step moves the cursor and skips headings.
func (p *Pane) step(d int) {
	p.Step(d, len(p.rows), p.places().list.H, p.heading)
	p.fit()
}

func (p *Pane) heading(i int) bool { return p.rows[i].item == nil }

func (p *Pane) appendRow(dst []byte, i, w int) []byte {
	pen := draw.Pen{W: w}
	if i >= len(p.rows) {
		return pen.Space(dst, w)
	}
	r := &p.rows[i]
	if r.item == nil {
		dst = pen.Put(pen.Space(dst, 1), r.heading, p.env.Theme.Heading)
		more := r.more
		if r.open && p.undecided() == 0 {
			more = "all decided"
		}
		if more != "" {
			dst = pen.Put(pen.Space(dst, 2), more, p.env.Theme.Dim)
		}
		return pen.Space(dst, w)
	}
	if i == p.Cur {
		pen.Base = p.env.Theme.Selected.On
		if p.inDiff {
			pen.Base = p.env.Theme.SelectedDim.On
		}
		pen.Plain = pen.Base != ""
		dst = append(dst, pen.Base...)
	}
	label, st := p.label(r)
	dst = pen.Space(dst, 2)
	dst = pen.Clip(dst, label, labelCols, st)
	dst = pen.Space(dst, 2+labelCols+1-pen.Used)
	counts := ""
	if n := r.item.Added; n > 0 && !r.conflict() {
		counts = " +" + strconv.Itoa(n)
	}
	if n := r.item.Removed; n > 0 && !r.conflict() {
		counts += " −" + strconv.Itoa(n)
	}
	room := w - pen.Used - text.Width(counts) - 1
	where := where(r.item)
	if room > 0 {
		buf, cols := draw.ClipStart(nil, where, room, p.env.Theme.Text)
		dst = append(dst, buf...)
		pen.Used += cols
	}
	dst = pen.Space(dst, w-pen.Used-text.Width(counts)-1)
	dst = pen.Put(dst, counts, p.env.Theme.Dim)
	dst = pen.Space(dst, w)
	if pen.Base != "" {
		dst = append(dst, text.Reset...)
	}
	return dst
}

const labelCols = 12

// label returns the effect on a memory.
func (p *Pane) label(r *row) (string, theme.Style) {
	it := r.item
	switch {
	case r.conflict():
		c := p.choices[it.Memory]
		if c.Kind == planning.Undecided {
			return "? decide", p.env.Theme.Warn
		}
		return "✓ " + choiceLabel(c), p.env.Theme.Good
	case r.merged:
		return "± merge", p.env.Theme.Text
	case r.done:
		return "✓ done", p.env.Theme.Good
	case !it.Now.There() && !it.Then.There(), it.Now.Path == it.Then.Path && it.Now.SHA256 == it.Then.SHA256:
		return "= as is", p.env.Theme.Dim
	case !it.Now.There():
		return "+ restore", p.env.Theme.Added
	case !it.Then.There():
		return "− delete", p.env.Theme.Removed
	case it.Now.Path != it.Then.Path:
		return "→ rename", p.env.Theme.Text
	}
	return "~ change", p.env.Theme.Text
}

// where returns the path of a memory, and its new path if it moves.
func where(it *versions.PlanItem) string {
	switch {
	case !it.Now.There() && !it.Then.There() && it.Reason != nil:
		return why(it)
	case !it.Now.There() && it.Then.There():
		return it.Then.Path.String()
	case it.Then.There() && it.Then.Path != it.Now.Path:
		return it.Now.Path.String() + " → " + it.Then.Path.String()
	}
	return it.Now.Path.String()
}

// why returns why a memory conflicts, without repeating the task.
func why(it *versions.PlanItem) string {
	var later *versions.LaterChangeError
	switch {
	case it.Reason == nil:
		return ""
	case errors.As(it.Reason, &later):
		alone := *later
		alone.Change = 0
		return strings.Replace(alone.Error(), later.Path.Tool(), later.Path.String(), 1) // in the notation of all screens
	}
	return it.Reason.Error()
}
