package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Keys lists the actions of the pane.
func Keys(bindings keys.Bindings) []keys.Entry {
	return append(paneKeys(bindings).All(), selectionKeys(bindings).All()...)
}

// Press handles a sequence of keys.
func (m *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	m.drag = drag{}
	if m.sel.on {
		if cmd, r := m.marking.Press(m, seq, n); r != keys.None {
			return cmd, r
		}
	}
	return m.keys.Press(m, seq, n)
}

// Entries returns the actions that are available.
func (m *Pane) Entries() []keys.Entry {
	if m.sel.on {
		return append(m.marking.Entries(m), m.keys.Entries(m)...)
	}
	return m.keys.Entries(m)
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

// editDisabled also refuses a file that is too large to be a memory: a save of it would be
// refused.
func (m *Pane) editDisabled() string {
	if why := m.textDisabled(); why != "" {
		return why
	}
	if m.doc.size > versions.DefaultMaxBytes {
		return "too large to edit: over " + draw.Bytes(versions.DefaultMaxBytes)
	}
	return ""
}

func paneKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	type action = keys.Action[*Pane]
	moves := func(id string, do func(*Pane, int), more ...string) action {
		a := list.Move(id, func(m *Pane, n int) tea.Cmd {
			m.atEnd = false
			do(m, n)
			m.resume = position{}
			return m.Fetch()
		}, more...)
		a.Why = (*Pane).memoryDisabled
		return a
	}
	jumps := func(id, name string, do func(m *Pane, n, d int) tea.Cmd, key string) []action {
		return []action{
			{ID: "next-" + id, Name: "next " + name, Keys: []string{"] " + key}, Why: (*Pane).textDisabled, Do: func(m *Pane, n int) tea.Cmd { return do(m, n, 1) }},
			{ID: "previous-" + id, Name: "previous " + name, Keys: []string{"[ " + key}, Why: (*Pane).textDisabled, Hide: true, Do: func(m *Pane, n int) tea.Cmd { return do(m, n, -1) }},
		}
	}
	all := []action{
		action{ID: "reviewed", In: "change", Name: "mark as reviewed, go on", Short: "reviewed", Keys: []string{"."}, Why: (*Pane).reviewDisabled, Do: (*Pane).markReviewed}.
			While(func(m *Pane) bool { return !m.unreviewed() }, "next to review"),
		action{ID: "review-diff", Name: "diff since your review", Short: "diff", Keys: []string{"d"}, Why: (*Pane).reviewDiffDisabled, Do: (*Pane).reviewDiff},
		{ID: "edit", Writes: true, Name: "edit", Keys: []string{"e"}, Why: (*Pane).editDisabled, Do: (*Pane).edit},
		{ID: "restore", Writes: true, Name: "restore", Keys: []string{"R"}, Why: (*Pane).restoreDisabled, Do: (*Pane).restore},
		{ID: "undo-session", In: "change", Writes: true, Name: "undo the session", Short: "undo session", Keys: []string{"U"}, Why: (*Pane).sessionDisabled, Do: (*Pane).undoSession},
		{ID: "find", Name: "find", Keys: []string{"/"}, Why: (*Pane).textDisabled, Do: (*Pane).askFind},
		{ID: "follow-link", Name: "follow", Keys: []string{"enter"}, Why: (*Pane).linkDisabled, Do: (*Pane).enter},
		action{ID: "rendered", Name: "rendered", Keys: []string{"m"}, Why: (*Pane).renderDisabled, Do: (*Pane).toggleRendered}.While(func(m *Pane) bool { return m.rendered }, "raw"),
		action{ID: "blame", Name: "blame", Keys: []string{"B"}, Why: (*Pane).blameDisabled, Do: (*Pane).toggleBlame}.While(func(m *Pane) bool { return m.blame.on }, "no blame"),
		{ID: "backward", Name: "back", Keys: []string{"ctrl+o", "alt+left"}, Why: (*Pane).backwardDisabled, Do: (*Pane).goBackward},
		{ID: "forward", Name: "forward", Keys: []string{"alt+right", "ctrl+i"}, Why: (*Pane).forwardDisabled, Do: (*Pane).goForward},
		{ID: "external-editor", Writes: true, Name: "$EDITOR", Keys: []string{"E"}, Why: (*Pane).editDisabled, Do: func(m *Pane, _ int) tea.Cmd {
			return m.env.Ask(screen.External{Path: m.Path(), Line: m.cur.line + 1})
		}},
		action{ID: "wrap", Name: "wrap", Keys: []string{"w"}, Why: (*Pane).textDisabled, Do: (*Pane).toggleWrap}.While(func(m *Pane) bool { return m.wrap }, "unwrap"),
		{ID: "select", Name: "select lines", Keys: []string{"V"}, Why: (*Pane).selectDisabled, Do: (*Pane).selectLines},
		{ID: "go-to", Name: "go to line", Keys: []string{":"}, Why: (*Pane).textDisabled, Do: (*Pane).askGoTo},
		{ID: "next-hit", Name: "next hit", Keys: []string{"n"}, Why: (*Pane).hitDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.step(max(n, 1)) }},
		{ID: "previous-hit", Name: "previous hit", Keys: []string{"N"}, Why: (*Pane).hitDisabled, Do: func(m *Pane, n int) tea.Cmd { return m.step(-max(n, 1)) }},
	}
	all = append(all,
		action{ID: "next-review", Name: "next memory to review", Keys: []string{"] r"}, Why: (*Pane).reviewDisabled, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Ask(request.ReviewNext{By: 1}) }},
		action{ID: "previous-review", Name: "previous memory to review", Keys: []string{"[ r"}, Why: (*Pane).reviewDisabled, Hide: true, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Ask(request.ReviewNext{By: -1}) }},
		action{ID: "reviewed-all", In: "change", Name: "mark all as reviewed", Keys: []string{">"}, Why: (*Pane).reviewDisabled, Do: func(m *Pane, _ int) tea.Cmd { return m.env.Ask(request.MarkAllReviewed{}) }},
		action{ID: "redact", Writes: true, Name: "redact", Keys: []string{"X"}, Why: (*Pane).versionDisabled, Do: (*Pane).redact},
	)
	all = append(all, jumps("link", "link", (*Pane).hop, "l")...)
	all = append(all, jumps("heading", "heading", (*Pane).nextHeading, "]")...)
	all[len(all)-1].Keys = []string{"[ ["}
	all = append(all, jumps("change", "changed line", (*Pane).nextChanged, "c")...)
	all = append(all, jumps("hidden", "hidden character", (*Pane).nextHidden, "h")...)
	all = append(all, jumps("finding", "finding", (*Pane).nextFinding, "f")...)
	return keys.New("memory", bindings, append(all,
		action{ID: "text", In: "copy", Name: "copy the text", Keys: []string{"y y"}, Why: (*Pane).textDisabled, Do: (*Pane).copyText},
		action{ID: "path", In: "copy", Name: "copy the path", Keys: []string{"y p"}, Why: (*Pane).memoryDisabled, Do: (*Pane).copyPath},
		action{ID: "line", In: "copy", Name: "copy path and line", Keys: []string{"y l"}, Why: (*Pane).textDisabled, Do: (*Pane).copyLineRef},
		action{ID: "id", In: "copy", Name: "copy the id", Keys: []string{"y i"}, Why: (*Pane).versionDisabled, Do: (*Pane).copyMemoryID},
		action{ID: "diff", In: "copy", Name: "copy the diff", Keys: []string{"y d"}, Why: (*Pane).versionDisabled, Do: (*Pane).copyDiff},
		moves("down", func(m *Pane, n int) { m.moveCursor(max(n, 1)) }),
		moves("up", func(m *Pane, n int) { m.moveCursor(-max(n, 1)) }),
		moves("page-down", func(m *Pane, n int) { m.scrollPage(max(n, 1) * max(m.h-1, 1)) }, "space"),
		moves("page-up", func(m *Pane, n int) { m.scrollPage(-max(n, 1) * max(m.h-1, 1)) }, "b"),
		moves("half-down", func(m *Pane, n int) { m.scrollPage(max(n, 1) * max(m.h/2, 1)) }),
		moves("half-up", func(m *Pane, n int) { m.scrollPage(-max(n, 1) * max(m.h/2, 1)) }),
		moves("top", func(m *Pane, n int) { m.toLine(max(n, 1)) }),
		moves("bottom", (*Pane).toLine),
		moves("right", func(m *Pane, n int) { m.aside(8 * max(n, 1)) }),
		moves("left", func(m *Pane, n int) { m.aside(-8 * max(n, 1)) }),
		action{ID: "back", Name: "to the tree", Keys: []string{"esc"}, Do: (*Pane).back, Hide: true},
	))
}
