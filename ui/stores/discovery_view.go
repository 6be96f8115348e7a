package stores

import (
	"slices"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
)

func (d *Discovery) heads() int { return headRows }

// head draws the column titles.
func (d *Discovery) head(dst []byte, _ int) []byte { return titles(dst, d.w, placeTable, d.env.Theme) }

// note returns the row below the list, if there is room: an error of the search.
func (d *Discovery) note() []styled {
	if note := d.missing(); d.h > 4 && note != "" {
		return []styled{{note, d.env.Theme.Warn}}
	}
	return nil
}

// missing returns what is missing in the list, and why.
func (d *Discovery) missing() string {
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

// notice returns the text of an empty list.
func (d *Discovery) notice() []styled {
	switch {
	case len(d.found.Places) > 0:
		return nil
	case d.err != nil:
		return wrapped(d.w, d.err.Error(), d.env.Theme.Error)
	case !d.loaded:
		return wrapped(d.w, "looking…", d.env.Theme.Dim)
	}
	return slices.Concat(
		wrapped(d.w, "no other tool keeps memories here", d.env.Theme.Text),
		wrapped(d.w, "Claude Code, Codex, Gemini CLI, Copilot in VS Code and others are looked for", d.env.Theme.Dim),
		wrapped(d.w, "n in the list of stores makes a store of any folder", d.env.Theme.Dim),
	)
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

func (d *Discovery) row(dst []byte, i int) []byte {
	p := &d.found.Places[i]
	r := placeTable.Put(d.beginRow(dst, i, "✓", d.chosen[p.Folder]), d, p)
	return r.End()
}

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

// details returns further facts about the folder under the cursor.
func (d *Discovery) details() []styled {
	p := d.current()
	rows := d.detailRows()
	if p == nil || rows == 0 {
		return nil
	}
	out := []styled{{"", d.env.Theme.Text}, {label(p), d.env.Theme.Title}}
	out = append(out, wrapped(d.w, p.Description(), d.env.Theme.Text)...)
	out = append(out, wrapped(d.w, filesIn(p.Folder, p.Files), d.env.Theme.Dim)...)
	if p.Gone {
		out = append(out, wrapped(d.w, "its project is gone: `memend stores merge` merges it into the store of the one that goes on", d.env.Theme.Warn)...)
	}
	switch {
	case p.IsStore():
		out = append(out, styled{"it is a store already", d.env.Theme.Dim})
	case p.Unknown != "":
		out = append(out, wrapped(d.w, "read-only: "+p.Unknown, d.env.Theme.Warn)...)
	case !p.CanBeAdded():
		out = append(out, styled{"it lies in the folder of the store " + p.Within.Name + ", so that it can't be one itself", d.env.Theme.Warn})
	case p.IsEmpty():
		out = append(out, styled{"it holds no memory yet; a store of it shows them as they come", d.env.Theme.Dim})
	default:
		out = append(out, styled{"nothing in it changes when a store is made of it", d.env.Theme.Dim})
	}
	return out[:min(len(out), rows)]
}
