package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// pager is an overlay of rows that scroll.
type pager struct {
	name string
	all  []pagerRow
	rows []pagerRow // all, wrapped to the width
	top  int
	w, h int // of the screen, and of its own rows
	over bool

	through bool // a key closes it and means what it means without it
}

// pagerRow is a key and what it does, or the time of a message and what it says.
type pagerRow struct {
	key, text string
	bad       bool
}

func pagerMap() *keys.Map[*pager] {
	by := func(rows func(*pager) int) func(*pager, int) tea.Cmd {
		return func(p *pager, _ int) tea.Cmd { p.scroll(rows(p)); return nil }
	}
	return keys.New("pager", nil, []keys.Action[*pager]{
		{ID: "close", Name: "close", Keys: []string{"esc", "q", "M", "enter", "ctrl+c"}, Do: func(p *pager, _ int) tea.Cmd { p.over = true; return nil }},
		{ID: "down", Name: "down", Keys: []string{"j", "down"}, Do: by(func(*pager) int { return 1 }), Hide: true},
		{ID: "up", Name: "up", Keys: []string{"k", "up"}, Do: by(func(*pager) int { return -1 }), Hide: true},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown", "space"}, Do: by(func(p *pager) int { return max(p.h-1, 1) }), Hide: true},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup", "b"}, Do: by(func(p *pager) int { return -max(p.h-1, 1) }), Hide: true},
		{ID: "top", Name: "top", Keys: []string{"g", "home"}, Do: by(func(p *pager) int { return -len(p.rows) }), Hide: true},
		{ID: "bottom", Name: "end", Keys: []string{"G", "end"}, Do: by(func(p *pager) int { return len(p.rows) }), Hide: true},
	})
}

var pagerKeys = pagerMap()

func (p *pager) Entries() []keys.Entry {
	entries := pagerKeys.Entries(p)
	if p.through { // all other keys are for what is behind it
		return []keys.Entry{{Name: "leave", Short: "leave", Keys: []string{"esc"}}}
	}
	return entries
}

func (p *pager) title() string { return p.name }

// place is in the middle, but for what only tells which keys can follow: that
// stands in the corner, off what they are for.
func (p *pager) place(w, h int) rect {
	if !p.through {
		mw, _ := inside(w, h)
		rows := len(p.wrapped(min(pagerCols, mw), w))
		return centred(pagerCols, rows, rows, w, h)
	}
	cols := text.Width(p.name) + 4
	for _, r := range p.all {
		cols = max(cols, p.keyCols(w)+text.Width(r.text)+2)
	}
	r := centred(cols, len(p.all), len(p.all), w, h-1) // the status line tells what was typed
	return rect{max(w-r.w, 0), max(h-2-r.h, 0), r.w, r.h}
}

const (
	pagerCols = 100
	maxRows   = 40 // of one text
)

// wrapped breaks the texts that are too long for cols columns on a screen of w.
func (p *pager) wrapped(cols, w int) []pagerRow {
	room := max(cols-p.keyCols(w)-2, 1)
	var out []pagerRow
	for _, r := range p.all {
		for _, row := range text.Rows(r.text, room, maxRows) {
			out = append(out, pagerRow{r.key, row, r.bad})
			r.key = ""
		}
	}
	return out
}

// keyCols is how wide the keys are.
func (p *pager) keyCols(w int) int {
	cols := 0
	for _, r := range p.all {
		cols = max(cols, text.Width(r.key)+2)
	}
	return min(cols, 22, w/3)
}

func (p *pager) scroll(d int) { p.top = min(max(p.top+d, 0), max(len(p.rows)-p.h, 0)) }

func (p *pager) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		pagerKeys.Press(p, []string{msg.String()}, 0)
		return nil, p.over
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelDown {
			p.scroll(3)
		} else if msg.Button == tea.MouseWheelUp {
			p.scroll(-3)
		}
	case tea.WindowSizeMsg:
		r := p.place(msg.Width, msg.Height)
		p.h, p.w = max(r.h-2, 1), msg.Width
		p.rows = p.all
		if !p.through {
			p.rows = p.wrapped(r.w-2, msg.Width)
		}
		p.scroll(0)
	case tea.MouseClickMsg:
		return nil, true
	}
	return nil, false
}

func (p *pager) view(th *theme.Theme, w, h int) ([]string, *point) {
	out := make([]string, h)
	for y := range out {
		rp := draw.Pen{W: w}
		var dst []byte
		if i := p.top + y; i < len(p.rows) {
			r := p.rows[i]
			dst = rp.Space(dst, 1)
			cols := p.keyCols(p.w)
			dst = rp.Clip(dst, r.key, cols-1, th.HintKey)
			dst = rp.Space(dst, cols+1-rp.Used)
			st := th.Text
			if r.bad {
				st = th.Error
			}
			dst = rp.Put(dst, r.text, st)
		}
		out[y] = string(rp.Space(dst, w-rp.Used))
	}
	return out, nil
}
