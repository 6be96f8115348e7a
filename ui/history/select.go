package history

import (
	"sort"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// The selected row and the actions on it.

// selected returns the version of the selected row, which may be that of a change with one
// version.
func (p *Pane) selected() (versions.Version, bool) {
	l := p.list()
	r, ok := l.current()
	switch {
	case !ok || r.heads():
		return versions.Version{}, false
	case r.kind == innerRow:
		return *r.version, true
	case r.kind == versionRow:
		return *l.items[r.at].version, true
	}
	if list := p.details[l.items[r.at].change.Number]; len(list) == 1 {
		return list[0], true
	}
	return versions.Version{}, false
}

// selectedChange returns the number of the selected row's change; of several, the newest.
func (p *Pane) selectedChange() (int64, bool) {
	l := p.list()
	r, ok := l.current()
	switch {
	case !ok:
		return 0, false
	case r.kind == versionRow:
		return l.items[r.at].version.Change, true
	}
	return l.items[r.at].change.Number, true
}

// selectedTime returns the time of the selected row.
func (p *Pane) selectedTime() time.Time {
	l := p.list()
	r, ok := l.current()
	switch {
	case !ok:
		return time.Time{}
	case r.kind == versionRow:
		return l.items[r.at].version.Time
	}
	return l.items[r.at].change.Time
}

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
	switch {
	case !ok:
		return nil
	case r.kind == headRow:
		p.foldSession(l.items[r.at].change.Session)
		return p.Moved()
	case r.kind == actRow:
		p.foldAct(l.items[r.at].act)
		return p.Moved()
	case r.kind == changeRow && l.items[r.at].change.Versions != 1:
		return p.fold(l.items[r.at].change.Number)
	}
	return p.toDiff()
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
	case p.clearSelection():
		return p.compare()
	case p.query.text != "":
		return p.setFilter("")
	}
	return p.env.Do(screen.Back{})
}

// fold lists the versions of a change below it, or hides them.
func (p *Pane) fold(n int64) tea.Cmd {
	if p.open[n] {
		delete(p.open, n)
	} else {
		p.open[n] = true
	}
	p.layOutAgain(&p.all)
	if _, known := p.details[n]; !known && p.open[n] {
		return p.listBelow(n)
	}
	return p.compare()
}

// restore asks what to restore: the selected version, or the store as it was right after its
// change. In the diff, it restores the current hunk.
func (p *Pane) restore() tea.Cmd {
	if p.InDetail {
		return p.restoreHunk()
	}
	n, _ := p.selectedChange()
	at := versions.Moment{Change: n, Time: p.selectedTime().In(p.now.Location())}
	ask := screen.AskRestore{At: at}
	if v, ok := p.selected(); ok && v.Redacted.IsZero() {
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
	if changes := p.severalChanges(); len(changes) > 0 {
		return p.env.Do(screen.UndoChanges{Changes: changes})
	}
	l := p.list()
	if r, ok := l.current(); ok && r.kind == actRow {
		if by := l.items[r.at].change.UndoneBy; by != 0 { // the change that undid the edit undid nothing else that is in effect
			return p.env.Do(screen.Undo{Change: by})
		}
		return p.env.Do(screen.UndoChanges{Changes: l.items[r.at].act.Changes})
	}
	n, _ := p.selectedChange()
	if p.isUndone() {
		return p.env.Do(screen.Redo{Change: n})
	}
	return p.env.Do(screen.Undo{Change: n})
}

// isUndone reports whether the selected change was undone, as far as it is known.
func (p *Pane) isUndone() bool {
	if v, ok := p.selected(); ok && v.UndoneBy != 0 {
		return true
	}
	n, ok := p.selectedChange()
	items := p.all.items
	i := sort.Search(len(items), func(i int) bool { return items[i].number() <= n })
	return ok && i < len(items) && items[i].number() == n && items[i].change.UndoneBy != 0
}

func (p *Pane) undoSession() tea.Cmd {
	_, s := p.selectedSession()
	return p.env.Do(screen.UndoSession{Session: s})
}

func (p *Pane) redact() tea.Cmd {
	if list := p.severalVersions(); len(list) > 0 {
		ids := make([]versions.VersionID, len(list))
		for i, v := range list {
			ids[i] = v.ID
		}
		return p.env.Do(screen.RedactVersions{Versions: ids})
	}
	v, _ := p.selected()
	return p.env.Do(screen.Redact{Version: v.ID, Path: v.Path})
}

func (p *Pane) openTimeline() tea.Cmd {
	n, _ := p.selectedChange()
	return p.env.Do(screen.Timeline{Change: n})
}

// openMemory opens the memory at its current path, as far as it is known here.
func (p *Pane) openMemory() tea.Cmd {
	v, _ := p.selected()
	at := v.Path
	if !p.showsAll {
		at = p.path
	}
	return p.env.Do(screen.Open{Path: at, Line: p.line()})
}

func (p *Pane) blame() tea.Cmd {
	v, _ := p.selected()
	return p.env.Do(screen.Blame{Path: v.Path, Version: v.ID, Line: p.line()})
}

// line returns the line of the memory under the cursor, from 1; 0 if there is none.
func (p *Pane) line() int {
	if !p.InDetail {
		return 0
	}
	return p.Diff.Line()
}
