package ui

import (
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// possible are actions as they are here: those that write can't be done where nothing
// is written. They are not hinted at then, and say why where all actions are listed.
func possible(entries []keys.Entry, readOnly bool) []keys.Entry {
	if !readOnly {
		return entries
	}
	for i := range entries {
		if e := &entries[i]; e.Writes && e.Why == "" {
			e.Why = "read-only"
		}
	}
	return entries
}

// entriesOf are the actions of a pane, everywhere those of the root.
func (a *App) entriesOf(p screen.Pane) []keys.Entry { return possible(p.Entries(), a.cfg.ReadOnly) }
func (a *App) everywhere() []keys.Entry             { return possible(a.keys.Entries(a), a.cfg.ReadOnly) }
