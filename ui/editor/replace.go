package editor

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
)

// walk replaces hit after hit, from the cursor down, around the end of the text, to where
// it began. It ends there even if the replacement contains the query.
type walk struct {
	query   string
	with    string
	from    int  // where it began, adjusted to the replacements
	around  bool // it wrapped around the end
	current hit
	done    int // hits replaced
	steps   int // in which they were, each of which is undone alone
}

// askWith prompts for the replacement.
func (e *Editor) askWith() {
	if e.prompt.problem != "" || e.find.pattern == nil {
		return
	}
	from, top, left := e.prompt.from, e.prompt.top, e.prompt.left
	e.openPrompt(withPrompt)
	e.prompt.from, e.prompt.top, e.prompt.left = from, top, left
}

// beginReplace asks for each hit whether to replace it.
func (e *Editor) beginReplace(with string) tea.Cmd {
	p := e.prompt
	p.kind, p.walk = askPrompt, walk{query: e.find.pattern.query, with: with, from: p.from.cursor}
	return e.nextToReplace(p.from.cursor)
}

// nextToReplace shows the next hit; without one the walk ends.
func (e *Editor) nextToReplace(at int) tea.Cmd {
	w := &e.prompt.walk
	h, ok := hit{}, false
	if !w.around {
		if h, ok = e.find.pattern.down(e.text, at, e.text.len()); !ok {
			w.around, at = true, 0
		}
	}
	if !ok {
		h, ok = e.find.pattern.down(e.text, at, min(w.from, e.text.len()))
	}
	if !ok {
		return e.endReplace()
	}
	w.current = h
	e.showHit(h)
	return nil
}

// replaceHere replaces the current hit.
func (e *Editor) replaceHere() tea.Cmd {
	w := &e.prompt.walk
	e.edit(func(d *document) { d.apply(w.current.from, w.current.to, w.with, noRun) })
	if w.around {
		w.from += len(w.with) - (w.current.to - w.current.from)
	}
	w.done++
	w.steps++
	return e.nextToReplace(w.current.from + len(w.with))
}

func (e *Editor) skipHere() tea.Cmd { return e.nextToReplace(e.prompt.walk.current.to) }

// replaceRest replaces this hit and all remaining ones, in one step.
func (e *Editor) replaceRest() tea.Cmd {
	w := &e.prompt.walk
	old := e.text.bytes()
	left := func(h hit) bool {
		if w.around {
			return h.from >= w.current.from && h.to <= w.from
		}
		return h.from >= w.current.from || h.to <= w.from
	}
	var out []byte
	from, at := -1, 0
	e.find.pattern.each(old, func(h hit) bool {
		if !left(h) {
			return true
		}
		if from < 0 {
			from, at = h.from, h.from
		}
		out = append(out, old[at:h.from]...)
		out = append(out, w.with...)
		at = h.to
		w.done++
		return true
	})
	if from >= 0 {
		e.edit(func(d *document) { d.apply(from, at, string(out), noRun) })
		w.steps++
	}
	return e.endReplace()
}

func (e *Editor) endReplace() tea.Cmd {
	n, steps := e.prompt.walk.done, e.prompt.walk.steps
	e.setPrompt(nil)
	e.find.highlighted, e.anchor = false, -1
	e.reveal()
	message := "replaced " + draw.Plural(n, "hit", "hits") + " · " + e.Hint("undo") + " undoes"
	if steps > 1 {
		message += " one step"
	}
	if n == 0 {
		message = "nothing was replaced"
	}
	return e.env.Do(screen.Notice{Text: message})
}
