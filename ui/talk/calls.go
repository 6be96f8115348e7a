package talk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
)

// The actions on the call of the current block, and the reasons why they are disabled.

func (v *View) memoryDisabled() string {
	c := v.blocks.call()
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
	c := v.blocks.call()
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
	c := v.blocks.call()
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
	c := v.blocks.call()
	if c.diff != nil && c.diff.version.ID != "" {
		x := c.diff.version
		return v.env.Do(screen.History{Path: x.Path, Memory: x.Memory, Version: x.ID})
	}
	return v.env.Do(screen.ShowChange{Change: c.change})
}

func (v *View) blame() tea.Cmd {
	c := v.blocks.call()
	b := screen.Blame{Path: v.pathOf(c)}
	if c.diff != nil {
		b.Version, b.Line = c.diff.version.ID, c.diff.line
	}
	return v.env.Do(b)
}

func (v *View) openTimeline() tea.Cmd {
	return v.env.Do(screen.Timeline{Change: v.blocks.call().change})
}

func (v *View) copyPath(int) tea.Cmd {
	return v.env.Do(screen.Copy{What: "the path", Text: v.pathOf(v.blocks.call()).String()})
}
