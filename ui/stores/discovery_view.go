package stores

import (
	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
)

func (d *Discovery) RowsAbove() int { return d.titleRows() }

// AppendAbove draws the column titles.
func (d *Discovery) AppendAbove(dst []byte, _, cols int) []byte {
	return titles(dst, cols, placeTable, d.env.Theme)
}

// note says what is missing in the list, and why.
func (d *Discovery) note() string {
	switch n := len(d.found.Problems); {
	case d.err != nil && d.loaded:
		return d.err.Error()
	case n > 0:
		return "passed over " + draw.Plural(n, "place", "places") + ": " + d.found.Problems[0].Error()
	case d.found.Cut:
		return "there is more than was searched: `memend stores discover DIR` searches DIR"
	}
	return ""
}

// notices returns the text of an empty list.
func (d *Discovery) notices() (out facts) {
	th := d.env.Theme
	switch {
	case d.err != nil:
		out.add(d.err.Error(), th.Error)
	case !d.loaded:
		out.add("looking…", th.Dim)
	default:
		out.add("no other tool keeps memories here", th.Text)
		out.add("Claude Code, Codex, Gemini CLI, Copilot in VS Code and others are looked for", th.Dim)
		out.add("n in the list of stores makes a store of any folder", th.Dim)
	}
	return out
}

var placeTable = draw.Table[*Discovery, *places.Place]{
	{Title: "store", Share: 1, Least: 23, Put: func(d *Discovery, p *places.Place, r draw.Row) draw.Row {
		return putName(r, label(p), state(p), d.style(p), d.env.Theme.Dim)
	}},
	{Title: "project", Share: 2, From: 60, Path: true, Cell: func(d *Discovery, p *places.Place, _ int) (string, theme.Style) { return project(p), d.env.Theme.Dim }},
	{Title: "memories", W: 8, From: 44, Right: true, Cell: func(d *Discovery, p *places.Place, _ int) (string, theme.Style) { return memories(p), d.style(p) }},
	{Title: "size", W: 5, From: 60, Right: true, Cell: func(d *Discovery, p *places.Place, _ int) (string, theme.Style) {
		return draw.Bytes(p.Bytes), d.env.Theme.Dim
	}},
	{Title: "changed", W: 8, Right: true, Cell: func(d *Discovery, p *places.Place, _ int) (string, theme.Style) {
		return draw.Age(d.now, p.Newest), d.env.Theme.Dim
	}},
}

// style returns the style of a row: places that can't be added are dimmed.
func (d *Discovery) style(p *places.Place) theme.Style {
	if !worthAdding(p) {
		return d.env.Theme.Dim
	}
	return d.env.Theme.Text
}

func (d *Discovery) row(r draw.Row, i int) draw.Row { return placeTable.Put(r, d, &d.found.Places[i]) }

// sign marks what is chosen.
func (d *Discovery) sign(i int) string { return chosenSign(d.chosen[d.found.Places[i].Folder]) }

// project returns the project of the memories, or their folder if it is unknown.
func project(p *places.Place) string {
	switch {
	case p.Project != "":
		return p.Project
	case p.Shared:
		return "every project"
	}
	return p.Folder
}

// state returns why a folder can't be added, or else that its project is gone.
func state(p *places.Place) string {
	switch {
	case p.IsStore():
		return "store"
	case p.Within.ID != "":
		return "in " + p.Within.Name
	case p.Unknown != "":
		return "read-only"
	case p.Gone:
		return "project gone"
	}
	return ""
}

// DetailTitle is the name of the folder's store, or the one it would have.
func (d *Discovery) DetailTitle() string {
	if p := d.current(); p != nil {
		return label(p)
	}
	return ""
}

// about returns further facts about the folder under the cursor.
func (d *Discovery) about() (out facts) {
	p, th := d.current(), d.env.Theme
	if p == nil {
		return nil
	}
	out.add(p.Description(), th.Text)
	out.add(filesIn(p.Folder, p.Files), th.Dim)
	if p.Gone {
		out.add("its project is gone: `memend stores merge` merges it into the store of the one that goes on", th.Warn)
	}
	switch {
	case p.IsStore():
		out.add("it is a store already", th.Dim)
	case p.Unknown != "":
		out.add("read-only: "+p.Unknown, th.Warn)
	case !p.CanBeAdded():
		out.add("it lies in the folder of the store "+p.Within.Name+", so that it can't be one itself", th.Warn)
	case p.IsEmpty():
		out.add("it holds no memory yet; a store of it shows them as they come", th.Dim)
	default:
		out.add("nothing in it changes when a store is made of it", th.Dim)
	}
	return out
}
