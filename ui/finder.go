package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// finder finds a memory by letters of its path.
type finder struct {
	input   draw.Input
	entries []versions.Entry
	all     []candidate
	matches []match
	query   string
	cur     int
	top     int
	h       int // rows of the list
}

var finderKeys = listKeys("open")

// newFinder searches the entries; recent are named first while nothing is typed.
func newFinder(entries []versions.Entry) *finder {
	f := &finder{entries: entries, all: make([]candidate, len(entries))}
	for i, e := range entries {
		f.all[i] = newCandidate(e.Path.Rel())
	}
	f.find()
	return f
}

func (f *finder) Entries() []keys.Entry { return finderKeys.Entries(&dialogList{lister: f}) }

func (f *finder) title() string {
	return "find a memory · " + strconv.Itoa(len(f.matches)) + " of " + strconv.Itoa(len(f.all))
}

func (f *finder) size(w, h int) (int, int) { return min(w, 84), min(h, 20) }

// find matches what is typed; typing on searches only what was found before.
func (f *finder) find() {
	q := f.input.Value
	among := f.matches
	if !strings.HasPrefix(q, f.query) || f.query == "" {
		among = nil
	}
	f.query = q
	f.matches = fuzzy(f.all, q, among)
	if strings.TrimSpace(q) == "" { // the newest first
		f.newestFirst()
	}
	f.cur, f.top = 0, 0
}

func (f *finder) newestFirst() {
	for i := range f.matches {
		f.matches[i].score = i
	}
	sortMatches(f.matches, func(a, b match) int {
		return f.entries[b.index].Time.Compare(f.entries[a.index].Time)
	})
}

func (f *finder) turn(d int)     { f.step(d * max(f.h-1, 1)) }
func (f *finder) take() closing  { return f.takeAt(f.cur) }
func (f *finder) leave() closing { return closing{over: true} }

func (f *finder) step(d int) {
	f.cur = min(max(f.cur+d, 0), max(len(f.matches)-1, 0))
	f.top = min(f.top, f.cur)
	f.top = max(f.top, f.cur-f.h+1, 0)
}

func (f *finder) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if end, known := pressList(finderKeys, f, msg.String()); known {
			return end.cmd, end.over
		}
	case tea.WindowSizeMsg:
		_, h := f.size(max(msg.Width-4, 1), max(msg.Height-3, 1))
		f.h = max(h-1, 1)
		f.step(0)
	case tea.MouseWheelMsg:
		if msg.Button == tea.MouseWheelDown {
			f.step(1)
		} else if msg.Button == tea.MouseWheelUp {
			f.step(-1)
		}
	case tea.MouseClickMsg:
		if msg.Y > 0 && f.top+msg.Y-1 < len(f.matches) {
			end := f.takeAt(f.top + msg.Y - 1)
			return end.cmd, end.over
		}
	}
	if f.input.Update(msg) {
		f.find()
	}
	return nil, false
}

func (f *finder) takeAt(i int) closing {
	if i >= len(f.matches) {
		return closing{}
	}
	return closing{screen.Ask(screen.Open{Path: f.entries[f.matches[i].index].Path}), true}
}

func (f *finder) view(th *theme.Theme, w, h int) ([]string, *point) {
	out := make([]string, 0, h)
	dst := append(th.HintKey.Append(nil, " ›"), ' ')
	dst, x := f.input.Append(dst, max(w-3, 1), th.Input)
	out = append(out, string(dst))
	for y := 0; len(out) < h; y++ {
		out = append(out, f.row(th, f.top+y, w))
	}
	return out[:h], &point{min(3+x, w-1), 0}
}

func (f *finder) row(th *theme.Theme, i, w int) string {
	if i >= len(f.matches) {
		if i == 0 {
			return string(text.Pad(nil, "   no memory has these letters", w))
		}
		return string(text.Spaces(nil, w))
	}
	c := &f.all[f.matches[i].index]
	st := theme.Style{}
	if i == f.cur {
		st = th.Selected
	}
	var dst []byte
	dst = append(dst, st.On...)
	dst = text.Spaces(dst, min(3, w))
	skip := max(text.Width(c.path)-(w-4), 0)
	var spans []text.Span
	for _, at := range letters(nil, c, f.query) {
		if len(c.lower) == len(c.path) {
			spans = append(spans, text.Span{From: at, To: at + 1, On: th.Strong.On + th.Input.On})
		}
	}
	if i != f.cur && c.base > 0 {
		folder := []text.Span{{From: 0, To: c.base, On: th.Dim.On}}
		dst, _ = text.Line{Width: max(w-3, 0), Skip: skip, Base: st.On, Mark: th.HiddenChar.On, Fill: true}.Append(dst, c.path, folder, spans)
	} else {
		dst, _ = text.Line{Width: max(w-3, 0), Skip: skip, Base: st.On, Mark: th.HiddenChar.On, Fill: true}.Append(dst, c.path, spans)
	}
	return string(append(dst, st.Off...))
}
