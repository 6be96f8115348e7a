package memory

import (
	"crypto/sha256"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// restore restores a deleted memory. For one that exists it asks how much to restore: the hunk
// at the cursor, the newest version, its session, or everything since the review.
func (m *Pane) restore(int) tea.Cmd {
	if !m.shown() {
		return m.env.Do(screen.Restore{Version: *m.gone.last})
	}
	ask := screen.Choose{Title: "restore " + m.doc.path.String(), Text: "What is to be restored?", First: true}
	offer := func(key, label string, req screen.Request) {
		ask.Options = append(ask.Options, screen.Option{Key: key, Label: label, Then: func() tea.Cmd { return m.env.Do(req) }})
	}
	if req, ok := m.hunkHere(); ok {
		offer("h", req.What, req)
	}
	v := m.inQuestion()
	by := fmt.Sprintf("v%d by %s%s", v.Number, actors.ShortInferred(v.Actor, v.Inferred), m.ago(*v))
	offer("v", "undo "+by, screen.Undo{Change: v.Change})
	if m.sessionDisabled() == "" {
		offer("s", "undo its session "+draw.ShortID(string(v.Session), 8)+"…", screen.UndoSession{Session: v.Session})
	}
	if r := m.doc.review; r != nil && r.err == nil && r.base.Number > 0 {
		offer("r", fmt.Sprintf("all as you reviewed it, v%d", r.base.Number), screen.Restore{Version: r.base})
	}
	ask.Options = append(ask.Options, screen.Option{Key: "n", Label: "nothing"})
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

// hunkHere returns the request that restores the hunk at the cursor as it was reviewed.
func (m *Pane) hunkHere() (req screen.RestoreHunk, ok bool) {
	d := m.doc
	if d.review == nil || d.review.err != nil {
		return req, false
	}
	for _, e := range d.review.marks {
		if m.cur.line != d.lineOf(e) && (m.cur.line < e.New || m.cur.line >= e.New+e.NewLines) {
			continue
		}
		what := draw.Plural(e.OldLines, "line", "lines") + " of v" + fmt.Sprint(d.review.base.Number)
		if e.OldLines == 0 {
			what = "without " + draw.Plural(e.NewLines, "new line", "new lines")
		}
		return screen.RestoreHunk{Path: d.path, Base: sha256.Sum256(d.text), Content: revert(d.text, d.review.text, e), What: "this hunk: " + what}, true
	}
	return req, false
}

// revert returns a text in which one edit of an older text is undone.
func revert(text, old []byte, e diff.Edit) []byte {
	from, to := lineStart(text, e.New), lineStart(text, e.New+e.NewLines)
	out := append([]byte{}, text[:from]...)
	out = append(out, old[lineStart(old, e.Old):lineStart(old, e.Old+e.OldLines)]...)
	return append(out, text[to:]...)
}

// inQuestion returns the version that the person may want to undo: the newest one to review, or
// else the newest one. It is nil if there is none.
func (m *Pane) inQuestion() *versions.Version {
	if m.unreviewed() && m.doc.review.others > 0 {
		return &m.doc.review.last
	}
	return m.head
}

// undoSession undoes the session that made that version.
func (m *Pane) undoSession(int) tea.Cmd {
	return m.env.Do(screen.UndoSession{Session: m.inQuestion().Session})
}

func (m *Pane) sessionDisabled() string {
	if why := m.versionDisabled(); why != "" {
		return why
	}
	if m.inQuestion().Session == "" {
		return "it was written outside any session"
	}
	return ""
}
