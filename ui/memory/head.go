package memory

import (
	"context"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// gone is what the trail records about a memory that no longer exists.
type gone struct {
	end  versions.Version  // the version that ended it
	last *versions.Version // the version before that, if it can be restored
	when versions.Version  // set if its content was redacted
}

// readGone asks the trail what happened to a memory that does not exist, and returns nil if
// there is no record. The id is empty if only the path is known.
func readGone(ctx context.Context, store Store, p memfs.Path, id versions.MemoryID) *gone {
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

// Historian lists the versions of a memory. Store and others implement it.
type Historian interface {
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
}

// PathNow returns where a memory is, and the root if it is nowhere or not known.
func PathNow(ctx context.Context, store Historian, id versions.MemoryID) memfs.Path {
	if id == "" {
		return memfs.Root
	}
	if vs, err := store.History(ctx, id, 0, 1); err == nil && len(vs) > 0 && vs[0].Operation != versions.Deleted {
		return vs[0].Path
	}
	return memfs.Root
}

// notice says who ended the memory, and what can be done about it.
func (g *gone) notice(p memfs.Path, restore string, now time.Time) string {
	if g.when.Lost() {
		return p.String() + " was deleted, and its last version is lost to damage. The history shows the others."
	}
	if !g.when.Redacted.IsZero() {
		by := ""
		if g.when.RedactedBy.Kind != "" {
			by = " by " + actors.Short(g.when.RedactedBy)
		}
		return p.String() + " was redacted" + by + " on " + g.when.Redacted.Local().Format("2006-01-02 15:04") +
			": its content can't be recovered. The history still shows who wrote it and when."
	}
	by := "by " + actors.Short(g.end.Actor)
	if g.end.Actor.Kind == versions.Outside {
		by = "outside memend"
	}
	s := p.String() + " was deleted " + by + ago(now, g.end) + "."
	if g.last != nil {
		s += " " + restore + " restores it."
	}
	return s
}

// ago returns the age of a version after a blank, or "" if unknown.
func ago(now time.Time, v versions.Version) string {
	if a := draw.Age(now, v.Time); a == "now" {
		return " just now"
	} else if a != "" {
		return " " + a + " ago"
	}
	return ""
}

// readHead returns the newest version of the memory at p, whose file exists, or nil if there is
// none.
func readHead(ctx context.Context, store Store, p memfs.Path) *versions.Version {
	v, err := store.Newest(ctx, p)
	if err != nil {
		return nil
	}
	return &v
}
