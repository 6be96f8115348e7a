package plan

import (
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// UndoHunks is the goal of making a memory what it is without some of what was done to it since a version. A folder that was
// made for it since then goes if it is empty. A memory that is not as it was shown is a *ConflictError.
type UndoHunks struct {
	Memory      versions.MemoryID
	Since       int // the number of the version
	Shown, Then planning.State
}

func (g UndoHunks) String() string { return "undo hunks of " + g.path().Tool() }

func (g UndoHunks) path() memfs.Path {
	if g.Shown.Live() {
		return g.Shown.Path
	}
	return g.Then.Path
}

func (g UndoHunks) collect(p *Planner) error {
	m := planning.Memory{ID: g.Memory, Then: g.Then, KeepFolders: true}
	err := p.Reader.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(g.Memory)), p.Store.Row).Scan(&m.Row)
	if err != nil {
		return tables.NotFound(err, versions.ErrNoMemory, string(g.Memory))
	}
	now, err := p.now(m.Row)
	if err != nil {
		return err
	}
	if !now.Is(g.Shown) {
		return fmt.Errorf("%s: %w", g, &versions.ConflictError{Path: g.path(), Want: g.Shown.SHA256, Now: now.SHA256})
	}
	p.asked = core.Request{Kind: versions.KindUndoHunks, Path: g.path()}
	p.Items = []*Planned{{Memory: m}}
	err = p.collectOthers(`c.store=? AND c.id IN (SELECT change FROM version WHERE memory=? AND number>?)`, p.Store.Row, m.Row, g.Since)
	p.undone = nil // none of these changes is undone as a whole
	p.reversed = slices.DeleteFunc(p.reversed, func(o tables.Other) bool {
		return o.Kind != memfs.Folder || !o.From.IsRoot() && !now.Path.In(o.From) || !o.To.IsRoot() && !g.Then.Path.In(o.To) || now.Path == g.Then.Path
	})
	return err
}
