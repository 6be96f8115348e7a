package agents

import (
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// pen draws the cells of both lists.
type pen struct {
	th    *theme.Theme
	now   time.Time
	talks *talks
}

// The columns of the stream of everybody, and of that of one session.
var ofEverybody, ofSession = streamTable(true), streamTable(false)

func streamTable(everybody bool) draw.Table[pen, *versions.Activity] {
	from := func(all, one int) int {
		if everybody {
			return all
		}
		return one
	}
	kind, lines := from(87, 62), from(67, 32)
	return draw.Table[pen, *versions.Activity]{
		{Title: "time", W: 8, From: 56, Least: 4, Cell: pen.when},
		{Title: "sign", W: 1, Cell: pen.sign},
		{Title: "kind", W: 8, From: kind, Cell: pen.kind},
		{Title: "name", W: 13, From: from(34, draw.Never), Least: from(6, 0), Below: 41, Cell: pen.name},
		{Title: "path", Share: 1, Put: func(p pen, a *versions.Activity, r draw.Row) draw.Row {
			return p.putWhat(r, a, r.W >= kind, r.W >= lines)
		}},
		{Title: "version", W: 4, From: from(49, 41), Cell: pen.version},
		{Title: "lines", W: 2*linesCols + 1, From: lines, Put: pen.lines},
		{Title: "tool", W: 12, From: from(100, 83), Path: true, Cell: pen.tool},
		{Title: "who", W: 16, From: from(41, draw.Never), Cell: pen.maker},
	}
}

const linesCols = 5

// when returns the time of day, or the date if it was another day. In few columns it returns the age.
func (p pen) when(a *versions.Activity, cols int) (string, theme.Style) {
	now := p.now
	local := a.Time.In(now.Location())
	switch y, d := local.Year(), local.YearDay(); {
	case cols < 8:
		return draw.Age(now, a.Time), p.th.Dim
	case y == now.Year() && d == now.YearDay():
		return local.Format("15:04:05"), p.th.Dim
	}
	return local.Format("01-02"), p.th.Dim
}

func (p pen) kind(a *versions.Activity, _ int) (string, theme.Style) {
	return kindOf(a), p.th.Text
}

// name returns the first letters of a name without the sign of its kind.
func (p pen) name(a *versions.Activity, cols int) (string, theme.Style) {
	return actors.Fitting(actors.Short(a.Actor), cols), p.th.Actor(string(a.Actor.Kind))
}

func (p pen) version(a *versions.Activity, _ int) (string, theme.Style) {
	if a.Number == 0 {
		return "", p.th.Dim
	}
	return "v" + strconv.Itoa(a.Number), p.th.Dim
}

func (p pen) tool(a *versions.Activity, cols int) (string, theme.Style) {
	return draw.ShortID(a.ToolUse, cols), p.th.Dim
}

func (p pen) maker(a *versions.Activity, cols int) (string, theme.Style) {
	return actors.Fitting(actors.Maker(a.Actor, a.Change.Inferred), cols), p.th.Actor(string(a.Actor.Kind))
}

// putWhat draws what was read or changed, and its kind and its state if no column shows them.
func (p pen) putWhat(r draw.Row, a *versions.Activity, kind, lines bool) draw.Row {
	path := p.th.Text
	if !a.Read && a.Change.UndoneBy != 0 {
		path = p.th.Dim
	}
	state, st := p.state(a)
	if state = " " + state; lines || state == " " {
		state = ""
	}
	what, room := whatOf(a), r.Left()-text.Width(state)
	if named := wording.Verb(a.Change) + " " + what; !kind && !a.Read && a.Change.Undoes != 0 && text.Width(named) < room {
		what = named
	}
	if len(a.Paths) > 0 && a.Change.Kind != versions.KindRename { // the first path matters most
		r.Clip(what, room, path)
	} else {
		r.Path(what, room, path)
	}
	r.Put(state, st) // last: before it, "undone" would read as a part of what was done
	return r
}

// lines draws the lines added and removed, or the state of the change.
func (p pen) lines(a *versions.Activity, r draw.Row) draw.Row {
	state, st := p.state(a)
	switch {
	case state != "":
		r.Put(state, st)
	case !a.Read && a.Change.Versions > 1:
		r.Put(draw.Count(a.Change.Versions)+" memories", p.th.Marked)
	default:
		r.Lines(a.Added, a.Removed, linesCols, p.th)
	}
	return r
}

// state returns what happened to a change since; it is empty if the change is in effect.
func (p pen) state(a *versions.Activity) (string, theme.Style) {
	switch {
	case a.Redacted:
		return "redacted", p.th.Warn
	case !a.Read && a.Change.UndoneBy != 0:
		return "undone", p.th.Warn
	}
	return "", theme.Style{}
}

// sign returns the sign of an activity, one column wide.
func (p pen) sign(a *versions.Activity, _ int) (string, theme.Style) {
	verb := wording.Verb(a.Change)
	switch {
	case a.Read:
		return "r", p.th.Dim
	case verb == "renamed":
		return "→", p.th.Changed
	case a.Change.Kind == versions.KindUndo:
		return "u", p.th.Changed
	case a.Operation == versions.Created, a.Operation == "" && (verb == "created" || verb == "found" || verb == "imported"):
		return "+", p.th.Added
	case a.Operation == versions.Deleted, a.Operation == "" && verb == "deleted":
		return "−", p.th.Removed
	}
	return "~", p.th.Changed
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
