package editor

import (
	"bytes"
	"context"
	"sort"

	tea "charm.land/bubbletea/v2"

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

// hitNumber returns which of all hits is selected, from 1, or 0.
func (e *Editor) hitNumber() (n, all int, known bool) {
	f := &e.find
	if f.pattern == nil || f.by != f.pattern || f.of != e.text {
		return 0, 0, false
	}
	from, to, _ := e.selection()
	i := sort.Search(len(f.hits), func(i int) bool { return f.hits[i].from >= from })
	if i < len(f.hits) && f.hits[i] == (hit{from, to}) {
		return i + 1, len(f.hits), true
	}
	return 0, len(f.hits), true
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
	if h, ok := e.search(p.from.cursor, 1); ok {
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
	h, ok := e.search(start, dir)
	if e.prompt != nil && !ok {
		e.prompt.problem = "not found"
	}
	if ok {
		e.showHit(h)
	}
}

func (e *Editor) showHit(h hit) {
	at := e.placeOf(h.from)
	if y := e.distance(e.top, at, e.rows()); y < 0 || y >= e.rows() {
		e.top, _ = e.move(at, -e.rows()/2)
	}
	e.moveTo(h.from, false)
	e.anchor, e.cursor = h.from, h.to
	e.reveal()
}

// search returns the first hit at byte from or after it, or the last one that ends there or
// before, wrapping around.
func (e *Editor) search(from, dir int) (hit, bool) {
	if dir > 0 {
		if h, ok := e.searchDown(from, e.text.len()); ok {
			return h, true
		}
		return e.searchDown(0, e.text.len())
	}
	if h, ok := e.searchUp(0, from); ok {
		return h, true
	}
	return e.searchUp(0, e.text.len())
}

// searchDown returns the first hit between two bytes.
func (e *Editor) searchDown(from, end int) (hit, bool) {
	p := e.find.pattern
	var b []byte
	for k := e.text.lineOf(from); k < len(e.text.lines) && e.text.starts[k] < end; k++ {
		start := e.text.starts[k]
		skip := max(from-start, 0)
		line := e.text.lines[k][:min(len(e.text.lines[k]), end-start)]
		b = p.folded(append(b[:0], line[min(skip, len(line)):]...))
		if i := bytes.Index(b, p.plain); i >= 0 {
			at := start + skip + i
			return hit{at, at + len(p.plain)}, true
		}
	}
	return hit{}, false
}

// searchUp returns the last hit between two bytes.
func (e *Editor) searchUp(from, end int) (hit, bool) {
	p := e.find.pattern
	var b []byte
	for k := e.text.lineOf(end); k >= 0 && e.text.lineStart(k+1) > from; k-- {
		start := e.text.starts[k]
		skip := max(from-start, 0)
		line := e.text.lines[k][:min(len(e.text.lines[k]), end-start)]
		b = p.folded(append(b[:0], line[min(skip, len(line)):]...))
		if i := bytes.LastIndex(b, p.plain); i >= 0 {
			at := start + skip + i
			return hit{at, at + len(p.plain)}, true
		}
	}
	return hit{}, false
}

// hits returns the highlighted matches in s, a line or the visible part of one.
func (e *Editor) hits(s, on string) []text.Span {
	if !e.find.highlighted || e.find.pattern == nil {
		return nil
	}
	var spans []text.Span
	e.find.pattern.inLine([]byte(s), func(h hit) bool {
		spans = append(spans, text.Span{From: h.from, To: h.to, On: on})
		return true
	})
	return spans
}
