package tree

import (
	"maps"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Changed returns how many memories others changed since they were reviewed.
func (t *Pane) Changed() int {
	if t.data == nil {
		return 0
	}
	return t.data.root.changed
}

// Showing records which memory is open.
func (t *Pane) Showing(p memfs.Path) { t.open = p }

// Unreviewed returns what is to be reviewed of the memory at p. It stays so until a person
// marks the memory as reviewed; showing it changes nothing.
func (t *Pane) Unreviewed(p memfs.Path) (screen.Review, bool) {
	if t.data == nil {
		return screen.Review{}, false
	}
	n := t.data.node(p)
	if n == nil || !t.facts.changed(n.entry) {
		return screen.Review{}, false
	}
	f, e := &t.facts, n.entry
	return screen.Review{Memory: versions.MemoryID(strings.Clone(string(e.Memory))), UpTo: f.reviewedUpTo(e.Memory), Change: e.Change, Me: f.me}, true
}

// MarkReviewed marks memories as reviewed, each up to a change, whether they still exist or not.
func (t *Pane) MarkReviewed(upTo map[versions.MemoryID]int64) tea.Cmd {
	if t.data == nil || len(upTo) == 0 {
		return nil
	}
	were := map[*node]bool{}
	for i := range t.data.nodes {
		if n := &t.data.nodes[i]; upTo[n.entry.Memory] > 0 && t.facts.changed(n.entry) {
			were[n] = true
		}
	}
	for m, change := range upTo {
		t.facts.seen[m] = max(t.facts.seen[m], change)
		t.unsaved[m] = max(t.unsaved[m], change)
	}
	for n := range were {
		if !t.facts.changed(n.entry) {
			n.addChanged(-1)
		}
	}
	return t.saveSoon()
}

// ReviewState returns what the person has reviewed, including what is not saved yet.
func (t *Pane) ReviewState() *versions.ReviewState {
	f := &t.facts
	l := *f.reviewed
	l.Reviewed, l.Of = max(l.Reviewed, f.seenAll), maps.Clone(l.Of)
	if l.Of == nil {
		l.Of = map[versions.MemoryID]int64{}
	}
	for m, change := range f.seen {
		l.Of[m] = max(l.Of[m], change)
	}
	return &l
}

// see marks a node as reviewed, and reports whether it was to be reviewed.
func (t *Pane) see(n *node) bool {
	if !t.facts.changed(n.entry) {
		return false
	}
	e := n.entry
	m := versions.MemoryID(strings.Clone(string(e.Memory))) // a copy, because it outlives the reading
	t.facts.seen[m] = e.Change
	t.unsaved[m] = e.Change
	n.addChanged(-1)
	return true
}

// countSince corrects the counts that a command made with the facts at its start.
func (t *Pane) countSince(then *facts) {
	if then.seenAll < t.facts.seenAll {
		t.countChanged()
		return
	}
	then.reviewed, then.ownChanges = t.facts.reviewed, t.facts.ownChanges
	since := map[versions.MemoryID]bool{}
	for m, change := range t.facts.seen {
		if then.seen[m] < change {
			since[m] = true
		}
	}
	if len(since) == 0 {
		return
	}
	for i := range t.data.nodes {
		if n := &t.data.nodes[i]; since[n.entry.Memory] && then.changed(n.entry) && !t.facts.changed(n.entry) {
			n.addChanged(-1)
		}
	}
}

// countChanged counts the memories to review again.
func (t *Pane) countChanged() {
	for _, f := range t.data.folders {
		f.changed = 0
	}
	for i := range t.data.nodes {
		if n := &t.data.nodes[i]; t.facts.changed(n.entry) {
			n.addChanged(1)
		}
	}
}

// markReviewed marks the selected memories as reviewed, and goes to the next one to review.
func (t *Pane) markReviewed(int) tea.Cmd {
	n := 0
	for _, k := range t.targetMemories() {
		if t.see(k) {
			n++
		}
	}
	t.choseAct()
	if n == 0 {
		return t.stepChanged(1)
	}
	t.env.Do(screen.Reviewed{})
	if n > 1 {
		t.env.Do(screen.Notice{Text: "reviewed: " + changes(n)})
	}
	if t.Changed() == 0 {
		t.env.Do(screen.Notice{Text: "nothing more to review"})
	} else {
		t.stepChanged(1)
	}
	return t.saveSoon()
}

// ReviewAll marks everything as reviewed.
func (t *Pane) ReviewAll() tea.Cmd {
	n := t.Changed()
	if n == 0 {
		return t.env.Do(screen.Notice{Text: "nothing to review"})
	}
	return tea.Batch(t.seeAll(), t.env.Do(screen.Reviewed{}), t.env.Do(screen.Notice{Text: "all reviewed: " + changes(n)}))
}

// seeAll marks everything as reviewed.
func (t *Pane) seeAll() tea.Cmd {
	newest := t.data.newest()
	t.facts.seenAll = max(t.facts.seenAll, newest)
	clear(t.facts.seen)
	clear(t.unsaved)
	t.countChanged()
	ctx, store := t.env.Ctx, t.store
	return screen.Run(func() error { return store.MarkAllReviewed(ctx, newest) }, t.reportSaveError)
}

// reportSaveError reports what could not be saved: it would be to be reviewed again at the next
// start.
func (t *Pane) reportSaveError(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return t.env.Do(screen.Notice{Text: "review state not saved: " + err.Error(), Bad: true})
}

// stepChanged moves to the next memory to review, unfolding its parent folders.
func (t *Pane) stepChanged(d int) tea.Cmd {
	p, ok := t.NextUnreviewed(t.Here(), d)
	if !ok {
		return t.env.Do(screen.Notice{Text: "nothing to review"})
	}
	t.Reveal(p)
	return nil
}

// NextUnreviewed returns the next (d 1) or previous (d -1) memory to review after a path, in the
// order of the tree. After the last one comes the first.
func (t *Pane) NextUnreviewed(from memfs.Path, d int) (memfs.Path, bool) {
	if t.Changed() == 0 {
		return memfs.Root, false
	}
	all := t.data.flat
	if !t.order.flat {
		all = t.data.root.leaves(nil)
	}
	at := 0
	if n := t.data.node(from); n != nil {
		for i, l := range all {
			if l == n || n.folder() && l.path().In(n.path()) {
				at = i
				break
			}
		}
		if n.folder() && d > 0 {
			at--
		}
	}
	for range all {
		at = (at + d + len(all)) % len(all)
		if t.facts.changed(all[at].entry) {
			return all[at].path(), true
		}
	}
	return memfs.Root, false
}

// countEvery is how long counted reads are used.
const countEvery = time.Minute

// Tick is called periodically: it refreshes what no event reports.
func (t *Pane) Tick() tea.Cmd { return t.count() }

// count counts the reads in the ledger again, unless that was done recently.
func (t *Pane) count() tea.Cmd {
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
