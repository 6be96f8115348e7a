package memory

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/versions"
)

// gone is what the trail knows of a memory that stands no more.
type gone struct {
	end  versions.Version  // that ended it
	last *versions.Version // what it was before, when that can be brought back
	when versions.Version  // redacted, when its content was erased
}

// lookBack asks the trail what became of a memory that is not there; nil when it
// knows of none. The id is empty when only the path is known.
func lookBack(ctx context.Context, store Store, p memfs.Path, id versions.MemoryID) *gone {
	if id == "" {
		v, err := store.VersionAt(ctx, p, 0)
		if err != nil {
			return nil
		}
		id = v.Memory
	}
	vs, err := store.History(ctx, id, 0, 2)
	if err != nil || len(vs) == 0 || vs[0].Operation != versions.Deleted {
		return nil
	}
	g := &gone{end: vs[0]}
	if len(vs) > 1 && vs[1].Redacted.IsZero() {
		g.last = &vs[1]
	} else if len(vs) > 1 {
		g.when = vs[1]
	}
	return g
}

// notice says who ended the memory, and what can be done about it.
func (g *gone) notice(p memfs.Path, ago func(versions.Version) string) string {
	if g.when.Lost() {
		return p.String() + " is gone, and the version before its end is lost to damage. The history shows the others."
	}
	if !g.when.Redacted.IsZero() {
		by := ""
		if g.when.RedactedBy.Kind != "" {
			by = " by " + actors.Short(g.when.RedactedBy)
		}
		return p.String() + " was redacted" + by + " on " + g.when.Redacted.Local().Format("2006-01-02 15:04") +
			": its content is gone for good. That it was, whose it was and when stays in the history."
	}
	by := "by " + actors.Short(g.end.Actor)
	if g.end.Actor.Kind == versions.Outside {
		by = "from outside"
	}
	s := p.String() + " was deleted " + by + ago(g.end) + "."
	if g.last != nil {
		s += " R restores it."
	}
	return s
}

// ago is the age of a version after a blank; empty when unknown.
func (m *Pane) ago(v versions.Version) string {
	if a := draw.Age(m.now, v.Time); a == "now" {
		return " just now"
	} else if a != "" {
		return " " + a + " ago"
	}
	return ""
}

// restoreDeleted restores a memory that was deleted.
func (m *Pane) restoreDeleted(int) tea.Cmd { return m.env.Ask(request.Restore{Version: *m.gone.last}) }

func (m *Pane) restoreDisabled() string {
	switch {
	case m.gone == nil:
		return "the memory exists"
	case m.gone.last == nil:
		return "its content is gone"
	}
	return ""
}

// memoryID is that of the open memory; empty while unknown.
func (m *Pane) memoryID() versions.MemoryID {
	if m.head == nil {
		return ""
	}
	return m.head.Memory
}

// readHead asks for the newest version of what is shown.
func (m *Pane) readHead() tea.Cmd {
	if !m.shown() {
		return nil
	}
	store, p := m.store, m.doc.path
	return m.heads.Begin(m.env.Ctx, func(ctx context.Context) (versions.Version, error) {
		return store.VersionAt(ctx, p, 0)
	}, m.headRead)
}

func (m *Pane) headRead(v versions.Version, err error) tea.Cmd {
	if !m.shown() || errors.Is(err, context.Canceled) {
		return nil
	}
	m.head = &v
	if err != nil || v.Operation == versions.Deleted { // it stands, so this is of the one before it
		m.head = nil
	}
	return m.askBlame()
}
