package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
)

// Pager is an overlay with rows that scroll.
type Pager struct {
	Name string
	All  []PagerRow
	rows []PagerRow // all rows, wrapped to the width
	win  window.Window
	w    int // of the screen
	over bool

	Through bool // a key closes it and is then handled as if it were not open
}

// PagerRow is a key and its action, or a message and its time.
type PagerRow struct {
	Key, Text string
	Bad       bool
}

func pagerMap() *keys.Map[*Pager] {
	by := func(rows func(*Pager) int) func(*Pager, int) tea.Cmd {
		return func(p *Pager, _ int) tea.Cmd { p.scroll(rows(p)); return nil }
	}
	return keys.New("pager", nil, []keys.Action[*Pager]{
		{ID: "close", Name: "close", Keys: []string{"esc", "q", "M", "enter", "ctrl+c"}, Do: func(p *Pager, _ int) tea.Cmd { p.over = true; return nil }},
		{ID: "down", Name: "down", Keys: []string{"j", "down"}, Do: by(func(*Pager) int { return 1 }), Hide: true},
		{ID: "up", Name: "up", Keys: []string{"k", "up"}, Do: by(func(*Pager) int { return -1 }), Hide: true},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown", "space"}, Do: by(func(p *Pager) int { return max(p.win.H-1, 1) }), Hide: true},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup", "b"}, Do: by(func(p *Pager) int { return -max(p.win.H-1, 1) }), Hide: true},
		{ID: "top", Name: "top", Keys: []string{"g", "home"}, Do: by(func(p *Pager) int { return -len(p.rows) }), Hide: true},
		{ID: "bottom", Name: "end", Keys: []string{"G", "end"}, Do: by(func(p *Pager) int { return len(p.rows) }), Hide: true},
	})
}

var pagerKeys = pagerMap()

func (p *Pager) Entries() []keys.Entry {
	entries := pagerKeys.Entries(p)
	if p.Through { // all other keys are passed on
		return []keys.Entry{{Name: "leave", Short: "leave", Keys: []string{"esc"}}}
	}
	return entries
}

func (p *Pager) Title() string { return p.Name }

// Place returns the middle of the screen. A pager that only shows which keys can follow is in
// the corner instead, so that it does not cover what these keys act on.
func (p *Pager) Place(w, h int) geometry.Rect {
	if !p.Through {
		mw, _ := inside(w, h)
		rows := len(p.wrapped(min(pagerCols, mw), w))
		return centred(pagerCols, rows, rows, w, h)
	}
	cols := text.Width(p.Name) + 4
	for _, r := range p.All {
		cols = max(cols, p.keyCols(w)+text.Width(r.Text)+2)
	}
	r := centred(cols, len(p.All), len(p.All), w, h-1) // the status line shows the keys typed so far
	return geometry.Rect{X: max(w-r.W, 0), Y: max(h-2-r.H, 0), W: r.W, H: r.H}
}

const (
	pagerCols = 100
	maxRows   = 40 // of one text
)

// wrapped wraps the texts that are too long for cols columns on a screen of w.
func (p *Pager) wrapped(cols, w int) []PagerRow {
	room := max(cols-p.keyCols(w)-2, 1)
	var out []PagerRow
	for _, r := range p.All {
		for _, row := range text.Rows(r.Text, room, maxRows) {
			out = append(out, PagerRow{r.Key, row, r.Bad})
			r.Key = ""
		}
	}
	return out
}

// keyCols returns the width of the keys.
func (p *Pager) keyCols(w int) int {
	cols := 0
	for _, r := range p.All {
		cols = max(cols, text.Width(r.Key)+2)
	}
	return min(cols, 22, w/3)
}

func (p *Pager) scroll(d int) { p.win.Scroll(d, len(p.rows)) }

func (p *Pager) Update(msg tea.Msg) (tea.Cmd, bool) {
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
		r := p.Place(msg.Width, msg.Height)
		p.win.H, p.w = max(r.H-2, 1), msg.Width
		p.rows = p.All
		if !p.Through {
			p.rows = p.wrapped(r.W-2, msg.Width)
		}
		p.scroll(0)
	case tea.MouseClickMsg:
		return nil, true
	}
	return nil, false
}

func (p *Pager) View(th *theme.Theme, w, h int) ([]string, *geometry.Point) {
	out := make([]string, h)
	for y := range out {
		rp := draw.NewRow(nil, w)
		if i := p.win.Top + y; i < len(p.rows) {
			r := p.rows[i]
			rp.Space(1)
			cols := p.keyCols(p.w)
			rp.Clip(r.Key, cols-1, th.HintKey)
			rp.Space(cols + 1 - rp.Used)
			st := th.Text
			if r.Bad {
				st = th.Error
			}
			rp.Put(r.Text, st)
		}
		out[y] = string(rp.End())
	}
	return out, nil
}
