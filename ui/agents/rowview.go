package agents

import (
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// emptiness returns why the list is empty.
func (p *Pane) emptiness() []string {
	s := &p.stream
	switch {
	case s.err != nil:
		return []string{"Can't be read: " + s.err.Error()}
	case p.loads.page.Waiting() || !s.done:
		return []string{"…"}
	case p.query.text != "":
		return text.Rows("Nothing gets through the filter. "+p.acts.Hint("pane.back")+" clears it.", p.arrange().stream.W-2, 3)
	case s.session != "":
		return text.Rows("This session did nothing here that is still known.", p.arrange().stream.W-2, 3)
	}
	if p.host.Manager != nil {
		return p.askFirst()
	}
	return []string{
		"Nobody has read or written here yet.",
		"Agents come in by `memend tool`;",
		"what other programs write into the",
		"folder shows as well, as it happens.",
	}
}

// askFirst returns how to start an agent, or why that is impossible.
func (p *Pane) askFirst() []string {
	if err := p.talks.notReady; err != nil {
		s := "No agent can be asked: " + err.Error()
		if !p.lacksCredentials() {
			s = "The Messages API did not answer: " + err.Error() + ". Check the network and ANTHROPIC_BASE_URL; " + p.about.Hint("new") + " starts an agent anyway."
		}
		if hint := talk.Advice(err); hint != "" {
			s += ". " + strings.ToUpper(hint[:1]) + hint[1:] + "."
		}
		return text.Rows(text.Field(s), p.arrange().stream.W-2, 8)
	}
	return []string{"Nobody has read or written here yet.", p.about.Hint("new") + " starts an agent."}
}

// appendRow draws a row of the stream; y is relative to the window.
func (p *Pane) appendRow(dst []byte, i, y, w int) []byte {
	s := &p.stream
	a, ok := s.at(i)
	if !ok {
		l := draw.NewRow(dst, w)
		if words := p.emptiness(); s.len() == 0 && y < len(words) {
			l.Put(" "+words[y], p.env.Theme.Dim)
		} else if i == s.len() && p.loads.page.Waiting() {
			l.Put(" …", p.env.Theme.Dim)
		}
		return l.End()
	}
	l := draw.NewRow(dst, w)
	if i == s.Cur {
		st := p.env.Theme.SelectedDim
		if p.focused && p.part == inStream {
			st = p.env.Theme.Selected
		}
		l = draw.StyledRow(dst, w, st)
	}
	p.activity(&l, a)
	return l.End()
}

// Columns. Those that don't fit are left out.
const (
	clockCols   = 8
	ageCols     = 4
	kindCols    = 8
	versionCols = 4
	linesCols   = 5
	whoCols     = 16
	nameOnly    = 13 // of a name without the sign of its kind; the name matters more than the line counts
	briefCols   = 6
	toolCols    = 12
)

func (p *Pane) activity(l *draw.Row, a *versions.Activity) {
	p.when(l, a.Time)
	sign, style := p.sign(a)
	l.Column(sign, 1, style)
	least := min(max(12, l.W*2/5), 32) // the path matters most
	everybody := p.stream.session == ""
	brief := everybody && l.Left()-least-1 < whoCols+1 // the first letters of the name before the path
	if brief {
		least--
	}
	room := l.Left() - least - 1
	take := func(cols int) bool { // reserves a column if there is room for it
		if room < cols+1 {
			return false
		}
		room -= cols + 1
		return true
	}
	who := everybody && !brief && take(whoCols)
	name := nameOnly
	if brief && !take(name) {
		name = briefCols
		take(name)
	}
	each := linesCols
	if brief {
		each--
	}
	lines := take(2*each + 1)
	version := take(versionCols)
	kind := take(kindCols)
	tool := take(toolCols)
	if kind {
		l.Column(kindOf(a), kindCols, p.env.Theme.Text)
	}
	if brief {
		l.Column(actors.Fitting(actors.Short(a.Actor), name), name, p.env.Theme.Actor(string(a.Actor.Kind)))
	}
	path := p.env.Theme.Text
	if !a.Read && a.Change.UndoneBy != 0 {
		path = p.env.Theme.Dim
	}
	cols := least + max(0, room)
	if state, st := p.state(a); !lines && state != "" { // no column shows the state
		l.Put(state+" ", st)
		cols -= text.Width(state) + 1
	}
	what := whatOf(a)
	if named := wording.Verb(a.Change) + " " + what; !kind && !a.Read && a.Change.Undoes != 0 && text.Width(named) < cols { // no column names the act
		what = named
	}
	if len(a.Paths) > 0 && a.Change.Kind != versions.KindRename { // the first path matters most
		l.Column(what, max(cols, 0), path)
	} else {
		l.PathColumn(what, max(cols, 0), path)
	}
	if version {
		v := ""
		if a.Number > 0 {
			v = "v" + strconv.Itoa(a.Number)
		}
		l.Column(v, versionCols, p.env.Theme.Dim)
	}
	if lines {
		p.lines(l, a, each)
	}
	if tool {
		l.Column(draw.ShortID(a.ToolUse, toolCols), toolCols, p.env.Theme.Dim)
	}
	if who {
		l.Column(actors.Fitting(actors.Maker(a.Actor, a.Change.Inferred), whoCols), whoCols, p.env.Theme.Actor(string(a.Actor.Kind)))
	}
}

// when puts the time of day, or the date if it was another day. If there is little room, it
// puts the age.
func (p *Pane) when(l *draw.Row, t time.Time) {
	now := p.clock()
	if l.W < 56 {
		l.Column(draw.Age(now, t), ageCols, p.env.Theme.Dim)
		return
	}
	local := t.In(now.Location())
	if y, d := local.Year(), local.YearDay(); y == now.Year() && d == now.YearDay() {
		l.Column(local.Format("15:04:05"), clockCols, p.env.Theme.Dim)
		return
	}
	l.Column(local.Format("01-02"), clockCols, p.env.Theme.Dim)
}

// lines puts the lines added and removed, or the state of the change.
func (p *Pane) lines(l *draw.Row, a *versions.Activity, cols int) {
	state, st := p.state(a)
	switch {
	case state != "":
		l.Column(state, 2*cols+1, st)
		return
	case !a.Read && a.Change.Versions > 1:
		l.Column(draw.Count(a.Change.Versions)+" memories", 2*cols+1, p.env.Theme.Marked)
		return
	}
	l.Lines(a.Added, a.Removed, cols, p.env.Theme)
}

// state returns what happened to a change since; it is empty if the change is in effect.
func (p *Pane) state(a *versions.Activity) (string, theme.Style) {
	switch {
	case a.Redacted:
		return "redacted", p.env.Theme.Warn
	case !a.Read && a.Change.UndoneBy != 0:
		return "undone", p.env.Theme.Warn
	}
	return "", theme.Style{}
}

// sign returns the sign of an activity, one column wide.
func (p *Pane) sign(a *versions.Activity) (string, theme.Style) {
	verb := wording.Verb(a.Change)
	switch {
	case a.Read:
		return "r", p.env.Theme.Dim
	case verb == "renamed":
		return "→", p.env.Theme.Changed
	case a.Change.Kind == versions.KindUndo:
		return "u", p.env.Theme.Changed
	case a.Operation == versions.Created, a.Operation == "" && (verb == "created" || verb == "found" || verb == "imported"):
		return "+", p.env.Theme.Added
	case a.Operation == versions.Deleted, a.Operation == "" && verb == "deleted":
		return "−", p.env.Theme.Removed
	}
	return "~", p.env.Theme.Changed
}

func kindOf(a *versions.Activity) string {
	if a.Read {
		return "read"
	}
	return wording.Verb(a.Change)
}

// whatOf describes what was read or changed.
func whatOf(a *versions.Activity) string {
	switch {
	case a.Redacted && a.Path.IsRoot():
		return "(redacted)"
	case !a.Read && wording.Verb(a.Change) == "renamed" && (len(a.Paths) == 0 || !a.Change.Path.IsRoot()):
		return wording.OnScreen(a.Change)
	case !a.Read && a.Change.Undoes != 0 && a.Path.IsRoot():
		return "#" + strconv.FormatInt(a.Change.Undoes, 10) + several(a)
	case !a.Read && a.Change.Undoes != 0:
		return "#" + strconv.FormatInt(a.Change.Undoes, 10) + " " + a.Path.String()
	case !a.Read && len(a.Paths) > 0:
		return strings.TrimSpace(several(a))
	}
	return a.Path.String()
}

// several names the first memories of a change of several, after a blank.
func several(a *versions.Activity) string {
	var names []string
	for _, p := range a.Paths {
		names = append(names, p.String())
	}
	s := strings.Join(names, ", ")
	switch more := a.Change.Versions - len(names); {
	case s == "":
		return ""
	case more > 0:
		s += " and " + strconv.Itoa(more) + " more"
	}
	return " " + s
}

func shortSession(s versions.SessionID) string { return draw.ShortID(string(s), shortCols) }
