package memory

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// restore restores a deleted memory. For one that exists it asks how much to restore: the
// newest version, its session, or everything since the review.
func (m *Pane) restore(int) tea.Cmd {
	if !m.shown() {
		return m.env.Do(screen.Restore{Version: *m.gone.last})
	}
	ask := screen.Choose{Title: "restore " + m.text.doc.path.String(), Text: "What is to be restored?", First: true}
	offer := func(key, label string, then func() tea.Cmd) {
		ask.Options = append(ask.Options, screen.Option{Key: key, Label: label, Then: then})
	}
	v := *m.inQuestion()
	by := fmt.Sprintf("v%d by %s%s", v.Number, actors.ShortInferred(v.Actor, v.Inferred), ago(m.now, v))
	offer("v", "undo "+by, func() tea.Cmd { return m.env.Do(screen.Undo{Change: v.Change}) })
	if m.sessionDisabled() == "" {
		offer("s", "undo its session "+draw.ShortID(string(v.Session), 8)+"…", func() tea.Cmd { return m.env.Do(screen.UndoSession{Session: v.Session}) })
	}
	if r := m.text.doc.review; r != nil && r.err == nil && !r.stale && r.pending.Was.Exists {
		all := m.text.doc.whole()
		offer("r", "all as you reviewed it", func() tea.Cmd { return m.undo(all) })
	}
	offer("n", "nothing", nil)
	return m.env.Do(ask)
}

func (m *Pane) restoreDisabled() string {
	switch {
	case m.shown():
		return m.versionDisabled()
	case m.gone == nil:
		return "no memory is open"
	case m.gone.last == nil:
		return "its content is gone"
	}
	return ""
}

// inQuestion returns the version that the person may want to undo: the newest one to review, or
// else the newest one. It is nil if there is none.
func (m *Pane) inQuestion() *versions.Version {
	if m.unreviewed() && m.text.doc.review.others > 0 {
		return &m.text.doc.review.newest
	}
	return m.head
}

func (m *Pane) sessionDisabled() string {
	if why := m.versionDisabled(); why != "" {
		return why
	}
	return unless(m.inQuestion().Session != "", "it was written outside any session")
}
