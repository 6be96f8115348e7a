package ui

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// segment is a part of the status line.
type segment struct {
	text string
	st   theme.Style
	near bool // goes on with what stands before it, which gives way to it
}

// gap is how many columns stand before a segment.
func (s segment) gap() int {
	if s.near {
		return 1
	}
	return 2
}

// leastTold is how much of a message must be left beside the way back.
const leastTold = 16

// statusLine draws the one line that all panes share, exactly w columns: what
// stands first is kept longest. A message takes the right side while it shows.
func (a *App) statusLine(dst []byte, w int, stored bool) []byte {
	left, right := a.statusLeft(), a.statusRight()
	if stored {
		right = append([]segment{{text: "RTL as stored", st: a.th.Status}}, right...)
	}
	if t := a.toast; t != nil {
		left, right = left[:1], []segment{{text: t.text, st: a.toastStyle()}}
		if t.back != "" {
			way := segment{text: "· " + a.wayBack(t.back), st: a.th.Status, near: true}
			if w-4-text.Width(way.text) >= min(text.Width(t.text), leastTold) {
				right = append(right, way)
			}
		}
	}
	work, working := a.jobs.Shown()
	if working {
		left, right = left[:1], a.workSegments(work)
	}
	rightCols := columnsOf(right)
	told := a.cfg.Banner != "" || a.live.Upstream().Trouble != versions.NoTrouble
	if told && a.toast == nil && !working { // what is only a show says so, and what can't be written, whatever else has to go
		for len(right) > 0 && columnsOf(left[:2])+rightCols > w {
			right = right[:len(right)-1]
			rightCols = columnsOf(right)
		}
	}
	p := draw.Pen{W: w, Base: a.th.Status.On}
	dst = append(dst, p.Base...)
	room := w - min(rightCols, w)
	if a.toast != nil && rightCols > w-12 { // a long message may push the rest out
		room = 0
	}
	for i, s := range left {
		if i > 0 && p.Used+2+text.Width(s.text) > room && (i > 1 || !told) { // that is rather cut
			break
		}
		if p.Used+3 > room {
			break
		}
		s.text = whole(s.text, room-p.Used-s.gap())
		dst = a.statusPart(dst, &p, s, room)
	}
	dst = p.Space(dst, w-rightCols-p.Used)
	for i, s := range right {
		to := w
		if i+1 < len(right) && right[i+1].near {
			to -= right[i+1].gap() + text.Width(right[i+1].text) + 1
		}
		if working {
			s.text = whole(s.text, to-p.Used-s.gap())
		}
		dst = a.statusPart(dst, &p, s, to)
	}
	dst = p.Space(dst, w-p.Used)
	return append(dst, text.Reset...)
}

// whole is a text without the parts, " · " before each, that there is no room for; the
// first part stays.
func whole(s string, room int) string {
	for text.Width(s) > room {
		i := strings.LastIndex(s, " · ")
		if i < 0 {
			return s
		}
		s = s[:i]
	}
	return s
}

// columnsOf is how many columns segments take, and the blank beside them.
func columnsOf(list []segment) int {
	n := 1
	for _, s := range list {
		n += s.gap() + text.Width(s.text)
	}
	return n
}

func (a *App) statusPart(dst []byte, p *draw.Pen, s segment, to int) []byte {
	gap := 1
	if p.Used > 0 {
		gap = s.gap()
	}
	dst = p.Space(dst, gap)
	dst = append(dst, text.Reset...)
	dst = p.Clip(dst, s.text, to-p.Used, s.st)
	return append(dst, p.Base...)
}

func (a *App) statusLeft() []segment {
	th := a.th
	left := []segment{{text: a.info.Name, st: th.StatusStrong}}
	if a.cfg.Banner != "" {
		left = append(left, segment{text: a.cfg.Banner, st: th.StatusWarn})
	}
	if s, ok := a.upstreamSegment(); ok {
		left = append(left, s)
	}
	if a.cfg.ReadOnly {
		left = append(left, segment{text: "read-only", st: th.StatusWarn})
	}
	if a.live.Last().Number > 0 {
		who := actors.ShortInferred(a.live.Last().Actor, a.live.Last().Inferred)
		if ago := draw.Age(a.now, a.live.Last().Time); ago != "" {
			who += " " + ago
		}
		left = append(left, segment{text: "#" + strconv.FormatInt(a.live.Last().Number, 10) + " " + who, st: th.Status})
	}
	if d := a.tree.Data(); d != nil {
		count, size := d.Total()
		left = append(left, segment{text: draw.Plural(count, "memory", "memories"), st: th.Status})
		left = append(left, segment{text: "≈" + draw.Tokens(size) + " tokens", st: th.Status})
	}
	return left
}

func (a *App) statusRight() []segment {
	th := a.th
	var right []segment
	if pending := a.pending(); pending != "" {
		right = append(right, segment{text: pending, st: th.StatusStrong})
	}
	if n := a.live.AtWork(); n > 0 {
		right = append(right, segment{text: "» " + draw.Plural(n, "agent", "agents") + " at work", st: th.StatusStrong})
	}
	if n := a.tree.Changed(); n > 0 {
		right = append(right, segment{text: "● " + strconv.Itoa(n) + " changed", st: th.StatusWarn})
	}
	switch watch, settled, unlooked := a.live.Watch(); watch {
	case live.NotWatching:
		if unlooked {
			right = append(right, segment{text: "folder not looked at", st: th.StatusWarn})
		} else if !settled {
			right = append(right, segment{text: "looking at the folder…", st: th.Status})
		}
	case live.Watching:
		if a.live.Upstream().Trouble != versions.NoTrouble { // what counts is what is not seen
			break
		}
		word := "watching"
		if a.live.Follows() {
			word = "following"
		}
		right = append(right, segment{text: word, st: th.Status})
	case live.Polling:
		right = append(right, segment{text: "polling", st: th.StatusWarn})
	case live.Lost:
		right = append(right, segment{text: "folder out of reach", st: th.StatusWarn})
	}
	return right
}

// hintsLine draws the keys of where the person is, exactly w columns: as many as
// fit, in their order. Help is never left out where there is any.
func (a *App) hintsLine(dst []byte, w int) []byte {
	help, label := "?", " help"
	switch {
	case a.overlay != nil || a.prompt != nil:
		help, label = "", ""
	case a.front().TakesText():
		help, label = "", ""
		for _, e := range a.typingActions() {
			if e.ID == "global.help" && e.Hint() != "" {
				help, label = e.Hint(), " help"
			}
		}
	}
	helpCols := len(help) + len(label)
	p := draw.Pen{W: w}
	for _, e := range a.hints() {
		k, what := e.Hint(), e.Short
		if k == "" || e.Why != "" || p.Used+1+text.Width(k)+1+text.Width(what)+2+helpCols >= w {
			continue
		}
		dst = p.Space(dst, 1)
		dst = p.Put(dst, k, a.th.HintKey)
		dst = p.Space(dst, 1)
		dst = p.Put(dst, what, a.th.Hint)
		dst = p.Space(dst, 1)
	}
	if help == "" {
		return p.Space(dst, w)
	}
	dst = p.Space(dst, w-p.Used-helpCols-1)
	dst = p.Put(dst, help, a.th.HintKey)
	dst = p.Put(dst, label, a.th.Hint)
	return p.Space(dst, w-p.Used)
}

// hints are the actions worth naming here: the first of the pane in front, then
// some of the root, then the rest.
func (a *App) hints() []keys.Entry {
	if a.overlay != nil {
		return shown(a.overlay.Entries())
	}
	if a.prompt != nil {
		return a.prompt.Entries()
	}
	own := a.besideWork(shown(a.entriesOf(a.front())))
	if a.front().TakesText() {
		for _, e := range a.typingActions() {
			if e.ID == "global.palette" {
				own = slices.Insert(own, min(len(own), beforePalette), e)
			}
		}
		return own
	}
	const first, roots = 5, 8
	n := min(len(own), first)
	out := append([]keys.Entry{}, own[:n]...)
	everywhere := shown(a.everywhere())
	if len(a.screens) == 0 {
		out = append(out, everywhere[:min(len(everywhere), roots)]...)
	}
	return append(out, own[n:]...)
}

// beforePalette is how many hints of a pane that takes text come before the palette.
const beforePalette = 4

// besideWork takes Esc from actions while it cancels work: the line above says so, and
// they are named by another key of theirs.
func (a *App) besideWork(entries []keys.Entry) []keys.Entry {
	if !a.jobs.CanCancel() {
		return entries
	}
	for i := range entries {
		entries[i].Keys = slices.DeleteFunc(slices.Clone(entries[i].Keys), func(k string) bool { return k == "esc" })
	}
	return entries
}

// shown leaves out what hints don't name, and what can't be done now.
func shown(entries []keys.Entry) []keys.Entry {
	return slices.DeleteFunc(entries, func(e keys.Entry) bool { return e.Hide || e.Why != "" })
}

// pending is the count and the keys that wait for more.
func (a *App) pending() string {
	s := keys.Label(strings.Join(a.seq, " "))
	if a.count > 0 {
		s = strconv.Itoa(a.count) + s
	}
	return s
}

// upstreamSegment says in the status line that the store is hosted, and what is wrong
// with that.
func (a *App) upstreamSegment() (segment, bool) {
	if !a.info.Hosted() {
		return segment{}, false
	}
	text, style := "hosted", a.th.Status
	switch u := a.live.Upstream(); u.Trouble {
	case versions.NoTrouble:
		if !u.Asked {
			text = "hosted…"
		}
	case versions.Offline:
		text, style = "offline since "+u.Since.In(a.now.Location()).Format("15:04"), a.th.StatusWarn
	case versions.RateLimited:
		text, style = "rate limited until "+u.Until.In(a.now.Location()).Format("15:04:05"), a.th.StatusWarn
	case versions.Unauthorized:
		text, style = "unauthorized", a.th.StatusWarn
	case versions.Gone:
		text, style = "deleted at its service", a.th.StatusWarn
	default:
		text, style = "service not sound", a.th.StatusWarn
	}
	return segment{text: text, st: style}, true
}
