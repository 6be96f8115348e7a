package tree

import (
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// countEvery is how long counted reads are used.
const countEvery = time.Minute

// Tick is called periodically, for what no event reports: it counts the reads in the ledger
// again, unless that was done recently.
func (t *Pane) Tick() tea.Cmd {
	now := t.facts.now
	if t.data == nil || !t.counted.IsZero() && now.Sub(t.counted) < countEvery {
		return nil
	}
	t.counted = now
	ctx, store, was := t.env.Ctx, t.store, t.facts.reads
	return func() tea.Msg {
		reads, err := store.ReadStats(ctx)
		if err != nil || was != nil && maps.Equal(was, reads) {
			return nil // on an error the columns stay empty: the tree itself reports problems of the trail
		}
		return screen.Then(func() tea.Cmd { return t.takeReads(reads) })
	}
}

// takeReads takes the counts; the order and the filter may depend on them.
func (t *Pane) takeReads(reads map[versions.MemoryID]versions.ReadStat) tea.Cmd {
	none := len(t.facts.reads) == 0 && len(reads) == 0
	t.facts.reads = reads
	if none && t.filter.empty() {
		return nil // unchanged, except that it is known now
	}
	t.facts.readsID++
	return t.rearrange()
}
