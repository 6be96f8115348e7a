package talk

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// viewKeys returns the keys that work while no text is typed.
func viewKeys(bindings keys.Bindings) *keys.Map[*View] {
	step := func(id, name string, d int, such func(*item) bool, seqs ...string) keys.Action[*View] {
		return keys.Action[*View]{ID: id, Name: name, Keys: seqs, Do: func(v *View, n int) tea.Cmd { v.blocks.step(d*max(n, 1), such); return nil }}
	}
	hidden := func(a keys.Action[*View]) keys.Action[*View] { a.Hide = true; return a }
	return keys.New("conversation", bindings, append([]keys.Action[*View]{
		keys.Act("agent.stop", "", (*View).Stop, (*View).idleDisabled).As("stop"),
		keys.Act("agent.prompt", "write a prompt", (*View).Write, (*View).WhyNoPrompt).As("prompt").While(func(v *View) bool { return !v.hasField() }, "resume"),
		keys.Act("list.open", "open, or review what is held", (*View).openMemory, (*View).memoryDisabled).As("open").While(func(v *View) bool { c := v.blocks.call(); return c != nil && c.held > 0 }, "review"),
		keys.Act("fold", "show all, or less", onBlocks((*blocks).fold), (*View).foldDisabled, "space").As("unfold").While(func(v *View) bool { it := v.blocks.current(); return it != nil && it.fold == open }, "fold"),
		step("list.next", "next call", 1, isCall),
		step("list.previous", "previous call", -1, isCall),
		keys.Act("text.find", "find a text", func(v *View) tea.Cmd { v.find.begin(&v.blocks); return nil }, nil).As("find"),
		hidden(keys.Act("text.next-hit", "", toMatch(1), (*View).hitDisabled)),
		hidden(keys.Act("text.previous-hit", "", toMatch(-1), (*View).hitDisabled)),
		keys.Act("change.version", "", (*View).showVersion, (*View).changeDisabled),
		keys.Act("change.blame", "", (*View).blame, (*View).memoryDisabled),
		keys.Act("change.timeline", "", (*View).openTimeline, (*View).changeDisabled).As("timeline"),
		keys.Act("compact", "compact now", func(v *View) tea.Cmd { return v.do("compact", "", Session.Compact) }, (*View).compactDisabled, "c c"),
		{ID: "copy.text", Why: (*View).copyDisabled, Do: (*View).copyBlock},
		{ID: "copy.path", Why: (*View).memoryDisabled, Do: (*View).copyPath},
		keys.Act("list.fold-all", "a row for each call", onBlocks(func(b *blocks) { b.foldAll(shut) }), nil),
		keys.Act("list.unfold-all", "calls with what they changed, or everything", onBlocks((*blocks).unfoldAll), nil),
		hidden(step("next-block", "next block", 1, anyBlock, "}")),
		hidden(step("previous-block", "previous block", -1, anyBlock, "{")),
	}, blockMoves()...))
}

// blockMoves returns the moves in the conversation. At its end, the window stays there.
func blockMoves() []keys.Action[*View] {
	by := func(id string, rows func(b *blocks) int) keys.Action[*View] {
		return list.Move(id, func(v *View, n int) tea.Cmd { v.blocks.scroll(max(n, 1) * rows(&v.blocks)); return nil })
	}
	return []keys.Action[*View]{
		by("down", func(*blocks) int { return 1 }),
		by("up", func(*blocks) int { return -1 }),
		by("page-down", (*blocks).page),
		by("page-up", func(b *blocks) int { return -b.page() }),
		by("half-down", func(b *blocks) int { return max(b.page()/2, 1) }),
		by("half-up", func(b *blocks) int { return -max(b.page()/2, 1) }),
		list.Move("top", func(v *View, _ int) tea.Cmd { v.blocks.toStart(); return nil }),
		list.Move("bottom", func(v *View, _ int) tea.Cmd { v.blocks.toEnd(); return nil }),
	}
}

// onBlocks and toMatch return what actions do that concern the blocks only.
func onBlocks(f func(*blocks)) func(*View) tea.Cmd {
	return func(v *View) tea.Cmd { f(&v.blocks); return nil }
}

func toMatch(by int) func(*View) tea.Cmd {
	return func(v *View) tea.Cmd { v.find.next(&v.blocks, by); return nil }
}

// typingKeys returns the keys that work while a prompt is typed. Leaving the field never stops the
// agent: people press Esc to leave a field.
func typingKeys(bindings keys.Bindings) *keys.Map[*View] {
	cycle := func(by int) func(*View) tea.Cmd {
		return func(v *View) tea.Cmd { return v.env.Do(screen.Cycle{By: by}) }
	}
	return keys.New("conversation-prompt", bindings, []keys.Action[*View]{
		keys.Act("field.accept", "send", (*View).send, nil),
		keys.Act("field.leave", "to the conversation", func(v *View) tea.Cmd { v.field.typing = false; return nil }, nil).As("leave"),
		keys.Act("stop", "stop the agent", (*View).Stop, (*View).idleDisabled, "ctrl+x").As("stop"),
		keys.Act("global.next-pane", "next pane", cycle(1), nil, "tab"),
		keys.Act("global.previous-pane", "last pane", cycle(-1), nil, "shift+tab"),
		keys.Act("move.page-up", "", onBlocks(func(b *blocks) { b.scroll(-b.page()) }), nil),
		keys.Act("move.page-down", "", onBlocks(func(b *blocks) { b.scroll(b.page()) }), nil),
	})
}

// findKeys returns the keys that work while a search pattern is typed.
func findKeys(bindings keys.Bindings) *keys.Map[*View] {
	return keys.New("conversation-find", bindings, []keys.Action[*View]{
		keys.Act("field.accept", "go there", func(v *View) tea.Cmd { v.find.typing = false; return nil }, nil),
		keys.Act("field.up", "the hit before", toMatch(-1), nil),
		keys.Act("field.down", "the hit after", toMatch(1), nil),
		keys.Act("field.leave", "", func(v *View) tea.Cmd { v.find.end(); return nil }, nil),
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
	case !v.field.typing:
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
			v.find.first(&v.blocks, v.find.input.Value)
		}
		return nil
	}
	if !v.field.update(msg) {
		return v.env.Do(screen.Notice{Text: "prompt: a prompt has at most " + draw.Bytes(maxPrompt) + ": write the text to a memory and name that", Bad: true})
	}
	return nil
}

// Write moves the focus to the field; a session that does not run is resumed first.
func (v *View) Write() tea.Cmd {
	switch {
	case v.WhyNoPrompt() != "":
	case v.hasField():
		v.field.typing = true
		v.draw()
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
	v.blocks.toEnd()
	return v.do("prompt", s, func(x Session) error { return x.Send(s) })
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

func (v *View) copyDisabled() string {
	if v.blocks.current() == nil {
		return "nothing was said yet"
	}
	return ""
}

func (v *View) foldDisabled() string {
	if it := v.blocks.current(); it == nil || !it.folds() {
		return "nothing is folded here: " + v.keys.Hint("list.next") + " goes to the next call"
	}
	return ""
}

// copyBlock copies the unprocessed text of a block.
func (v *View) copyBlock(int) tea.Cmd {
	it := v.blocks.current()
	s := it.note
	if it.body != nil {
		s = it.body.text()
	}
	return v.env.Do(screen.Copy{What: "the block", Text: s})
}
