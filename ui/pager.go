package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/keys"
)

// pager is an overlay of rows that scroll.
type pager struct {
	name string
	rows []pagerRow
	top  int
	h    int
	over bool

	through bool // a key closes it and means what it means without it
}

// pagerRow is a heading, or a key and what it does, or a message.
type pagerRow struct {
	key, text string
	heading   bool
	bad       bool
}

func pagerMap() *keys.Map[*pager] {
	by := func(rows func(*pager) int) func(*pager, int) tea.Cmd {
		return func(p *pager, _ int) tea.Cmd { p.scroll(rows(p)); return nil }
	}
	return keys.New("pager", nil, []keys.Action[*pager]{
		{ID: "close", Name: "close", Keys: []string{"esc", "q", "M", "enter", "ctrl+c"}, Do: func(p *pager, _ int) tea.Cmd { p.over = true; return nil }},
		{ID: "down", Name: "down", Keys: []string{"j", "down"}, Do: by(func(*pager) int { return 1 })},
		{ID: "up", Name: "up", Keys: []string{"k", "up"}, Do: by(func(*pager) int { return -1 })},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown", "space"}, Do: by(func(p *pager) int { return max(p.h-1, 1) })},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup", "b"}, Do: by(func(p *pager) int { return -max(p.h-1, 1) })},
		{ID: "top", Name: "top", Keys: []string{"g", "home"}, Do: by(func(p *pager) int { return -len(p.rows) })},
		{ID: "bottom", Name: "end", Keys: []string{"G", "end"}, Do: by(func(p *pager) int { return len(p.rows) })},
	})
}

var pagerKeys = pagerMap()

func (p *pager) Entries() []keys.Entry { return pagerKeys.Entries(p) }

func (p *pager) title() string { return p.name }

func (p *pager) size(w, h int) (int, int) { return min(w, 76), min(h, max(len(p.rows), 3)) }

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
		rp := draw.Pen{W: w}
		var dst []byte
		if i := p.top + y; i < len(p.rows) {
			r := p.rows[i]
			dst = rp.Space(dst, 1)
			switch {
			case r.heading:
				dst = rp.Put(dst, r.text, th.Heading)
			case r.key != "":
				cols := min(pagerKeyCols, w/3)
				dst = rp.Clip(dst, r.key, cols-1, th.HintKey)
				dst = rp.Space(dst, cols+1-rp.Used)
				dst = rp.Put(dst, r.text, th.Text)
			case r.bad:
				dst = rp.Put(dst, r.text, th.Error)
			default:
				dst = rp.Put(dst, r.text, th.Text)
			}
		}
		out[y] = string(rp.Space(dst, w-rp.Used))
	}
	return out, nil
}
