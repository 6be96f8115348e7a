package stores

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
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

func (p *Pane) RowsAbove() int { return p.titleRows() }

// note returns why the list could not be read again.
func (p *Pane) note() string {
	if p.err == nil || p.all == nil {
		return ""
	}
	return p.err.Error()
}

// AppendAbove draws the column titles.
func (p *Pane) AppendAbove(dst []byte, _, cols int) []byte {
	table := storeTable
	if slices.ContainsFunc(p.all, versions.StoreInfo.Hosted) {
		table = hostedTable
	}
	return titles(dst, cols, table, p.env.Theme)
}

// line draws a row with one text.
func line(dst []byte, w int, s string, st theme.Style) []byte {
	q := draw.NewRow(dst, w)
	q.Space(1)
	q.Put(s, st)
	return q.End()
}

func (p *Pane) notices() (out facts) {
	switch {
	case p.err != nil:
		out.add(p.err.Error(), p.env.Theme.Error)
	case p.all == nil:
		out.add("reading…", p.env.Theme.Dim)
	default:
		s := "no store matches: " + p.keys.Hint("screen.back") + " shows all"
		if !p.typing { // otherwise it is text
			s += ", " + p.keys.Hint("list.new") + " makes one"
		}
		out.add(s, p.env.Theme.Dim)
	}
	return out
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

func (p *Pane) row(r draw.Row, i int) draw.Row { return storeTable.Put(r, p, &p.all[p.listed[i]]) }

// sign marks the current store.
func (p *Pane) sign(i int) string {
	if p.all[p.listed[i]].ID == p.open {
		return "▸"
	}
	return ""
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

// syncState describes the state of a hosted store relative to its service.
func (p *Pane) syncState(s *versions.StoreInfo) split.Fact {
	seen, th := p.syncStates[s.ID].Seen, p.env.Theme
	known, style := "never read from there yet: "+p.keys.Hint("mirror")+" brings all that it has", th.Warn
	if !seen.IsZero() {
		known, style = "as its service had it "+ago(draw.Age(p.now, seen)), th.Dim
	}
	if name := troubleNames[p.trouble(s.ID)]; name != "" {
		return split.Fact{Text: "! " + name + " · " + known, Style: th.Warn}
	}
	return split.Fact{Text: known, Style: style}
}

// why says why the service of a store can't be used, and what to do; "" if it can be.
func (p *Pane) why(s *versions.StoreInfo) string {
	st := p.syncStates[s.ID]
	if st.Why == nil || p.trouble(s.ID) != st.Trouble {
		return ""
	}
	f := faultOf(st.Why, st.Service)
	return join(f.what, f.do)
}

func ago(age string) string {
	if age == "" || age == "now" {
		return "just now"
	}
	return age + " ago"
}

// DetailTitle is the name of the store under the cursor.
func (p *Pane) DetailTitle() string {
	if s := p.current(); s != nil {
		return s.Name
	}
	return ""
}

// about returns further facts about the store under the cursor.
func (p *Pane) about() (out facts) {
	s, th := p.current(), p.env.Theme
	if s == nil {
		return nil
	}
	z := p.sizes[s.ID]
	out.add(s.Description, th.Text)
	out.add(location(s), th.Dim)
	if s.Hosted() {
		out = append(out, p.syncState(s))
		out.add(p.why(s), th.Text)
	}
	out = append(out, p.branchFacts(s.ID)...)
	if p.more != nil && s.ID == p.open {
		out.add(p.more(), th.Text)
	}
	if s.LeftUpstream > 0 {
		out.add("its service has not erased "+draw.Plural(s.LeftUpstream, "redacted version", "redacted versions")+" yet", th.Warn)
	}
	out.add("made "+s.Created.In(p.now.Location()).Format("2006-01-02")+" · "+draw.Plural(int(z.Changes), "change", "changes")+
		" · "+draw.Plural(z.Memories, "memory", "memories")+" of "+draw.TokenCount(z.Bytes), th.Dim)
	out.add(string(s.ID), th.Dim)
	out.add(p.archived(s.Archived), th.Warn)
	out.add(metadata(s.Metadata), th.Dim)
	return out
}
