package history

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// The selected row and the actions on it.

// Moved loads what the list shows next, and the diff of the row under the cursor.
func (p *Pane) Moved() tea.Cmd { return tea.Batch(p.more(p.list()), p.compare()) }

func (p *Pane) moveBy(n int) tea.Cmd {
	p.Step(n)
	return p.Moved()
}

func (p *Pane) toggleAll() tea.Cmd {
	p.showAll(!p.showsAll)
	p.Focus(false)
	return tea.Batch(p.refilter(), p.Moved())
}

// enter shows details: the diff of a version or, in the list of all changes, the versions of a
// change that has several, or the changes of a session.
func (p *Pane) enter() tea.Cmd {
	l := p.list()
	r, ok := l.current()
	if !ok {
		return nil
	}
	var below tea.Cmd
	switch it := l.items[r.at]; {
	case r.kind == headRow:
		toggle(l.folded, it.change.Session)
	case r.kind == actRow:
		toggle(l.listed, it.act.First())
	case r.kind == changeRow && it.change.Versions != 1:
		n := it.change.Number
		toggle(l.open, n)
		if _, known := l.details[n]; !known && l.open[n] {
			below = p.listBelow(n)
		}
	default:
		return p.toDiff()
	}
	l.layOutAgain(p.Page())
	l.revealBelow(p.Page())
	return tea.Batch(below, p.Moved())
}

func (p *Pane) toDiff() tea.Cmd {
	if _, ok := p.list().current(); ok {
		p.Focus(true)
	}
	return nil
}

// back cancels one thing at a time: the selected lines, the diff, what is chosen, the filter,
// the pane.
func (p *Pane) back() tea.Cmd {
	switch {
	case p.InDetail && p.Diff.Deselect():
		return nil
	case p.InDetail:
		p.Focus(false)
		return nil
	case p.chosen.clear(p.list()):
		return p.compare()
	case p.query.text != "":
		return p.setFilter("")
	}
	return p.env.Do(screen.Back{})
}

// restore asks what to restore: the selected version, or the store as it was right after its
// change. In the diff, it restores the current hunk.
func (p *Pane) restore() tea.Cmd {
	if p.InDetail {
		return p.restoreHunk()
	}
	it, _ := p.list().item()
	ask := screen.AskRestore{At: versions.Moment{Change: it.inChange(), Time: it.time().In(p.now.Location())}}
	if v, ok := p.list().version(); ok && v.Redacted.IsZero() {
		ask.Path = v.Path
		if v.Operation != versions.Deleted && !v.Damaged {
			ask.Version = v
		}
	}
	return p.env.Do(ask)
}

// undo undoes the selected change or bulk edit, or redoes it if it was undone. With several
// chosen changes, it undoes them together.
func (p *Pane) undo() tea.Cmd {
	l := p.list()
	if changes := p.chosen.changes(l); len(changes) > 0 {
		return p.env.Do(screen.UndoChanges{Changes: changes})
	}
	if r, ok := l.current(); ok && r.kind == actRow {
		if by := l.items[r.at].change.UndoneBy; by != 0 { // the change that undid the edit undid nothing else that is in effect
			return p.env.Do(screen.Undo{Change: by})
		}
		return p.env.Do(screen.UndoChanges{Changes: l.items[r.at].act.Changes})
	}
	it, _ := l.item()
	if p.isUndone() {
		return p.env.Do(screen.Redo{Change: it.inChange()})
	}
	return p.env.Do(screen.Undo{Change: it.inChange()})
}

// isUndone reports whether the selected change was undone, as far as it is known.
func (p *Pane) isUndone() bool {
	if v, ok := p.list().version(); ok && v.UndoneBy != 0 {
		return true
	}
	selected, ok := p.list().item()
	if !ok {
		return false
	}
	it := p.all.numbered(selected.inChange())
	return it != nil && it.change.UndoneBy != 0
}

func (p *Pane) redact() tea.Cmd {
	list := p.picked()
	if len(list) == 1 {
		return p.env.Do(screen.Redact{Version: list[0].ID, Path: list[0].Path})
	}
	ids := make([]versions.VersionID, len(list))
	for i, v := range list {
		ids[i] = v.ID
	}
	return p.env.Do(screen.RedactVersions{Versions: ids})
}

// openMemory opens the memory at its current path, as far as it is known here.
func (p *Pane) openMemory() tea.Cmd {
	v, _ := p.list().version()
	at := v.Path
	if !p.showsAll {
		at = p.path
	}
	return p.env.Do(screen.Open{Path: at, Line: p.line()})
}

func (p *Pane) blame() tea.Cmd {
	v, _ := p.list().version()
	return p.env.Do(screen.Blame{Path: v.Path, Version: v.ID, Line: p.line()})
}

// line returns the line of the memory under the cursor, from 1; 0 if there is none.
func (p *Pane) line() int {
	if !p.InDetail {
		return 0
	}
	return p.Diff.Line()
}
