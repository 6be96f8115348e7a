package tree

import (
	"maps"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Review is what the person has reviewed of the changes of others, at once, and what is left. It
// keeps the counts in the nodes of the reading right.
type Review struct {
	in      *outline
	known   *facts
	unsaved map[versions.MemoryID]int64 // reviewed, and not saved yet
	decided func()                      // called once a deletion that is shown is saved as reviewed
}

// Changed returns how many memories others changed since they were reviewed.
func (r *Review) Changed() int {
	if r.in.data == nil {
		return 0
	}
	return r.in.data.root.changed
}

// Unreviewed returns what is to be reviewed of the memory at p. It stays so until a person
// marks the memory as reviewed; showing it changes nothing.
func (r *Review) Unreviewed(p memfs.Path) (screen.Review, bool) {
	if r.in.data == nil {
		return screen.Review{}, false
	}
	n := r.in.data.node(p)
	if n == nil || !r.known.changed(n.entry) {
		return screen.Review{}, false
	}
	f, e := r.known, n.entry
	return screen.Review{Memory: versions.MemoryID(strings.Clone(string(e.Memory))), UpTo: f.reviewedUpTo(e.Memory), Change: e.Change, Me: f.me, Deleted: n.deleted()}, true
}

// See shows memories as reviewed, each up to a change, whether they still exist or not, and returns what undoes that.
func (r *Review) See(upTo map[versions.MemoryID]int64) (unsee func()) {
	if r.in.data == nil {
		return func() {}
	}
	seen, unsaved := maps.Clone(r.known.seen), maps.Clone(r.unsaved)
	r.marking(upTo, func() {
		for m, change := range upTo {
			r.known.seen[m] = max(r.known.seen[m], change)
			r.unsaved[m] = max(r.unsaved[m], change)
		}
	})
	return func() {
		r.marking(upTo, func() {
			for m := range upTo {
				putBack(r.known.seen, seen, m)
				putBack(r.unsaved, unsaved, m)
			}
		})
	}
}

func putBack(marks, were map[versions.MemoryID]int64, m versions.MemoryID) {
	if was, marked := were[m]; marked {
		marks[m] = was
	} else {
		delete(marks, m)
	}
}

// marking changes what is seen of some memories, and corrects the counts.
func (r *Review) marking(memories map[versions.MemoryID]int64, set func()) {
	were := map[*node]bool{}
	for i := range r.in.data.nodes {
		if n := &r.in.data.nodes[i]; memories[n.entry.Memory] > 0 {
			were[n] = r.known.changed(n.entry)
		}
	}
	set()
	for n, was := range were {
		switch is := r.known.changed(n.entry); {
		case was && !is:
			n.addChanged(-1)
		case !was && is:
			n.addChanged(1)
		}
	}
}

// SeeAll shows everything as reviewed. It returns up to which change, what was to be reviewed, each up to its own change, and
// what undoes that.
func (r *Review) SeeAll() (upTo int64, changed map[versions.MemoryID]int64, unsee func()) {
	if r.Changed() == 0 {
		return 0, nil, nil
	}
	all, seen, unsaved := r.known.seenAll, r.known.seen, maps.Clone(r.unsaved)
	upTo, changed = r.in.data.newest(), map[versions.MemoryID]int64{}
	for i := range r.in.data.Entries {
		if e := &r.in.data.Entries[i]; r.known.changed(e) {
			changed[versions.MemoryID(strings.Clone(string(e.Memory)))] = e.Change
		}
	}
	maps.Copy(r.unsaved, changed)
	r.known.seenAll, r.known.seen = max(all, upTo), map[versions.MemoryID]int64{}
	r.countChanged()
	return upTo, changed, func() {
		r.known.seenAll, r.known.seen, r.unsaved = all, seen, unsaved
		r.countChanged()
	}
}

// Saved reports that the store has these marks. A deletion that is decided is not shown any more.
func (r *Review) Saved(upTo map[versions.MemoryID]int64) {
	for m, change := range upTo {
		if r.unsaved[m] <= change {
			delete(r.unsaved, m)
		}
	}
	decided := func(n node) bool { return n.deleted() && !r.known.changed(n.entry) }
	if r.in.data != nil && slices.ContainsFunc(r.in.data.nodes, decided) {
		r.decided()
	}
}

// ReviewState returns what the person has reviewed, including what is not saved yet.
func (r *Review) ReviewState() *versions.ReviewState {
	f := r.known
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

// correct corrects the counts that a command made with the facts at its start.
func (r *Review) correct(then *facts) {
	if then.seenAll != r.known.seenAll || !maps.Equal(then.seen, r.known.seen) {
		r.countChanged()
	}
}

// countChanged counts the memories to review again.
func (r *Review) countChanged() {
	for _, f := range r.in.data.folders {
		f.changed = 0
	}
	for i := range r.in.data.nodes {
		if n := &r.in.data.nodes[i]; r.known.changed(n.entry) {
			n.addChanged(1)
		}
	}
}

// hasUnreviewed reports whether a memory, or one in a folder, is to be reviewed.
func (r *Review) hasUnreviewed(n *node) bool {
	if n.folder() {
		return n.changed > 0
	}
	return r.known.changed(n.entry)
}

// NextUnreviewed returns the next (d 1) or previous (d -1) memory to review after a path, in the
// order of the tree. After the last one comes the first. With filtered it is one that the filter shows.
func (r *Review) NextUnreviewed(from memfs.Path, d int, filtered bool) (memfs.Path, bool) {
	if r.Changed() == 0 {
		return memfs.Root, false
	}
	all := r.in.data.flat
	if !r.in.data.order.flat {
		all = r.in.data.root.leaves(nil)
	}
	at := 0
	if n := r.in.data.node(from); n != nil {
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
		if n := all[at]; r.known.changed(n.entry) && (!filtered || r.in.passes(n)) {
			return n.path(), true
		}
	}
	return memfs.Root, false
}

// ToReview returns which of some memories are to be reviewed, deleted ones too.
func (r *Review) ToReview(memories map[versions.MemoryID]bool) map[versions.MemoryID]bool {
	out := map[versions.MemoryID]bool{}
	if r.in.data == nil {
		return out
	}
	for i := range r.in.data.Entries {
		if e := &r.in.data.Entries[i]; memories[e.Memory] && r.known.changed(e) {
			out[e.Memory] = true
		}
	}
	return out
}
