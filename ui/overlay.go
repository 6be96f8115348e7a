package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
)

// overlay stands over the frame and takes all input until it is over.
type overlay interface {
	Update(tea.Msg) (cmd tea.Cmd, over bool)
	// size says how many columns and rows it wants inside its border, of those
	// there are.
	size(w, h int) (int, int)
	// view gives exactly h rows of w columns, and where the cursor is, if any.
	view(th *theme.Theme, w, h int) ([]string, *point)
	title() string
	Keys() []key.Binding
}

type point struct{ x, y int }

// place is where the overlay's border stands on a screen of w by h cells.
func overlayRect(o overlay, w, h int) rect {
	iw, ih := o.size(max(w-4, 1), max(h-3, 1))
	iw, ih = min(max(iw, 1), max(w-2, 1)), min(max(ih, 1), max(h-2, 1))
	return rect{(w - iw - 2) / 2, max((h-ih-2)/3, 0), iw + 2, ih + 2}
}

// drawOverlay lays the overlay over the rows of a frame.
func (a *App) drawOverlay(rows []string) *point {
	r := overlayRect(a.overlay, a.w, a.h)
	inner, cur := a.overlay.view(a.th, r.w-2, r.h-2)
	for y := range r.h {
		if r.y+y >= len(rows) {
			break
		}
		dst := cut(nil, rows[r.y+y], 0, r.x, a.width())
		switch y {
		case 0:
			dst = a.rule(dst, "╭", "╮", a.overlay.title(), r.w)
		case r.h - 1:
			dst = a.rule(dst, "╰", "╯", "", r.w)
		default:
			dst = a.th.BorderFocused.Append(dst, "│")
			dst = append(dst, a.fit(inner[y-1], r.w-2)...)
			dst = a.th.BorderFocused.Append(dst, "│")
		}
		rows[r.y+y] = string(cut(dst, rows[r.y+y], r.x+r.w, a.w, a.width()))
	}
	if cur == nil {
		return nil
	}
	return &point{r.x + 1 + cur.x, r.y + 1 + cur.y}
}

func (a *App) rule(dst []byte, left, right, title string, w int) []byte {
	dst = append(dst, a.th.BorderFocused.On...)
	dst = append(dst, left...)
	cols := 0
	if title != "" && w > 6 {
		dst = append(dst, "─ "...)
		dst = append(dst, a.th.BorderFocused.Off...)
		dst = append(dst, a.th.TitleFocused.On...)
		dst, cols = text.ClipMore(dst, title, w-6)
		dst = append(dst, a.th.TitleFocused.Off...)
		dst = append(dst, a.th.BorderFocused.On...)
		dst = append(dst, ' ')
		cols += 3
	}
	dst = append(dst, strings.Repeat("─", max(w-2-cols, 0))...)
	dst = append(dst, right...)
	return append(dst, a.th.BorderFocused.Off...)
}

// pager is an overlay of rows that scroll.
type pager struct {
	name string
	rows []pagerRow
	top  int
	h    int
}

// pagerRow is a heading, or a key and what it does, or a message.
type pagerRow struct {
	key, text string
	heading   bool
	bad       bool
}

var pagerKeys = struct{ Down, Up, PageDown, PageUp, Top, Bottom, Close key.Binding }{
	bind("down", "j", "down"), bind("up", "k", "up"), bind("page down", "pgdown", "space"), bind("page up", "pgup", "b"),
	bind("top", "g", "home"), bind("end", "G", "end"), bind("close", "esc", "q", "?", "M", "enter", "f1", "ctrl+c"),
}

func (p *pager) Keys() []key.Binding {
	return []key.Binding{pagerKeys.Close, pagerKeys.Down, pagerKeys.Up, pagerKeys.PageDown}
}

func (p *pager) title() string { return p.name }

func (p *pager) size(w, h int) (int, int) { return min(w, 76), min(h, max(len(p.rows), 3)) }

func (p *pager) scroll(d int) { p.top = min(max(p.top+d, 0), max(len(p.rows)-p.h, 0)) }

func (p *pager) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		k := pagerKeys
		switch {
		case key.Matches(msg, k.Close):
			return nil, true
		case key.Matches(msg, k.Down):
			p.scroll(1)
		case key.Matches(msg, k.Up):
			p.scroll(-1)
		case key.Matches(msg, k.PageDown):
			p.scroll(max(p.h-1, 1))
		case key.Matches(msg, k.PageUp):
			p.scroll(-max(p.h-1, 1))
		case key.Matches(msg, k.Top):
			p.scroll(-len(p.rows))
		case key.Matches(msg, k.Bottom):
			p.scroll(len(p.rows))
		}
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelDown {
			p.scroll(3)
		} else if msg.Button == tea.MouseWheelUp {
			p.scroll(-3)
		}
	case tea.WindowSizeMsg:
		_, p.h = p.size(max(msg.Width-4, 1), max(msg.Height-3, 1))
		p.scroll(0)
	case tea.MouseClickMsg:
		return nil, true
	}
	return nil, false
}

const pagerKeyCols = 22

func (p *pager) view(th *theme.Theme, w, h int) ([]string, *point) {
	out := make([]string, h)
	for y := range out {
		rp := rowPen{w: w}
		var dst []byte
		if i := p.top + y; i < len(p.rows) {
			r := p.rows[i]
			dst = rp.space(dst, 1)
			switch {
			case r.heading:
				dst = rp.put(dst, r.text, th.Heading)
			case r.key != "":
				cols := min(pagerKeyCols, w/3)
				dst = rp.clip(dst, r.key, cols-1, th.HintKey)
				dst = rp.space(dst, cols+1-rp.used)
				dst = rp.put(dst, r.text, th.Text)
			case r.bad:
				dst = rp.put(dst, r.text, th.Error)
			default:
				dst = rp.put(dst, r.text, th.Text)
			}
		}
		out[y] = string(rp.space(dst, w-rp.used))
	}
	return out, nil
}
