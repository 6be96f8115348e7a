package tree

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// pastFacts know of a moment what was news then: what changes from this one on did.
func pastFacts(change int64) facts {
	return facts{looks: &versions.Looks{}, begun: true, seenAll: change - 1}
}

// BuildPast arranges a tree as it was, and marks what a change and those after it did. It
// takes its time with a large one: call it from a command.
func BuildPast(entries []versions.Entry, change int64) *Data {
	a := Request{facts: pastFacts(change)}
	d, _ := a.arrange(&source{entries: entries, looks: &versions.Looks{}})
	return d
}

// NewPast makes a tree that shows what was: it has no store, and of its actions only
// those that move work.
func NewPast(env screen.Env) *Pane {
	env.Later = func(time.Duration, tea.Msg) tea.Cmd { return nil } // how it is shown is kept nowhere
	t := &Pane{env: env, keys: actions(env.Keys), facts: pastFacts(1),
		turned: map[memfs.Path]bool{}, folded: map[memfs.Path]bool{}, chosen: map[memfs.Path]bool{}, flash: map[memfs.Path]int{}}
	t.input = t.newFilter(env.Keys)
	return t
}

// ShowPast shows a tree that BuildPast made of the same change.
func (t *Pane) ShowPast(d *Data, change int64, now time.Time) {
	if t.data == nil {
		t.unfolded = len(d.Entries) <= openAtFirst
	}
	was := t.current()
	t.facts = pastFacts(change)
	t.facts.now = now
	t.data = d
	t.flatten()
	if was != nil {
		t.moveToPath(was.path())
	}
}
