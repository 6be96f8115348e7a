package plan

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// MergeTexts is the goal of taking over the texts that memories elsewhere have. A memory that exists here with another
// text is a conflict, because nothing says which text is the later one.
type MergeTexts []versions.MergeText

func (MergeTexts) String() string { return "merge" }

func (g MergeTexts) collect(p *Planner) error {
	m := Takeover{Asked: core.Request{Kind: versions.KindEdit}}
	var paths []memfs.Path
	for _, t := range g {
		it := tables.StoredItem{Path: t.Path, Text: versions.NonNil(t.Text)}
		err := p.Reader.Row(`SELECT m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, p.Store.Row, versions.Key(t.Path)).Scan(&it.Memory)
		if err := tables.IgnoreNoRows(err); err != nil {
			return err
		}
		if it.Memory != nil { // as if both sides had begun with nothing
			it.Base = planning.WithText(t.Path, []byte{})
		} else {
			it.Memory = core.FreshUID(p.Store)
		}
		paths = append(paths, t.Path)
		m.Items = append(m.Items, it)
	}
	m.Asked.Path = versions.Common(paths)
	return p.instead(m)
}

// Takeover is the goal of a merge whose memories are known, with the states that they replace.
type Takeover struct {
	Asked core.Request
	Items []tables.StoredItem
}

func (Takeover) String() string { return "merge" }

func (g Takeover) collect(p *Planner) error {
	p.asked = g.Asked
	return p.collectItems(g.Items)
}
