package versions

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// MergeText is the text that a memory has elsewhere, and that a merge takes over.
type MergeText struct {
	Path memfs.Path
	Text []byte
}

// MergeTexts is the goal of taking over the texts that memories elsewhere have. A memory that exists here with another
// text is a conflict, because nothing says which text is the later one.
type MergeTexts []MergeText

func (MergeTexts) String() string { return "merge" }

func (g MergeTexts) collect(p *planner) error {
	m := takeover{asked: request{kind: KindEdit}}
	var paths []memfs.Path
	for _, t := range g {
		it := storedItem{path: t.Path, text: nonNil(t.Text)}
		err := p.q.Row(`SELECT m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, p.s.id, key(t.Path)).Scan(&it.memory)
		if err := ignoreNoRows(err); err != nil {
			return err
		}
		if it.memory != nil { // as if both sides had begun with nothing
			it.base = planning.WithText(t.Path, []byte{})
		} else {
			it.memory = p.s.freshUID()
		}
		paths = append(paths, t.Path)
		m.items = append(m.items, it)
	}
	m.asked.path = common(paths)
	return p.instead(m)
}

// takeover is the goal of a merge whose memories are known, with the states that they replace.
type takeover struct {
	asked request
	items []storedItem
}

func (takeover) String() string { return "merge" }

func (g takeover) collect(p *planner) error {
	p.asked = g.asked
	return p.collectItems(g.items)
}
