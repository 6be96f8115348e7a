package ui

import (
	"strconv"

	"charm.land/bubbles/v2/key"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
)

// segment is a part of the status line.
type segment struct {
	text string
	st   theme.Style
}

// statusLine draws the one line that all panes share, exactly w columns: what
// stands first is kept longest. A message takes the right side while it shows.
func (a *App) statusLine(dst []byte, w int) []byte {
	left, right := a.statusLeft(), a.statusRight()
	if t := a.toast; t != nil {
		st := a.th.StatusStrong
		if t.bad {
			st = a.th.StatusWarn
		}
		left, right = left[:1], []segment{{t.text, st}}
	}
	rightCols := 0
	for _, s := range right {
		rightCols += 2 + text.Width(s.text)
	}
	rightCols++
	p := rowPen{w: w, base: a.th.Status.On}
	dst = append(dst, p.base...)
	room := w - min(rightCols, w)
	if a.toast != nil && rightCols > w-12 { // a long message may push the rest out
		room = 0
	}
	for i, s := range left {
		if i > 0 && p.used+2+text.Width(s.text) > room {
			break
		}
		if p.used+3 > room {
			break
		}
		dst = a.statusPart(dst, &p, s, room)
	}
	dst = p.space(dst, w-rightCols-p.used)
	for _, s := range right {
		dst = a.statusPart(dst, &p, s, w)
	}
	dst = p.space(dst, w-p.used)
	return append(dst, text.Reset...)
}

func (a *App) statusPart(dst []byte, p *rowPen, s segment, to int) []byte {
	gap := 1
	if p.used > 0 {
		gap = 2
	}
	dst = p.space(dst, gap)
	dst = append(dst, text.Reset...)
	dst = p.clip(dst, s.text, to-p.used, s.st)
	return append(dst, p.base...)
}

func (a *App) statusLeft() []segment {
	th := a.th
	left := []segment{{a.info.Name, th.StatusStrong}}
	if a.cfg.Banner != "" {
		left = append(left, segment{a.cfg.Banner, th.StatusWarn})
	}
	if a.cfg.ReadOnly {
		left = append(left, segment{"read-only", th.StatusWarn})
	}
	if a.last.Number > 0 {
		who := actorLabel(a.last.Actor)
		if ago := age(a.now, a.last.Time); ago != "" {
			who += " " + ago
		}
		left = append(left, segment{"#" + strconv.FormatInt(a.last.Number, 10) + " " + who, th.Status})
	}
	if d := a.tree.data; d != nil {
		left = append(left, segment{plural(d.root.count, "memory", "memories"), th.Status})
		left = append(left, segment{"≈" + tokens(d.root.size) + " tokens", th.Status})
	}
	return left
}

func (a *App) statusRight() []segment {
	th := a.th
	var right []segment
	if n := len(a.tree.changed); n > 0 {
		right = append(right, segment{"● " + strconv.Itoa(n) + " changed", th.StatusWarn})
	}
	switch a.watching {
	case notWatching:
		if !a.settled {
			right = append(right, segment{"looking at the folder…", th.Status})
		}
	case watching:
		right = append(right, segment{"watching", th.Status})
	case polling:
		right = append(right, segment{"polling", th.StatusWarn})
	case lost:
		right = append(right, segment{"folder out of reach", th.StatusWarn})
	}
	return right
}

// hintsLine draws the keys of where the person is, exactly w columns. Help is
// never left out.
func (a *App) hintsLine(dst []byte, w int) []byte {
	help := "?"
	if a.takesText() {
		help = "F1"
	}
	helpCols := len(help) + len(" help")
	p := rowPen{w: w}
	for _, b := range a.hints() {
		if !b.Enabled() {
			continue
		}
		k, what := hintKey(b), b.Help().Desc
		if p.used+1+text.Width(k)+1+text.Width(what)+2+helpCols >= w {
			break
		}
		dst = p.space(dst, 1)
		dst = p.put(dst, k, a.th.HintKey)
		dst = p.space(dst, 1)
		dst = p.put(dst, what, a.th.Hint)
		dst = p.space(dst, 1)
	}
	dst = p.space(dst, w-p.used-helpCols-1)
	dst = p.put(dst, help, a.th.HintKey)
	dst = p.put(dst, " help", a.th.Hint)
	return p.space(dst, w-p.used)
}

// hints are the keys worth naming here: the first of the pane, then some of the
// root, then the rest of the pane.
func (a *App) hints() []key.Binding {
	if a.overlay != nil {
		return a.overlay.Keys()
	}
	if a.prompt != nil {
		return []key.Binding{promptKeys.Done, promptKeys.Cancel}
	}
	own := a.pane(a.focus).Keys()
	if a.takesText() {
		return own
	}
	n := min(len(own), 5)
	out := append([]key.Binding{}, own[:n]...)
	out = append(out, a.keys.Undo, a.keys.History, a.keys.Next, a.keys.Zoom, a.keys.Quit)
	return append(out, own[n:]...)
}
