package tree

import (
	"maps"
	"slices"
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
	return screen.Review{Memory: versions.MemoryID(strings.Clone(string(e.Memory))), UpTo: f.reviewedUpTo(e.Memory), Change: e.Change, Me: f.me, Deleted: n.deleted()}, true
}

// See shows memories as reviewed, each up to a change, whether they still exist or not, and returns what takes that back.
func (t *Pane) See(upTo map[versions.MemoryID]int64) (unsee func()) {
	if t.data == nil {
		return func() {}
	}
	before := map[versions.MemoryID]int64{}
	t.marking(upTo, func() {
		for m, change := range upTo {
			before[m] = t.facts.seen[m]
			t.facts.seen[m] = max(t.facts.seen[m], change)
			t.unsaved[m] = max(t.unsaved[m], change)
		}
	})
	return func() {
		t.marking(upTo, func() { maps.Copy(t.facts.seen, before) })
	}
}

// marking changes what is seen of some memories, and corrects the counts.
func (t *Pane) marking(memories map[versions.MemoryID]int64, set func()) {
	were := map[*node]bool{}
	for i := range t.data.nodes {
		if n := &t.data.nodes[i]; memories[n.entry.Memory] > 0 {
			were[n] = t.facts.changed(n.entry)
		}
	}
	set()
	for n, was := range were {
		switch is := t.facts.changed(n.entry); {
		case was && !is:
			n.addChanged(-1)
		case !was && is:
			n.addChanged(1)
		}
	}
}

// SeeAll shows everything as reviewed. It returns up to which change, how many memories were to be reviewed, and what takes that back.
func (t *Pane) SeeAll() (upTo int64, n int, unsee func()) {
	if n = t.Changed(); n == 0 {
		return 0, 0, nil
	}
	all, seen := t.facts.seenAll, t.facts.seen
	upTo = t.data.newest()
	t.facts.seenAll, t.facts.seen = max(all, upTo), map[versions.MemoryID]int64{}
	clear(t.unsaved)
	t.countChanged()
	return upTo, n, func() {
		t.facts.seenAll, t.facts.seen = all, seen
		t.countChanged()
	}
}

// Saved reports that the store has these marks. A deletion that is decided is not shown any more.
func (t *Pane) Saved(upTo map[versions.MemoryID]int64) {
	for m, change := range upTo {
		if t.unsaved[m] <= change {
			delete(t.unsaved, m)
		}
	}
	decided := func(n node) bool { return n.deleted() && !t.facts.changed(n.entry) }
	if t.data != nil && slices.ContainsFunc(t.data.nodes, decided) {
		t.env.Do(screen.ReviewChanged{})
	}
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
	upTo := map[versions.MemoryID]int64{}
	what := ""
	for _, n := range t.targetMemories() {
		if t.facts.changed(n.entry) {
			upTo[versions.MemoryID(strings.Clone(string(n.entry.Memory)))] = n.entry.Change // copies, because they outlive the reading
			what = "kept " + n.path().String()
		}
	}
	t.choseAct()
	switch len(upTo) {
	case 0:
		return t.stepChanged(1)
	case 1:
	default:
		what = "kept " + changes(len(upTo))
	}
	t.env.Do(screen.MarkReviewed{UpTo: upTo, What: what})
	unsee := t.See(upTo) // for the next step alone: the root marks them
	if t.Changed() > 0 {
		t.stepChanged(1)
	}
	unsee()
	return nil
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
	if !t.data.order.flat {
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
