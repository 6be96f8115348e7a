package stores

import (
	"slices"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// noteRows are below the list: that something could not be looked at.
func (d *Discovery) noteRows() int {
	if d.h > 4 && d.note() != "" {
		return 1
	}
	return 0
}

func (d *Discovery) detailRows() int {
	if d.h < 12 {
		return 0
	}
	return min(maxDetails, d.h/3)
}

func (d *Discovery) listHeight() int {
	return max(d.h-headRows-d.noteRows()-d.detailRows(), 0)
}

// note says what is not known of what is listed.
func (d *Discovery) note() string {
	switch n := len(d.found.Problems); {
	case d.err != nil && d.loaded:
		return d.err.Error()
	case n > 0:
		return "passed over " + draw.Plural(n, "place", "places") + ": " + d.found.Problems[0].Error()
	case d.found.Cut:
		return "there is more than is looked at: `memend stores discover DIR` looks at DIR"
	}
	return ""
}

// View is exactly the rows and columns of SetSize.
func (d *Discovery) View() string {
	if d.w <= 0 || d.h <= 0 {
		return ""
	}
	dst := make([]byte, 0, d.h*(d.w*2+32))
	list, notes := d.listHeight(), d.noteRows()
	details, notice := d.details(), d.notice()
	for y := range d.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := d.Top + y - headRows
		switch {
		case y < headRows:
			dst = head(dst, d.w, "project", d.env.Theme)
		case y >= d.h-notes:
			dst = line(dst, d.w, d.note(), d.env.Theme.Warn)
		case y-headRows >= list:
			k := y - headRows - list
			if k < len(details) {
				dst = line(dst, d.w, details[k].text, details[k].style)
			} else {
				dst = text.Spaces(dst, d.w)
			}
		case i < len(d.found.Places):
			dst = d.row(dst, i)
		default:
			dst = styledRow(dst, d.w, notice, i, d.env.Theme)
		}
	}
	return string(dst)
}

// notice stands where no folder is listed.
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
		wrapped(d.w, "Claude Code, Serena, memory banks and Copilot in VS Code are looked for", d.env.Theme.Dim),
		wrapped(d.w, "n in the list of stores makes a store of any folder", d.env.Theme.Dim),
	)
}

func (d *Discovery) row(dst []byte, i int) []byte {
	p := &d.found.Places[i]
	q := draw.Pen{W: d.w}
	style := d.env.Theme.Text
	if !worthAdding(p) {
		style = d.env.Theme.Dim
	}
	dst = d.beginRow(dst, &q, i, "✓", d.chosen[p.Folder], d.env.Theme)
	w := widthsIn(d.w)
	dst = d.name(dst, &q, p, w.name, style)
	if w.folder > 0 {
		dst = folderCell(dst, &q, project(p), w.folder, d.env.Theme.Dim)
	}
	if w.memories {
		dst = q.Right(dst, " "+count(p), memoryCols, style)
	}
	if w.sizes {
		dst = q.Right(dst, " "+draw.Bytes(p.Bytes), sizeCols, d.env.Theme.Dim)
	}
	dst = q.Right(dst, " "+draw.Age(d.now, p.Newest), changedCols, d.env.Theme.Dim)
	return endRow(dst, &q)
}

// project is what the memories are about; of an unknown one the folder must do.
func project(p *places.Place) string {
	switch {
	case p.Project != "":
		return p.Project
	case p.Shared:
		return "every project"
	}
	return p.Folder
}

// name draws what the store is called, or would be; what can't be added says so.
func (d *Discovery) name(dst []byte, q *draw.Pen, p *places.Place, cols int, st theme.Style) []byte {
	state := ""
	switch {
	case p.IsStore():
		state = "store"
	case !p.CanBeAdded():
		state = "in " + p.Within.Name
	}
	if state == "" {
		return nameCell(dst, q, label(p), cols, st)
	}
	stateCols := min(text.Width(text.Field(state))+3, cols/2)
	dst = nameCell(dst, q, label(p), cols-stateCols, st)
	return cell(dst, q, "("+state+")", stateCols, d.env.Theme.Dim)
}

// details are what else is known of the folder under the cursor.
func (d *Discovery) details() []styled {
	p := d.current()
	rows := d.detailRows()
	if p == nil || rows == 0 {
		return nil
	}
	out := []styled{{"", d.env.Theme.Text}, {label(p), d.env.Theme.Title}}
	out = append(out, wrapped(d.w, p.Description(), d.env.Theme.Text)...)
	out = append(out, wrapped(d.w, p.Folder, d.env.Theme.Dim)...)
	switch {
	case p.IsStore():
		out = append(out, styled{"it is a store already", d.env.Theme.Dim})
	case !p.CanBeAdded():
		out = append(out, styled{"it lies in the folder of the store " + p.Within.Name + ", so that it can't be one itself", d.env.Theme.Warn})
	case p.IsEmpty():
		out = append(out, styled{"it holds no memory yet; a store of it shows them as they come", d.env.Theme.Dim})
	default:
		out = append(out, styled{"nothing in it changes when a store is made of it", d.env.Theme.Dim})
	}
	return out[:min(len(out), rows)]
}
