package agents

import (
	"strconv"
	"strings"

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
	case p.stream.page.Waiting() || !s.done:
		return []string{"…"}
	case p.stream.query.text != "":
		return text.Rows("Nothing gets through the filter. "+p.acts.Hint("pane.back")+" clears it.", p.stream.cols-2, 3)
	case s.session != "":
		return text.Rows("This session did nothing here that is still known.", p.stream.cols-2, 3)
	}
	if p.talks.Manager != nil {
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
		if !p.talks.lacksCredentials() {
			s = "The Messages API did not answer: " + err.Error() + ". Check the network and ANTHROPIC_BASE_URL; " + p.about.Hint("new") + " starts an agent anyway."
		}
		if hint := talk.Advice(err); hint != "" {
			s += ". " + strings.ToUpper(hint[:1]) + hint[1:] + "."
		}
		return text.Rows(text.Field(s), p.stream.cols-2, 8)
	}
	return []string{"Nobody has read or written here yet.", p.about.Hint("new") + " starts an agent."}
}

// appendActivity draws a row of the stream; y is relative to the window.
func (p *Pane) appendActivity(dst []byte, i, y, w int) []byte {
	s := &p.stream
	a, ok := s.at(i)
	if !ok {
		l := draw.NewRow(dst, w)
		if words := p.emptiness(); s.len() == 0 && y < len(words) {
			l.Put(" "+words[y], p.env.Theme.Dim)
		} else if i == s.len() && p.stream.page.Waiting() {
			l.Put(" …", p.env.Theme.Dim)
		}
		return l.End()
	}
	st := theme.Style{}
	switch {
	case i == s.Cur && s.focused:
		st = p.env.Theme.Selected
	case i == s.Cur:
		st = p.env.Theme.SelectedDim
	}
	table := ofEverybody
	if s.session != "" {
		table = ofSession
	}
	l := table.Put(draw.StyledRow(dst, w, st), p, a)
	return l.End()
}

// The columns of the stream of everybody, and of that of one session.
var ofEverybody, ofSession = streamTable(true), streamTable(false)

func streamTable(everybody bool) draw.Table[*Pane, *versions.Activity] {
	from := func(all, one int) int {
		if everybody {
			return all
		}
		return one
	}
	kind, lines := from(87, 62), from(67, 32)
	return draw.Table[*Pane, *versions.Activity]{
		{Title: "time", W: 8, From: 56, Least: 4, Cell: (*Pane).when},
		{Title: "sign", W: 1, Cell: (*Pane).sign},
		{Title: "kind", W: 8, From: kind, Cell: (*Pane).kind},
		{Title: "name", W: 13, From: from(34, draw.Never), Least: from(6, 0), Below: 41, Cell: (*Pane).name},
		{Title: "path", Share: 1, Put: func(p *Pane, a *versions.Activity, r draw.Row) draw.Row {
			return p.putWhat(r, a, r.W >= kind, r.W >= lines)
		}},
		{Title: "version", W: 4, From: from(49, 41), Cell: (*Pane).version},
		{Title: "lines", W: 2*linesCols + 1, From: lines, Put: (*Pane).lines},
		{Title: "tool", W: 12, From: from(100, 83), Cell: (*Pane).tool},
		{Title: "who", W: 16, From: from(41, draw.Never), Cell: (*Pane).maker},
	}
}

const linesCols = 5

// when returns the time of day, or the date if it was another day. In few columns it returns the age.
func (p *Pane) when(a *versions.Activity, cols int) (string, theme.Style) {
	now := p.clock()
	local := a.Time.In(now.Location())
	switch y, d := local.Year(), local.YearDay(); {
	case cols < 8:
		return draw.Age(now, a.Time), p.env.Theme.Dim
	case y == now.Year() && d == now.YearDay():
		return local.Format("15:04:05"), p.env.Theme.Dim
	}
	return local.Format("01-02"), p.env.Theme.Dim
}

func (p *Pane) kind(a *versions.Activity, _ int) (string, theme.Style) {
	return kindOf(a), p.env.Theme.Text
}

// name returns the first letters of a name without the sign of its kind.
func (p *Pane) name(a *versions.Activity, cols int) (string, theme.Style) {
	return actors.Fitting(actors.Short(a.Actor), cols), p.env.Theme.Actor(string(a.Actor.Kind))
}

func (p *Pane) version(a *versions.Activity, _ int) (string, theme.Style) {
	if a.Number == 0 {
		return "", p.env.Theme.Dim
	}
	return "v" + strconv.Itoa(a.Number), p.env.Theme.Dim
}

func (p *Pane) tool(a *versions.Activity, cols int) (string, theme.Style) {
	return draw.ShortID(a.ToolUse, cols), p.env.Theme.Dim
}

func (p *Pane) maker(a *versions.Activity, cols int) (string, theme.Style) {
	return actors.Fitting(actors.Maker(a.Actor, a.Change.Inferred), cols), p.env.Theme.Actor(string(a.Actor.Kind))
}

// putWhat draws what was read or changed, and its kind and its state if no column shows them.
func (p *Pane) putWhat(r draw.Row, a *versions.Activity, kind, lines bool) draw.Row {
	path := p.env.Theme.Text
	if !a.Read && a.Change.UndoneBy != 0 {
		path = p.env.Theme.Dim
	}
	if state, st := p.state(a); !lines && state != "" {
		r.Put(state+" ", st)
	}
	what := whatOf(a)
	if named := wording.Verb(a.Change) + " " + what; !kind && !a.Read && a.Change.Undoes != 0 && text.Width(named) < r.Left() {
		what = named
	}
	if len(a.Paths) > 0 && a.Change.Kind != versions.KindRename { // the first path matters most
		r.Put(what, path)
	} else {
		r.Path(what, r.Left(), path)
	}
	return r
}

// lines draws the lines added and removed, or the state of the change.
func (p *Pane) lines(a *versions.Activity, r draw.Row) draw.Row {
	state, st := p.state(a)
	switch {
	case state != "":
		r.Put(state, st)
	case !a.Read && a.Change.Versions > 1:
		r.Put(draw.Count(a.Change.Versions)+" memories", p.env.Theme.Marked)
	default:
		r.Lines(a.Added, a.Removed, linesCols, p.env.Theme)
	}
	return r
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
func (p *Pane) sign(a *versions.Activity, _ int) (string, theme.Style) {
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
