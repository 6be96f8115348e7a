package memory

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/syntax"
)

// Keys lists the actions of the pane.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(paneKeys(bindings).All(), selectionKeys(bindings).All()...)
}

// Press handles a sequence of keys.
func (m *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	m.pointer.forget()
	if m.text.sel.on {
		if cmd, r := m.marking.Press(m, seq, n); r != keys.None {
			return cmd, r
		}
	}
	return m.keys.Press(m, seq, n)
}

// Entries returns the actions that are available.
func (m *Pane) Entries() []keys.Entry {
	entries := m.keys.Entries(m)
	if m.shown() && m.text.doc.partial { // its key runs the pager, which only reads
		i := slices.IndexFunc(entries, func(e keys.Entry) bool { return e.ID == "memory.external-editor" })
		e := &entries[i]
		e.Name, e.Short, e.Writes = "$PAGER", "$PAGER", false
	}
	if m.text.sel.on {
		return append(m.marking.Entries(m), entries...)
	}
	return entries
}

// unless returns why something is disabled, unless it is enabled.
func unless(enabled bool, why string) string {
	if enabled {
		return ""
	}
	return why
}

func (m *Pane) memoryDisabled() string { return unless(m.text.doc != nil, "no memory is open") }

func (m *Pane) textDisabled() string { return unless(m.shown(), "no memory is open") }

// wholeDisabled also refuses a file of which only the beginning is read: it is too large to be a memory.
func (m *Pane) wholeDisabled() string {
	if why := m.textDisabled(); why != "" || !m.text.doc.partial {
		return why
	}
	return tooLarge
}

func (m *Pane) renderDisabled() string {
	d := m.text.doc
	switch {
	case !m.shown():
		return "no memory is open"
	case m.text.rendered:
		return ""
	case d.md == nil && d.lang == syntax.Markdown && d.size > maxMarkdown:
		return "too large to render: over " + draw.Bytes(maxMarkdown)
	}
	return unless(d.md != nil, "it is no Markdown")
}

// back ends the latest of a selection, a chosen link and a search; otherwise it moves the
// focus to the tree.
func (m *Pane) back(int) tea.Cmd {
	switch {
	case m.text.sel.on:
		m.text.sel = selection{}
	case m.link != nil:
		m.link = nil
	case m.find.query != "":
		m.find.stop()
	case m.text.blame.on:
		return m.toggleBlame(0)
	default:
		return m.env.Do(screen.FocusTree{})
	}
	return nil
}

type action = keys.Action[*Pane]

// request returns an action that only sends a request.
func request(what func(m *Pane) screen.Request) func(*Pane, int) tea.Cmd {
	return func(m *Pane, _ int) tea.Cmd { return m.env.Do(what(m)) }
}

// onText returns an action that changes only what is visible of the text.
func onText(do func(v *viewport, n int)) func(*Pane, int) tea.Cmd {
	return func(m *Pane, n int) tea.Cmd {
		do(&m.text, n)
		return nil
	}
}

// times returns an action that is done with the typed number, or else once; a negative d goes back.
func times(d int, do func(m *Pane, n int) tea.Cmd) func(*Pane, int) tea.Cmd {
	return func(m *Pane, n int) tea.Cmd { return do(m, d*max(n, 1)) }
}

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("memory", bindings, slices.Concat(reviewActions(), textActions(), queueActions(), jumpActions(), copyActions(), moveActions()))
}

func reviewActions() []action {
	return []action{
		action{ID: "change.reviewed", Name: "keep the hunk", Short: "keep", Why: (*Pane).keepDisabled, Do: (*Pane).keep}.
			While(func(m *Pane) bool { return !m.unreviewed() }, "next to review"),
		{ID: "change.reject", Writes: true, Name: "undo the hunk", Short: "undo", Why: (*Pane).hunkDisabled, Do: (*Pane).undoHunk},
		{ID: "review-diff", Name: "diff since your review", Short: "diff", Keys: []string{"d"}, Why: (*Pane).queueDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.Queue{Memory: m.text.doc.review.of.Memory, Line: m.Line()}
		})},
		{ID: "change.edit", Writes: true, Why: (*Pane).wholeDisabled, Do: request(func(m *Pane) screen.Request {
			from, _ := m.text.rowsOfCursor()
			return screen.Edit{Path: m.Path(), Line: m.Line(), Column: m.text.cur.at, Row: m.text.bar + max(from, 0)}
		})},
		{ID: "list.next", Name: "next hunk", Why: (*Pane).changedDisabled, Do: times(1, (*Pane).nextChanged)},
		{ID: "list.previous", Name: "previous hunk", Hide: true, Why: (*Pane).changedDisabled, Do: times(-1, (*Pane).nextChanged)},
		{ID: "change.restore", Writes: true, Why: (*Pane).restoreDisabled, Do: (*Pane).restore},
		{ID: "change.undo-session", Writes: true, Short: "undo session", Why: (*Pane).sessionDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.UndoSession{Session: m.inQuestion().Session}
		})},
	}
}

func textActions() []action {
	hits := func(m *Pane) string {
		if len(m.find.hits) > 0 {
			return ""
		}
		return "nothing was searched for: " + m.keys.Hint("text.find") + " searches"
	}
	return []action{
		{ID: "text.find", Why: (*Pane).wholeDisabled, Do: (*Pane).askFind},
		{ID: "follow-link", Name: "follow", Keys: []string{"enter"}, Why: (*Pane).linkDisabled, Do: (*Pane).enter},
		action{ID: "rendered", Name: "rendered", Keys: []string{"m"}, Why: (*Pane).renderDisabled, Do: onText(func(v *viewport, _ int) { v.setRendered(!v.rendered) })}.
			While(func(m *Pane) bool { return m.text.rendered }, "raw"),
		action{ID: "change.blame", Name: "blame", Why: (*Pane).blameDisabled, Do: (*Pane).toggleBlame}.
			While(func(m *Pane) bool { return m.text.blame.on }, "no blame"),
		{ID: "backward", Name: "back", Keys: []string{"ctrl+o", "alt+left"},
			Why: func(m *Pane) string { return unless(len(m.visits.back) > 0, "no memory was opened before") },
			Do:  func(m *Pane, _ int) tea.Cmd { return m.goToVisit(m.visits.back) }},
		{ID: "forward", Name: "forward", Keys: []string{"alt+right", "ctrl+i"},
			Why: func(m *Pane) string { return unless(len(m.visits.forward) > 0, "nothing to go forward to") },
			Do:  func(m *Pane, _ int) tea.Cmd { return m.goToVisit(m.visits.forward) }},
		{ID: "external-editor", Writes: true, Name: "$EDITOR", Keys: []string{"E"}, Why: (*Pane).textDisabled, Do: request(func(m *Pane) screen.Request {
			if m.text.doc.partial {
				return screen.Pager{Path: m.Path()}
			}
			return screen.External{Path: m.Path(), Line: m.Line()}
		})},
		action{ID: "text.wrap", Name: "wrap", Why: (*Pane).textDisabled, Do: onText(func(v *viewport, _ int) { v.setWrap(!v.wrap) })}.
			While(func(m *Pane) bool { return m.text.wrap }, "unwrap"),
		{ID: "list.range", Name: "select lines", Why: (*Pane).textDisabled, Do: onText((*viewport).selectLines)},
		{ID: "go-to", Name: "go to line", Keys: []string{":"}, Why: (*Pane).textDisabled, Do: (*Pane).askGoTo},
		{ID: "text.next-hit", Why: hits, Do: times(1, (*Pane).nextHit)},
		{ID: "text.previous-hit", Why: hits, Do: times(-1, (*Pane).nextHit)},
	}
}

func queueActions() []action {
	next := func(by int) func(*Pane, int) tea.Cmd {
		return request(func(*Pane) screen.Request { return screen.ReviewNext{By: by} })
	}
	return []action{
		{ID: "list.next-memory", Name: "next memory to review", Why: (*Pane).reviewDisabled, Do: next(1)},
		{ID: "list.previous-memory", Name: "previous memory to review", Why: (*Pane).reviewDisabled, Hide: true, Do: next(-1)},
		{ID: "change.reviewed-all", Why: (*Pane).reviewDisabled, Do: request(func(*Pane) screen.Request { return screen.MarkAllReviewed{} })},
		{ID: "change.redact", Writes: true, Why: (*Pane).versionDisabled, Do: (*Pane).redact},
	}
}

func jumpActions() []action {
	return []action{
		{ID: "next-link", Name: "next link", Keys: []string{"}"}, Why: (*Pane).textDisabled, Do: times(1, (*Pane).hop)},
		{ID: "previous-link", Name: "previous link", Keys: []string{"{"}, Hide: true, Why: (*Pane).textDisabled, Do: times(-1, (*Pane).hop)},
		{ID: "next-finding", Name: "next finding or hidden mark", Keys: []string{"f"}, Why: (*Pane).textDisabled, Do: times(1, (*Pane).nextFinding)},
	}
}

func moveActions() []action {
	move := func(id string, do func(v *viewport, n int), more ...string) action {
		a := list.Move(id, onText(do), more...)
		a.Why = (*Pane).memoryDisabled
		return a
	}
	pages := func(id string, part func(h int) int, d int, more ...string) action {
		return move(id, func(v *viewport, n int) { v.scrollPage(d * max(n, 1) * max(part(v.win.H), 1)) }, more...)
	}
	whole, half := func(h int) int { return h - 1 }, func(h int) int { return h / 2 }
	return []action{
		move("down", func(v *viewport, n int) { v.move(max(n, 1)) }),
		move("up", func(v *viewport, n int) { v.move(-max(n, 1)) }),
		pages("page-down", whole, 1, "space"),
		pages("page-up", whole, -1),
		pages("half-down", half, 1),
		pages("half-up", half, -1),
		move("top", func(v *viewport, n int) { v.toLine(max(n, 1)) }),
		move("bottom", (*viewport).toLine),
		move("right", func(v *viewport, n int) { v.aside(8 * max(n, 1)) }),
		move("left", func(v *viewport, n int) { v.aside(-8 * max(n, 1)) }),
		{ID: "pane.back", Name: "to the tree", Do: (*Pane).back, Hide: true},
	}
}
