package ui

import (
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
)

// writes are the actions that are refused where nothing is to be written. They are
// not hinted at then, and say why where all actions are listed.
var writes = func() map[string]bool {
	all := map[string]bool{}
	for _, id := range []string{
		"global.undo", "global.redo", "global.redact-text",
		"tree.new", "tree.delete", "tree.rename", "tree.move", "tree.duplicate", "tree.restore-at", "tree.redact",
		"memory.edit", "memory.bring-back",
		"history.undo", "history.undo-session", "history.restore-at", "history.redact", "list.restore", "hunk.restore",
		"timeline.restore-all", "timeline.restore", "timeline.undo", "timeline.undo-session",
		"agent.new", "agents.undo-session", "agent-conversation.undo-session", "search.redact",
	} {
		all[id] = true
	}
	return all
}()

// possible are actions as they are here: those that write can't be done where nothing
// is written.
func (a *App) possible(entries []keys.Entry) []keys.Entry {
	if !a.cfg.ReadOnly {
		return entries
	}
	for i := range entries {
		if e := &entries[i]; writes[e.ID] && e.Why == "" {
			e.Why = "read-only"
		}
	}
	return entries
}

// entriesOf are the actions of a pane, everywhere those of the root.
func (a *App) entriesOf(p screen.Pane) []keys.Entry { return a.possible(p.Entries()) }
func (a *App) everywhere() []keys.Entry             { return a.possible(a.keys.Entries(a)) }
