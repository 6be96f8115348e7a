package talk

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

func action(id, name string, f func(*View) tea.Cmd, why func(*View) string, seqs ...string) keys.Action[*View] {
	return keys.Action[*View]{ID: id, Name: name, Keys: seqs, Why: why, Do: func(v *View, _ int) tea.Cmd { return f(v) }}
}

// viewKeys returns the keys that work while no text is typed.
func viewKeys(bindings keys.Bindings) *keys.Map[*View] {
	move := func(id string, f func(*View, int), more ...string) keys.Action[*View] {
		return list.Move(id, func(v *View, n int) tea.Cmd { f(v, max(n, 1)); return nil }, more...)
	}
	return keys.New("conversation", bindings, []keys.Action[*View]{
		action("agent.stop", "", (*View).Stop, (*View).idleDisabled).As("stop"),
		action("agent.prompt", "write a prompt", (*View).write, (*View).WhyNoPrompt).As("prompt").While(func(v *View) bool { return !v.hasField() }, "resume"),
		action("list.open", "open, or review what is held", (*View).openMemory, (*View).memoryDisabled).As("open").While(func(v *View) bool { c := v.call(); return c != nil && c.held > 0 }, "review"),
		action("fold", "show all, or less", func(v *View) tea.Cmd { v.foldCurrent(); return nil }, (*View).foldDisabled, "space").As("unfold").While(func(v *View) bool { it := v.current(); return it != nil && it.fold == open }, "fold"),
		keys.Action[*View]{ID: "list.next", Name: "next call", Do: func(v *View, n int) tea.Cmd { return v.jump(max(n, 1)) }},
		keys.Action[*View]{ID: "list.previous", Name: "previous call", Do: func(v *View, n int) tea.Cmd { return v.jump(-max(n, 1)) }},
		action("text.find", "find a text", (*View).beginFind, nil).As("find"),
		{ID: "text.next-hit", Hide: true, Why: (*View).hitDisabled, Do: func(v *View, n int) tea.Cmd { v.findNext(max(n, 1)); return nil }},
		{ID: "text.previous-hit", Hide: true, Why: (*View).hitDisabled, Do: func(v *View, n int) tea.Cmd { v.findNext(-max(n, 1)); return nil }},
		action("change.version", "", (*View).showVersion, (*View).changeDisabled),
		action("change.blame", "", (*View).blame, (*View).memoryDisabled),
		action("change.timeline", "", (*View).openTimeline, (*View).changeDisabled).As("timeline"),
		action("compact", "compact now", (*View).compact, (*View).compactDisabled, "c c"),
		{ID: "copy.text", Why: (*View).whyEmpty, Do: (*View).copyBlock},
		{ID: "copy.path", Why: (*View).memoryDisabled, Do: (*View).copyPath},
		action("list.fold-all", "a row for each call", func(v *View) tea.Cmd { v.foldAll(shut); return nil }, nil),
		action("list.unfold-all", "calls with what they changed, or everything", func(v *View) tea.Cmd { v.unfoldAll(); return nil }, nil),
		{ID: "next-block", Name: "next block", Keys: []string{"}"}, Hide: true, Do: func(v *View, n int) tea.Cmd { v.step(max(n, 1)); return nil }},
		{ID: "previous-block", Name: "previous block", Keys: []string{"{"}, Hide: true, Do: func(v *View, n int) tea.Cmd { v.step(-max(n, 1)); return nil }},
		move("down", func(v *View, n int) { v.scroll(n) }),
		move("up", func(v *View, n int) { v.scroll(-n) }),
		move("page-down", func(v *View, n int) { v.scroll(n * v.pageRows()) }),
		move("page-up", func(v *View, n int) { v.scroll(-n * v.pageRows()) }),
		move("half-down", func(v *View, n int) { v.scroll(n * max(v.pageRows()/2, 1)) }),
		move("half-up", func(v *View, n int) { v.scroll(-n * max(v.pageRows()/2, 1)) }),
		move("top", func(v *View, _ int) { v.top, v.cur, v.follow = itemRow{}, 0, false }),
		move("bottom", func(v *View, _ int) { v.toEnd() }), // and follows
	})
}

// typingKeys returns the keys that work while a prompt is typed.
func typingKeys(bindings keys.Bindings) *keys.Map[*View] {
	return keys.New("conversation-prompt", bindings, []keys.Action[*View]{
		action("field.accept", "send", (*View).send, nil),
		action("field.leave", "to the conversation", (*View).leavePrompt, nil).As("leave"),
		action("stop", "stop the agent", (*View).Stop, (*View).idleDisabled, "ctrl+x").As("stop"),
		action("global.next-pane", "next pane", func(v *View) tea.Cmd { return v.env.Do(screen.Cycle{By: 1}) }, nil, "tab"),
		action("global.previous-pane", "last pane", func(v *View) tea.Cmd { return v.env.Do(screen.Cycle{By: -1}) }, nil, "shift+tab"),
		action("move.page-up", "", func(v *View) tea.Cmd { v.scroll(-v.pageRows()); return nil }, nil),
		action("move.page-down", "", func(v *View) tea.Cmd { v.scroll(v.pageRows()); return nil }, nil),
	})
}

// findKeys returns the keys that work while a search pattern is typed.
func findKeys(bindings keys.Bindings) *keys.Map[*View] {
	return keys.New("conversation-find", bindings, []keys.Action[*View]{
		action("field.accept", "go there", func(v *View) tea.Cmd { v.find.typing = false; return nil }, nil),
		action("field.up", "the hit before", func(v *View) tea.Cmd { v.findNext(-1); return nil }, nil),
		action("field.down", "the hit after", func(v *View) tea.Cmd { v.findNext(1); return nil }, nil),
		action("field.leave", "", (*View).endFind, nil),
	})
}

// Keys lists the actions of conversations with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return slices.Concat(viewKeys(bindings).All(), typingKeys(bindings).All(), findKeys(bindings).All())
}

// typeKey passes a key or pasted text to the field, or to the search.
func (v *View) typeKey(msg tea.Msg) tea.Cmd {
	m := v.typed
	switch {
	case v.find.typing:
		m = v.finding
	case !v.typing:
		return nil
	}
	if k, ok := msg.(tea.KeyPressMsg); ok {
		for _, name := range keys.Names(k) {
			if cmd, r := m.Press(v, []string{name}, 0); r != keys.None {
				return cmd
			}
		}
	}
	if v.find.typing {
		if v.find.input.Update(msg) {
			v.find.set(v.find.input.Value)
			v.findFirst()
		}
		return nil
	}
	v.field.update(msg)
	return nil
}

func (v *View) pageRows() int {
	t, _, _ := v.layout()
	return max(t.H-1, 1)
}

// Write moves the focus to the field.
func (v *View) Write() tea.Cmd {
	if v.WhyNoPrompt() != "" {
		return nil
	}
	cmd := v.write()
	v.draw()
	return cmd
}

// write moves the focus to the field; a session that does not run is resumed first.
func (v *View) write() tea.Cmd {
	switch {
	case v.WhyNoPrompt() != "":
	case v.hasField():
		v.typing = true
	default:
		return v.c.Resume()
	}
	return nil
}

// WhyNoPrompt returns why a prompt can't be sent, or an empty string if it can.
func (v *View) WhyNoPrompt() string {
	switch {
	case v.hasField():
		return ""
	case v.c.Record:
		return "it is only read here"
	case v.c.Elsewhere:
		return "it runs in another program"
	case v.c.Resume == nil:
		return "it does not run any more"
	}
	return v.c.ResumeDisabled()
}

// send sends the prompt to the agent.
func (v *View) send() tea.Cmd {
	s := strings.TrimSpace(v.field.value)
	if s == "" {
		return nil
	}
	v.field.remember(s)
	v.field.set("")
	v.toEnd()
	return v.do("prompt", s, func(x Session) error { return x.Send(s) })
}

// leavePrompt leaves the field. It never stops the agent: people press Esc to leave a field.
func (v *View) leavePrompt() tea.Cmd {
	v.typing = false
	return nil
}

// stopKey returns the key that stops the agent here; empty if there is none.
func (v *View) stopKey() string {
	for _, e := range v.Entries() {
		if strings.HasSuffix(e.ID, ".stop") {
			return e.Hint()
		}
	}
	return ""
}

func (v *View) idleDisabled() string {
	if v.c.Session == nil || !v.busy() {
		return "it is not at work"
	}
	return ""
}

// Stop stops the agent.
func (v *View) Stop() tea.Cmd {
	return v.do("stop", "", func(x Session) error { x.Stop(); return nil })
}

func (v *View) hitDisabled() string {
	if v.find.text == "" {
		return "nothing was searched for: " + v.keys.Hint("text.find") + " searches"
	}
	return ""
}

func (v *View) compactDisabled() string {
	switch {
	case v.c.Session == nil:
		return "it does not run here"
	case v.state.Requests == 0:
		return "nothing was said yet"
	}
	return ""
}

func (v *View) compact() tea.Cmd { return v.do("compact", "", Session.Compact) }

// current returns the block that the keys act on.
func (v *View) current() *item {
	if v.cur < 0 || v.cur >= len(v.tr.items) {
		return nil
	}
	return v.tr.items[v.cur]
}

func (v *View) whyEmpty() string {
	if v.current() == nil {
		return "nothing was said yet"
	}
	return ""
}

func (v *View) foldDisabled() string {
	if it := v.current(); it == nil || !it.folds() {
		return "nothing is folded here: " + v.keys.Hint("list.next") + " goes to the next call"
	}
	return ""
}

func (v *View) foldCurrent() {
	it := v.current()
	if it == nil || !it.folds() {
		return
	}
	if it.fold == open {
		it.fold = brief
	} else {
		it.fold = open
	}
	v.reveal()
}

// unfoldAll shows the calls with what they changed; if it did that already, everything.
func (v *View) unfoldAll() {
	brieflyShown := true
	for _, it := range v.tr.items {
		brieflyShown = brieflyShown && (it.kind != callItem || it.fold != shut)
	}
	if brieflyShown {
		v.foldAll(open)
		return
	}
	v.foldAll(brief)
}

func (v *View) foldAll(f fold) {
	for _, it := range v.tr.items {
		if it.kind == callItem || f == open {
			it.fold = f
		} else if it.kind == thinkingItem || it.kind == compactItem {
			it.fold = brief
		}
	}
	v.top.row = 0
	v.reveal()
}

// call returns the call of the current block if it is a call of the memory tool.
func (v *View) call() *call {
	if it := v.current(); it != nil {
		return it.call
	}
	return nil
}

func (v *View) memoryDisabled() string {
	c := v.call()
	switch {
	case c == nil:
		return "choose a call: " + v.keys.Hint("list.next") + " and " + v.keys.Hint("list.previous") + " go from one to the next"
	case c.store != "" && c.store != v.c.Here:
		return "it is in another store: " + v.env.Hint("global.stores") + " opens that"
	case c.held > 0:
		return ""
	case c.done && c.command == "" && c.store == "": // of an agent that ran elsewhere
		return "it is not about a memory of this store"
	case v.pathOf(c).IsRoot():
		return "this call is about a folder, not a memory: " + v.keys.Hint("list.next") + " and " + v.keys.Hint("list.previous") + " go to other calls"
	case c.command == "delete":
		return "it was deleted: " + v.keys.Hint("change.version") + " shows its versions"
	}
	return ""
}

// pathOf returns the path of a call's memory in the store, or the root if it has none.
func (v *View) pathOf(c *call) memfs.Path {
	if d := c.diff; d != nil && !d.version.Path.IsRoot() {
		return d.version.Path
	}
	s := c.path
	for _, st := range v.state.Stores {
		if st.Store == v.c.Here && st.Mount != "" {
			rest, ok := strings.CutPrefix(strings.TrimSuffix(s, "/")+"/", strings.TrimSuffix(st.Mount, "/")+"/")
			if p, err := memfs.ParsePath("/" + strings.TrimSuffix(rest, "/")); ok && err == nil {
				return p
			}
		}
	}
	p, err := memfs.ParsePath(s)
	if err != nil {
		return memfs.Root
	}
	return p
}

func (v *View) openMemory() tea.Cmd {
	c := v.call()
	if c.held > 0 {
		return v.env.Do(screen.Queue{Number: c.held})
	}
	line := 0
	if c.diff != nil {
		line = c.diff.line
	}
	return v.env.Do(screen.Open{Path: v.pathOf(c), Line: line})
}

func (v *View) changeDisabled() string {
	c := v.call()
	switch {
	case c == nil:
		return "choose a call: " + v.keys.Hint("list.next") + " and " + v.keys.Hint("list.previous") + " go from one to the next"
	case c.change == 0:
		return "it changed nothing"
	case c.store != "" && c.store != v.c.Here:
		return "it is in another store: " + v.env.Hint("global.stores") + " opens that"
	}
	return ""
}

func (v *View) showVersion() tea.Cmd {
	c := v.call()
	if c.diff != nil && c.diff.version.ID != "" {
		x := c.diff.version
		return v.env.Do(screen.History{Path: x.Path, Memory: x.Memory, Version: x.ID})
	}
	return v.env.Do(screen.ShowChange{Change: c.change})
}

func (v *View) blame() tea.Cmd {
	c := v.call()
	b := screen.Blame{Path: v.pathOf(c)}
	if c.diff != nil {
		b.Version, b.Line = c.diff.version.ID, c.diff.line
	}
	return v.env.Do(b)
}

func (v *View) openTimeline() tea.Cmd { return v.env.Do(screen.Timeline{Change: v.call().change}) }

func (v *View) copyPath(int) tea.Cmd {
	return v.env.Do(screen.Copy{What: "the path", Text: v.pathOf(v.call()).String()})
}

// copyBlock copies the unprocessed text of a block.
func (v *View) copyBlock(int) tea.Cmd {
	it := v.current()
	s := it.note
	if it.body != nil {
		s = it.body.text()
	}
	return v.env.Do(screen.Copy{What: "the block", Text: s})
}
