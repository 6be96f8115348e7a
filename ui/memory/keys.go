package memory

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Keys lists the actions of the pane.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(paneKeys(bindings).All(), selectionKeys(bindings).All()...)
}

// Press handles a sequence of keys.
func (m *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	m.drag = drag{}
	m.clicks.Forget()
	if m.sel.on {
		if cmd, r := m.marking.Press(m, seq, n); r != keys.None {
			return cmd, r
		}
	}
	return m.keys.Press(m, seq, n)
}

// Entries returns the actions that are available.
func (m *Pane) Entries() []keys.Entry {
	entries := m.keys.Entries(m)
	if m.shown() && m.doc.partial { // its key runs the pager, which only reads
		i := slices.IndexFunc(entries, func(e keys.Entry) bool { return e.ID == "memory.external-editor" })
		e := &entries[i]
		e.Name, e.Short, e.Writes = "$PAGER", "$PAGER", false
	}
	if m.sel.on {
		return append(m.marking.Entries(m), entries...)
	}
	return entries
}

func (m *Pane) memoryDisabled() string {
	if m.doc == nil {
		return "no memory is open"
	}
	return ""
}

func (m *Pane) textDisabled() string {
	if !m.shown() {
		return "open a memory first"
	}
	return ""
}

// editDisabled also refuses a file that is too large to be a memory: a save would be refused.
func (m *Pane) editDisabled() string {
	if why := m.textDisabled(); why != "" {
		return why
	}
	if m.doc.partial {
		return tooLarge
	}
	return ""
}

func (m *Pane) findDisabled() string {
	if why := m.textDisabled(); why != "" || !m.doc.partial {
		return why
	}
	return tooLarge
}

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	type action = keys.Action[*Pane]
	moves := func(id string, do func(*Pane, int), more ...string) action {
		a := list.Move(id, func(m *Pane, n int) tea.Cmd {
			do(m, n)
			return nil
		}, more...)
		a.Why = (*Pane).memoryDisabled
		return a
	}
	all := []action{
		action{ID: "change.reviewed", Name: "keep the hunk", Short: "keep", Why: (*Pane).keepDisabled, Do: (*Pane).keep}.
			While(func(m *Pane) bool { return !m.unreviewed() }, "next to review"),
		{ID: "change.reject", Writes: true, Name: "undo the hunk", Short: "undo", Why: (*Pane).hunkDisabled, Do: (*Pane).undoHunk},
		{ID: "review-diff", Name: "diff since your review", Short: "diff", Keys: []string{"d"}, Why: (*Pane).queueDisabled, Do: (*Pane).queue},
		{ID: "change.edit", Writes: true, Why: (*Pane).editDisabled, Do: (*Pane).edit},
		{ID: "list.next", Name: "next hunk", Why: (*Pane).changedDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.nextChanged(n, 1) }},
		{ID: "list.previous", Name: "previous hunk", Hide: true, Why: (*Pane).changedDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.nextChanged(n, -1) }},
		{ID: "change.restore", Writes: true, Why: (*Pane).restoreDisabled, Do: (*Pane).restore},
		{ID: "change.undo-session", Writes: true, Short: "undo session", Why: (*Pane).sessionDisabled, Do: (*Pane).undoSession},
		{ID: "text.find", Why: (*Pane).findDisabled, Do: (*Pane).askFind},
		{ID: "follow-link", Name: "follow", Keys: []string{"enter"}, Why: (*Pane).linkDisabled, Do: (*Pane).enter},
		action{ID: "rendered", Name: "rendered", Keys: []string{"m"}, Why: (*Pane).renderDisabled, Do: (*Pane).toggleRendered}.While(func(m *Pane) bool { return m.rendered }, "raw"),
		action{ID: "change.blame", Name: "blame", Why: (*Pane).blameDisabled, Do: (*Pane).toggleBlame}.While(func(m *Pane) bool { return m.blame.on }, "no blame"),
		{ID: "backward", Name: "back", Keys: []string{"ctrl+o", "alt+left"}, Why: (*Pane).backwardDisabled, Do: (*Pane).goBackward},
		{ID: "forward", Name: "forward", Keys: []string{"alt+right", "ctrl+i"}, Why: (*Pane).forwardDisabled, Do: (*Pane).goForward},
		{ID: "external-editor", Writes: true, Name: "$EDITOR", Keys: []string{"E"}, Why: (*Pane).textDisabled, Do: func(m *Pane, _ int) tea.Cmd {
			if m.doc.partial {
				return m.env.Do(screen.Pager{Path: m.Path()})
			}
			return m.env.Do(screen.External{Path: m.Path(), Line: m.cur.line + 1})
		}},
		action{ID: "text.wrap", Name: "wrap", Why: (*Pane).textDisabled, Do: (*Pane).toggleWrap}.While(func(m *Pane) bool { return m.wrap }, "unwrap"),
		{ID: "list.range", Name: "select lines", Why: (*Pane).selectDisabled, Do: (*Pane).selectLines},
		{ID: "go-to", Name: "go to line", Keys: []string{":"}, Why: (*Pane).textDisabled, Do: (*Pane).askGoTo},
		{ID: "text.next-hit", Why: (*Pane).hitDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.step(max(n, 1)) }},
		{ID: "text.previous-hit", Why: (*Pane).hitDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.step(-max(n, 1)) }},
	}
	all = append(all,
		action{ID: "list.next-memory", Name: "next memory to review", Why: (*Pane).reviewDisabled, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Do(screen.ReviewNext{By: 1}) }},
		action{ID: "list.previous-memory", Name: "previous memory to review", Why: (*Pane).reviewDisabled, Hide: true, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Do(screen.ReviewNext{By: -1}) }},
		action{ID: "change.reviewed-all", Why: (*Pane).reviewDisabled, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Do(screen.MarkAllReviewed{}) }},
		action{ID: "change.redact", Writes: true, Why: (*Pane).versionDisabled, Do: (*Pane).redact},
	)
	jump := func(id, name string, d int, do func(m *Pane, n, d int) tea.Cmd, seqs ...string) action {
		return action{ID: id, Name: name, Keys: seqs, Why: (*Pane).textDisabled, Hide: d < 0, Do: func(m *Pane, n int) tea.Cmd { return do(m, n, d) }}
	}
	all = append(all,
		jump("next-link", "next link", 1, (*Pane).hop, "}"),
		jump("previous-link", "previous link", -1, (*Pane).hop, "{"),
		jump("next-finding", "next finding or hidden mark", 1, (*Pane).nextFinding, "f"),
	)
	return keys.New("memory", bindings, append(all,
		action{ID: "copy.text", Why: (*Pane).textDisabled, Do: (*Pane).copyText},
		action{ID: "copy.path", Why: (*Pane).memoryDisabled, Do: (*Pane).copyPath},
		action{ID: "copy.line", Name: "copy path and line", Keys: []string{"y l"}, Why: (*Pane).textDisabled, Do: (*Pane).copyLineRef},
		action{ID: "copy.id", Why: (*Pane).versionDisabled, Do: (*Pane).copyMemoryID},
		action{ID: "copy.diff", Why: (*Pane).versionDisabled, Do: (*Pane).copyDiff},
		moves("down", func(m *Pane, n int) { m.moveCursor(max(n, 1)) }),
		moves("up", func(m *Pane, n int) { m.moveCursor(-max(n, 1)) }),
		moves("page-down", func(m *Pane, n int) { m.scrollPage(max(n, 1) * max(m.win.H-1, 1)) }, "space"),
		moves("page-up", func(m *Pane, n int) { m.scrollPage(-max(n, 1) * max(m.win.H-1, 1)) }),
		moves("half-down", func(m *Pane, n int) { m.scrollPage(max(n, 1) * max(m.win.H/2, 1)) }),
		moves("half-up", func(m *Pane, n int) { m.scrollPage(-max(n, 1) * max(m.win.H/2, 1)) }),
		moves("top", func(m *Pane, n int) { m.toLine(max(n, 1)) }),
		moves("bottom", (*Pane).toLine),
		moves("right", func(m *Pane, n int) { m.aside(8 * max(n, 1)) }),
		moves("left", func(m *Pane, n int) { m.aside(-8 * max(n, 1)) }),
		action{ID: "pane.back", Name: "to the tree", Do: (*Pane).back, Hide: true},
	))
}
