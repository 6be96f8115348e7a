package editor

import (
	"context"
	"sort"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// search is the state of find.
type search struct {
	pattern     *pattern // nil before the first search
	highlighted bool     // hits are highlighted

	counts screen.Load[[]hit]
	of     *buffer // the text and the pattern of hits
	by     *pattern
	hits   []hit
}

// maxHits limits how many hits are counted.
const maxHits = 1 << 20

// count counts the highlighted hits in a command, because the text may be large.
func (e *Editor) count(cmd tea.Cmd) tea.Cmd {
	f := &e.find
	if !f.highlighted || f.pattern == nil || f.counts.Waiting() || f.of == e.text && f.by == f.pattern {
		return cmd
	}
	of, by := e.text, f.pattern
	return tea.Batch(cmd, f.counts.Begin(e.env.Ctx, func(context.Context) (hits []hit, _ error) {
		by.each(of.bytes(), func(h hit) bool {
			hits = append(hits, h)
			return len(hits) < maxHits
		})
		return hits, nil
	}, func(hits []hit, _ error) tea.Cmd {
		f.of, f.by, f.hits = of, by, hits
		return e.count(nil) // the text may be another one by now
	}))
}

// searchTyped finds the query in the prompt, from where the search began.
func (e *Editor) searchTyped() {
	p := e.prompt
	p.problem = ""
	if p.input.Value() == "" {
		e.find.highlighted = false
		e.moveTo(p.from.cursor, false)
		return
	}
	e.find.pattern, e.find.highlighted = newPattern(p.input.Value()), true
	if h, ok := e.find.pattern.in(e.text, p.from.cursor, 1); ok {
		e.showHit(h)
	} else {
		p.problem = "not found"
	}
}

// findNext goes to the next or previous hit, wrapping around.
func (e *Editor) findNext(dir int) {
	if e.find.pattern == nil {
		return
	}
	e.find.highlighted = true
	from, to, _ := e.selection()
	start := to
	if dir < 0 {
		start = from
	}
	h, ok := e.find.pattern.in(e.text, start, dir)
	if e.prompt != nil && !ok {
		e.prompt.problem = "not found"
	}
	if ok {
		e.showHit(h)
	}
}

func (e *Editor) showHit(h hit) {
	at := e.placeOf(h.from)
	if y := e.distance(e.top, at, e.rows); y < 0 || y >= e.rows {
		e.top, _ = e.move(at, -e.rows/2)
	}
	e.moveTo(h.from, false)
	e.anchor, e.cursor = h.from, h.to
	e.reveal()
}

// label returns which of all hits in a text is the selected one: "3 of 12".
func (f *search) label(in *buffer, now hit) string {
	if f.pattern == nil || f.by != f.pattern || f.of != in {
		return ""
	}
	i := sort.Search(len(f.hits), func(i int) bool { return f.hits[i].from >= now.from })
	if i < len(f.hits) && f.hits[i] == now {
		return strconv.Itoa(i+1) + " of " + strconv.Itoa(len(f.hits))
	}
	return draw.Plural(len(f.hits), "hit", "hits")
}

// spans returns the highlighted matches in s, a line or the visible part of one.
func (f *search) spans(s, on string) []text.Span {
	if !f.highlighted || f.pattern == nil {
		return nil
	}
	var spans []text.Span
	f.pattern.inLine([]byte(s), func(h hit) bool {
		spans = append(spans, text.Span{From: h.from, To: h.to, On: on})
		return true
	})
	return spans
}

func (e *Editor) hitLabel() string {
	from, to, _ := e.selection()
	return e.find.label(e.text, hit{from, to})
}
