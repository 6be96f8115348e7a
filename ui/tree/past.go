package tree

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// pastFacts returns facts in which the changes from a change on count as to be reviewed.
func pastFacts(change int64) facts {
	return facts{reviewed: &versions.ReviewState{}, seenAll: change - 1}
}

// BuildPast arranges a tree of an earlier moment, and marks what a change and later ones
// did. It is slow for a large tree: call it from a command.
func BuildPast(entries []versions.Entry, change int64) *Data {
	a := Request{facts: pastFacts(change)}
	d, _ := a.arrange(&source{entries: entries, reviewed: &versions.ReviewState{}})
	return d
}

// NewPast returns a tree for an earlier moment: it has no store, and only its moves and folds work.
// Its owner draws the rows, of which page are visible.
func NewPast(env screen.Env, page func() int) *Pane {
	env.Later = func(time.Duration, tea.Msg) tea.Cmd { return nil } // the view is not saved
	t := &Pane{facts: pastFacts(1)}
	t.init(env, page)
	return t
}

// ShowPast shows a tree that BuildPast built for the same change.
func (t *Pane) ShowPast(d *Data, change int64, now time.Time) {
	if t.data == nil {
		t.unfolded = len(d.Entries) <= openAtFirst
	}
	t.facts = pastFacts(change)
	t.facts.now = now
	t.data = d
	t.flatten()
}
