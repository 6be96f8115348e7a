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
	headRows   = 1 // the column titles
	maxDetails = 10
)

var storeTable = draw.Table[*Pane, *versions.StoreInfo]{
	{Title: "store", Share: 1, Least: 23, Put: func(p *Pane, s *versions.StoreInfo, r draw.Row) draw.Row {
		return putName(r, s.Name, p.state(s), p.style(s), p.env.Theme.Dim)
	}},
	{Title: "folder", Share: 2, From: 60, Path: true, Cell: func(p *Pane, s *versions.StoreInfo, _ int) (string, theme.Style) { return where(s), p.env.Theme.Dim }},
	{Title: "memories", W: 8, From: 44, Right: true, Cell: func(p *Pane, s *versions.StoreInfo, _ int) (string, theme.Style) {
		return strconv.Itoa(p.sizes[s.ID].Memories), p.style(s)
	}},
	{Title: "size", W: 5, From: 60, Right: true, Cell: func(p *Pane, s *versions.StoreInfo, _ int) (string, theme.Style) {
		return draw.Bytes(p.sizes[s.ID].Bytes), p.env.Theme.Dim
	}},
	{Title: "changed", W: 8, Right: true, Cell: func(p *Pane, s *versions.StoreInfo, _ int) (string, theme.Style) {
		return draw.Age(p.now, p.sizes[s.ID].Changed), p.env.Theme.Dim
	}},
}

// hostedTable is storeTable for a list with hosted stores.
var hostedTable = func() draw.Table[*Pane, *versions.StoreInfo] {
	t := slices.Clone(storeTable)
	t[1].Title = "folder or service"
	return t
}()

// style returns the style of a row: archived stores are dimmed.
func (p *Pane) style(s *versions.StoreInfo) theme.Style {
	if !s.Archived.IsZero() {
		return p.env.Theme.Dim
	}
	return p.env.Theme.Text
}

func (p *Pane) heads() int     { return headRows }
func (p *Pane) note() []styled { return nil }

// head draws the column titles.
func (p *Pane) head(dst []byte, _ int) []byte {
	table := storeTable
	if slices.ContainsFunc(p.all, versions.StoreInfo.Hosted) {
		table = hostedTable
	}
	return titles(dst, p.w, table, p.env.Theme)
}

// line draws a row with one text.
func line(dst []byte, w int, s string, st theme.Style) []byte {
	q := draw.NewRow(dst, w)
	q.Space(1)
	q.Put(s, st)
	return q.End()
}

func (p *Pane) notice() []styled {
	switch {
	case p.err != nil:
		return []styled{{p.err.Error(), p.env.Theme.Error}}
	case p.all == nil:
		return []styled{{"reading…", p.env.Theme.Dim}}
	}
	s := "no store is called that: " + p.keys.Hint("screen.back") + " shows all"
	makesOne := ", " + p.keys.Hint("list.new") + " makes one"
	if !p.typing && text.Width(s+makesOne)+2 <= p.w { // otherwise the row is the filter's
		s += makesOne
	}
	return []styled{{s, p.env.Theme.Dim}}
}

// filterRow draws the filter.
func filterRow(dst []byte, w int, input *draw.Input, th *theme.Theme) []byte {
	q := draw.NewRow(dst, w)
	q.Put(" / ", th.HintKey)
	q.Input(input, max(q.Left()-1, 1), th.Input)
	return q.End()
}

// titles draws the titles of the columns.
func titles[P, R any](dst []byte, w int, t draw.Table[P, R], th *theme.Theme) []byte {
	r := draw.NewRow(dst, w)
	r.Space(markCols)
	r = t.Titles(r, th.Dim)
	return r.End()
}

// putName draws the name of a store and its state in brackets, if it has one. A long name is cut
// before its suffix in brackets or its last part, because these identify the store's state or owner.
func putName(r draw.Row, name, state string, st, dim theme.Style) draw.Row {
	name = text.Field(name)
	cols := r.Left() // of the name
	if state != "" {
		state = "(" + text.Field(state) + ")"
		cols -= min(text.Width(state)+1, cols-min(text.Width(name), cols/2))
	}
	i := strings.LastIndex(name, " (")
	if i < 0 {
		i = strings.LastIndexByte(name, '-')
	}
	if i <= 0 || text.Width(name) <= cols || text.Width(name[i:]) > (cols+1)/2 {
		r.Clip(name, cols, st)
	} else {
		r.Clip(name[:i], cols-text.Width(name[i:]), st)
		r.Put(name[i:], st)
	}
	if state != "" {
		r.Space(1)
		r.Put(state, dim)
	}
	return r
}

func (p *Pane) row(dst []byte, i int) []byte {
	s := &p.all[p.listed[i]]
	r := storeTable.Put(p.beginRow(dst, i, "▸", s.ID == p.open), p, s)
	return r.End()
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
	if p.more != nil && s.ID == p.open {
		out = append(out, styled{p.more(), p.env.Theme.Text})
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
