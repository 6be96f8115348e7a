package agents

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// The actions on the selected row, and the reasons why they are disabled.

// selected returns the activity under the cursor of the stream.
func (p *Pane) selected() (*versions.Activity, bool) {
	a, ok := p.stream.current()
	return a, ok && p.InDetail
}

func (p *Pane) emptyDisabled() string {
	if _, ok := p.selected(); ok {
		return ""
	}
	switch {
	case p.stream.len() == 0:
		return "nothing is listed"
	case p.talk() != nil:
		return p.about.Hint("said") + " lists what the session did: choose a row there"
	}
	return p.moves.Hint("list.in") + " goes to what was done: choose a row there"
}

func (p *Pane) versionDisabled() string {
	if why := p.emptyDisabled(); why != "" {
		return why
	}
	if a, _ := p.selected(); a.Read && a.Version == "" {
		return "which version was read is not known"
	}
	return ""
}

func (p *Pane) blameDisabled() string {
	if why := p.versionDisabled(); why != "" {
		return why
	}
	if a, _ := p.selected(); a.Version == "" {
		return "it changed several memories: " + p.acts.Hint("change.version") + " lists them"
	}
	return ""
}

func (p *Pane) diffDisabled() string {
	if p.stream.inDiff {
		return ""
	}
	if why := p.emptyDisabled(); why != "" {
		return why
	}
	if a, _ := p.selected(); a.Read {
		return "a read changes nothing"
	}
	return ""
}

// undoDisabled returns why a session can't be undone.
func (p *Pane) undoDisabled() string {
	if why := p.sessionDisabled(); why != "" {
		return why
	}
	_, id := p.selectedSession()
	i := p.sessions.index(id)
	if i < 0 {
		return ""
	}
	switch x := p.sessions.list[i]; {
	case x.Changes == 0:
		return "it changed nothing here"
	case x.Undone >= x.Changes:
		return "all that it changed is undone"
	}
	return ""
}

func (p *Pane) sessionDisabled() string {
	if _, s := p.selectedSession(); s == "" {
		if !p.InDetail {
			return "choose a session"
		}
		return "it belongs to no session"
	}
	return ""
}

func (p *Pane) openDisabled() string {
	if !p.InDetail {
		return ""
	}
	if why := p.emptyDisabled(); why != "" {
		return why
	}
	switch a, _ := p.selected(); {
	case pathOf(a).IsRoot():
		return "its path was redacted"
	case a.Operation == versions.Deleted, !a.Read && a.Change.Versions > 1 && a.Change.Kind == versions.KindDelete:
		return "it was deleted: " + p.acts.Hint("change.version") + " shows its versions"
	}
	return ""
}

// pathOf returns the path of the memory after the activity; of several, that of the first one.
func pathOf(a *versions.Activity) memfs.Path {
	switch {
	case len(a.Paths) > 0:
		return a.Paths[0]
	case !a.Read && !a.Change.To.IsRoot():
		return a.Change.To
	}
	return a.Path
}

// enter opens the memory at the changed line. On a session, it moves to the stream of its
// activity.
func (p *Pane) enter() tea.Cmd {
	if !p.InDetail {
		p.focus(true)
		return nil
	}
	a, _ := p.stream.current()
	path := pathOf(a)
	if a.Read || a.Version == "" || a.Redacted {
		return p.env.Do(screen.Open{Path: path})
	}
	ctx, store, of := p.env.Ctx, p.store, *a
	return func() tea.Msg {
		return screen.Late{From: p, Request: screen.Open{Path: path, Line: firstChanged(ctx, store, of)}}
	}
}

// firstChanged returns the first line that a change of one version modified, or 0 if it is
// unknown.
func firstChanged(ctx context.Context, store Store, a versions.Activity) int {
	before, after, why := textsOf(ctx, store, a)
	if why != "" || len(before) == 0 {
		return 0
	}
	edits := diff.Lines(before, after).Edits()
	if len(edits) == 0 {
		return 0
	}
	return edits[0].New + 1
}

// showVersion shows the version in the history, or the change if it made several versions.
func (p *Pane) showVersion() tea.Cmd {
	a, _ := p.selected()
	if a.Version == "" {
		return p.env.Do(screen.ShowChange{Change: a.Change.Number})
	}
	return p.env.Do(screen.History{Path: pathOf(a), Memory: a.Memory, Version: a.Version})
}

func (p *Pane) blame() tea.Cmd {
	a, _ := p.selected()
	return p.env.Do(screen.Blame{Path: pathOf(a), Version: a.Version})
}

// activityHere returns the activity under the cursor, or the latest one of the session under it.
func (p *Pane) activityHere() (*versions.Activity, bool) {
	if !p.InDetail {
		return p.stream.at(0)
	}
	return p.selected()
}

func (p *Pane) timelineDisabled() string {
	if _, ok := p.activityHere(); !ok {
		return "nothing is listed"
	}
	return ""
}

// openTimeline opens the timeline right after a change, or at the time of a read.
func (p *Pane) openTimeline() tea.Cmd {
	a, _ := p.activityHere()
	if !a.Read {
		return p.env.Do(screen.Timeline{Change: a.Change.Number})
	}
	ctx, store, t := p.env.Ctx, p.store, a.Time
	return func() tea.Msg {
		m, err := store.MomentAt(ctx, t)
		if err != nil {
			return screen.Notice{Text: "timeline: " + err.Error(), Bad: true}
		}
		return screen.Late{From: p, Request: screen.Timeline{Change: m.Change}}
	}
}

func (p *Pane) undoSession() tea.Cmd {
	_, s := p.selectedSession()
	return p.env.Do(screen.UndoSession{Session: s})
}

func (p *Pane) copyPath(int) tea.Cmd {
	a, _ := p.selected()
	return p.env.Do(screen.Copy{What: "the path", Text: pathOf(a).String()})
}

func (p *Pane) copySession(int) tea.Cmd {
	_, s := p.selectedSession()
	return p.env.Do(screen.Copy{What: "the id of the session", Text: string(s)})
}
