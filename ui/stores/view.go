package stores

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

const (
	headRows    = 1 // the column titles
	maxDetails  = 10
	memoryCols  = 9
	sizeCols    = 6
	changedCols = 9
)

func (p *Pane) listHeight() int { return max(p.h-headRows-p.filterRows()-p.detailRows(), 0) }

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	return p.frame(parts{
		heads: []func([]byte) []byte{func(dst []byte) []byte { return head(dst, p.w, p.column(), p.env.Theme) }},
		n:     len(p.rows), row: p.row, notice: []styled{p.notice()}, details: p.details(),
	})
}

// line draws a row with one text.
func line(dst []byte, w int, s string, st theme.Style) []byte {
	q := draw.Pen{W: w}
	dst = q.Put(q.Space(dst, 1), s, st)
	return q.Space(dst, w)
}

func (p *Pane) notice() styled {
	switch {
	case p.err != nil:
		return styled{p.err.Error(), p.env.Theme.Error}
	case p.all == nil:
		return styled{"reading…", p.env.Theme.Dim}
	}
	s := "no store is called that: " + p.keys.Hint("screen.back") + " shows all"
	makesOne := ", " + p.keys.Hint("list.new") + " makes one"
	if !p.typing && text.Width(s+makesOne)+2 <= p.w { // otherwise the row is the filter's
		s += makesOne
	}
	return styled{s, p.env.Theme.Dim}
}

// filterRow draws the filter.
func filterRow(dst []byte, w int, input *draw.Input, th *theme.Theme) []byte {
	q := draw.Pen{W: w}
	dst = q.Put(dst, " / ", th.HintKey)
	if cols := w - q.Used; cols > 0 {
		in, _ := input.Append(nil, max(cols-1, 1), th.Input)
		dst = append(dst, in...)
		q.Used += max(cols-1, 1)
	}
	return q.Space(dst, w)
}

// widths are the widths of the name and the folder, and which other columns fit.
type widths struct {
	name, folder    int
	memories, sizes bool
}

// widthsIn returns the columns of a list that is cols wide.
func widthsIn(cols int) widths {
	w := widths{memories: cols >= 44, sizes: cols >= 60}
	room := cols - 4 - changedCols
	if w.memories {
		room -= memoryCols
	}
	if w.sizes {
		room -= sizeCols
	}
	w.name = max(room, 0)
	if cols >= 60 {
		w.name = min(max(24, room/3), room/2)
		w.folder = room - w.name
	}
	return w
}

// head draws the column titles of a list in cols columns; where is the title of the second
// column.
func head(dst []byte, cols int, where string, th *theme.Theme) []byte {
	q := draw.Pen{W: cols}
	w := widthsIn(cols)
	dst = q.Space(dst, 3)
	dst = cell(dst, &q, "store", w.name, th.Dim)
	if w.folder > 0 {
		dst = cell(dst, &q, where, w.folder, th.Dim)
	}
	if w.memories {
		dst = q.Right(dst, "memories", memoryCols, th.Dim)
	}
	if w.sizes {
		dst = q.Right(dst, "size", sizeCols, th.Dim)
	}
	dst = q.Right(dst, "changed", changedCols, th.Dim)
	return q.Space(dst, cols)
}

// cell draws s in exactly cols columns, the last of them blank.
func cell(dst []byte, q *draw.Pen, s string, cols int, st theme.Style) []byte {
	from := q.Used
	dst = q.Clip(dst, s, cols-1, st)
	return q.Space(dst, cols-(q.Used-from))
}

// nameCell draws the name of a store in exactly cols columns, the last of them blank. A long
// name is cut before its suffix in brackets or its last part, because these identify the store's
// state or owner.
func nameCell(dst []byte, q *draw.Pen, name string, cols int, st theme.Style) []byte {
	name = text.Field(name)
	i := strings.LastIndex(name, " (")
	if i < 0 {
		i = strings.LastIndexByte(name, '-')
	}
	if i <= 0 || text.Width(name) < cols || text.Width(name[i:]) > cols/2 {
		return cell(dst, q, name, cols, st)
	}
	from := q.Used
	dst = q.Clip(dst, name[:i], cols-1-text.Width(name[i:]), st)
	dst = q.Put(dst, name[i:], st)
	return q.Space(dst, cols-(q.Used-from))
}

// folderCell draws the end of a folder in exactly cols columns, the last of them blank.
func folderCell(dst []byte, q *draw.Pen, folder string, cols int, st theme.Style) []byte {
	from := q.Used
	b, used := draw.ClipStart(nil, folder, cols-1, st)
	if !q.Plain {
		dst = append(dst, st.On...)
	}
	dst = append(dst, b...)
	if !q.Plain {
		dst = append(dst, st.Off...)
	}
	q.Used += used
	return q.Space(dst, cols-(q.Used-from))
}

func (p *Pane) row(dst []byte, i int) []byte {
	s := &p.all[p.rows[i]]
	q := draw.Pen{W: p.w}
	style := p.env.Theme.Text
	if !s.Archived.IsZero() {
		style = p.env.Theme.Dim
	}
	dst = p.beginRow(dst, &q, i, "▸", s.ID == p.open, p.env.Theme)
	w, z := widthsIn(p.w), p.sizes[s.ID]
	dst = stateCell(dst, &q, s.Name, p.state(s), w.name, style, p.env.Theme.Dim)
	if w.folder > 0 {
		dst = folderCell(dst, &q, where(s), w.folder, p.env.Theme.Dim)
	}
	if w.memories {
		dst = q.Right(dst, " "+strconv.Itoa(z.Memories), memoryCols, style)
	}
	if w.sizes {
		dst = q.Right(dst, " "+draw.Bytes(z.Bytes), sizeCols, p.env.Theme.Dim)
	}
	dst = q.Right(dst, " "+draw.Age(p.now, z.Changed), changedCols, p.env.Theme.Dim)
	return endRow(dst, &q)
}

// stateCell draws a name, and its state in brackets, in cols columns.
func stateCell(dst []byte, q *draw.Pen, name, state string, cols int, st, dim theme.Style) []byte {
	if state == "" {
		return nameCell(dst, q, name, cols, st)
	}
	most := cols - min(text.Width(text.Field(name))+1, cols/2)
	stateCols := min(text.Width(text.Field(state))+3, most)
	from := q.Used
	dst = nameCell(dst, q, name, min(text.Width(text.Field(name))+1, cols-stateCols), st)
	dst = cell(dst, q, "("+state+")", stateCols, dim)
	return q.Space(dst, cols-(q.Used-from))
}

// state returns the state of a store if it is unusual.
func (p *Pane) state(s *versions.StoreInfo) string {
	var states []string
	if s.Hosted() {
		if name := troubleNames[p.trouble(s.ID)]; name != "" {
			states = append(states, name)
		}
	}
	if state := branchState(p.branches[s.ID]); state != "" {
		states = append(states, state)
	}
	if s.LeftUpstream > 0 {
		states = append(states, "redacting")
	}
	if !s.Archived.IsZero() {
		states = append(states, "archived")
	}
	return strings.Join(states, ", ")
}

// column returns the title of the column of folders.
func (p *Pane) column() string {
	if slices.ContainsFunc(p.all, versions.StoreInfo.Hosted) {
		return "folder or service"
	}
	return "folder"
}

// trouble returns the problem with the service of a store, as of the last request.
func (p *Pane) trouble(id versions.StoreID) versions.Trouble {
	if t, ok := p.tried[id]; ok {
		return t
	}
	return p.syncStates[id].Trouble
}

// where returns the folder of a store, or the service of a hosted one.
func where(s *versions.StoreInfo) string {
	if s.Hosted() {
		return s.Upstream.URL
	}
	return s.Folder
}

// location describes where a store is: in a folder here, or at a service.
func location(s *versions.StoreInfo) string {
	if !s.Hosted() {
		return filesIn(s.Folder, s.Files)
	}
	at := "hosted at " + s.Upstream.URL
	if s.Title != "" {
		at += " as " + s.Title
	}
	return at
}

// filesIn describes a folder of which only some files may be memories.
func filesIn(folder string, files memfs.Names) string {
	if files.All() {
		return folder
	}
	return folder + ", only " + files.String()
}

// syncStateLine describes the state of a hosted store relative to its service.
func (p *Pane) syncStateLine(s *versions.StoreInfo) styled {
	seen := p.syncStates[s.ID].Seen
	known, style := "never read from there yet: "+p.keys.Hint("mirror")+" brings all that it has", p.env.Theme.Warn
	if !seen.IsZero() {
		known, style = "as its service had it "+ago(draw.Age(p.now, seen)), p.env.Theme.Dim
	}
	if name := troubleNames[p.trouble(s.ID)]; name != "" {
		return styled{"! " + name + " · " + known, p.env.Theme.Warn}
	}
	return styled{known, style}
}

// whyLines says why the service of a store can't be used, and what to do.
func (p *Pane) whyLines(s *versions.StoreInfo) []styled {
	st := p.syncStates[s.ID]
	if st.Why == nil || p.trouble(s.ID) != st.Trouble {
		return nil
	}
	f := faultOf(st.Why, st.Service)
	return wrapped(p.w, join(f.what, f.do), p.env.Theme.Text)
}

func ago(age string) string {
	if age == "" || age == "now" {
		return "just now"
	}
	return age + " ago"
}

type styled struct {
	text  string
	style theme.Style
}

// details returns further facts about the store under the cursor.
func (p *Pane) details() []styled {
	s := p.current()
	rows := p.detailRows()
	if s == nil || rows == 0 {
		return nil
	}
	z := p.sizes[s.ID]
	out := []styled{{"", p.env.Theme.Text}, {s.Name, p.env.Theme.Title}}
	if s.Description != "" {
		out = append(out, wrapped(p.w, s.Description, p.env.Theme.Text)...)
	}
	out = append(out, wrapped(p.w, location(s), p.env.Theme.Dim)...)
	if s.Hosted() {
		out = append(out, p.syncStateLine(s))
		out = append(out, p.whyLines(s)...)
	}
	out = append(out, p.branchLines(s.ID)...)
	if p.note != nil && s.ID == p.open {
		out = append(out, styled{p.note(), p.env.Theme.Text})
	}
	if s.LeftUpstream > 0 {
		out = append(out, styled{"its service has not erased " + draw.Plural(s.LeftUpstream, "redacted version", "redacted versions") + " yet", p.env.Theme.Warn})
	}
	made := "made " + s.Created.In(p.now.Location()).Format("2006-01-02") + " · " + draw.Plural(int(z.Changes), "change", "changes") +
		" · " + draw.Plural(z.Memories, "memory", "memories") + " of " + draw.TokenCount(z.Bytes)
	out = append(out, styled{made, p.env.Theme.Dim}, styled{string(s.ID), p.env.Theme.Dim})
	out = append(out, p.archived(s.Archived)...)
	out = append(out, p.metadata(s.Metadata)...)
	return out[:min(len(out), rows)]
}

// wrapped wraps a text into at most three lines.
func wrapped(w int, s string, st theme.Style) []styled { return broken(w, s, st, 3) }

// broken wraps a text into at most that many lines.
func broken(w int, s string, st theme.Style, most int) (out []styled) {
	rows := text.Wrap(nil, s, max(w-2, 1), 0, most)
	for i, from := range rows {
		to := len(s)
		if i+1 < len(rows) {
			to = rows[i+1]
		}
		out = append(out, styled{s[from:to], st})
	}
	return out
}
