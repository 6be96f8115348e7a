package tree

import (
	"cmp"
	"slices"
	"strings"
)

// sorting is the key that entries are sorted by.
type sorting int

const (
	byName sorting = iota
	byAge
	bySize
	byReads
	sortings
)

var sortingNames = [sortings]string{"name", "newest", "largest", "most read"}

// order is how the entries are arranged.
type order struct {
	by   sorting
	flat bool // entries by their whole path, without folders
}

func (o order) String() string { return sortingNames[o.by] }

// sort sorts the nodes of d: in each folder its folders first. Most entries are by name already: build has found that
// while it had them at hand.
func (o order) sort(d *Data) {
	less := o.compare()
	for _, f := range d.folders {
		slices.SortFunc(f.kids[:f.folders], less)
		if o.by != byName || f.mixed {
			slices.SortFunc(f.kids[f.folders:], less)
		}
	}
	if !o.flat {
		return
	}
	d.flat = d.root.leaves(make([]*node, 0, len(d.Entries)))
	if o.by == byName {
		less = func(a, b *node) int { return compareNames(a.rel(), b.rel()) }
	}
	slices.SortStableFunc(d.flat, less)
}

func (o order) compare() func(a, b *node) int {
	first := func(*node, *node) int { return 0 }
	switch o.by {
	case byAge:
		first = func(a, b *node) int { return b.when().Compare(a.when()) }
	case bySize:
		first = func(a, b *node) int { return cmp.Compare(b.bytes(), a.bytes()) }
	case byReads:
		first = func(a, b *node) int { return cmp.Compare(b.reads, a.reads) }
	}
	return func(a, b *node) int {
		return cmp.Or(first(a, b), compareNames(a.name(), b.name()))
	}
}

// compareNames compares names as people do; case decides only between otherwise equal
// names.
func compareNames(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := a[i], b[i]; x >= 0x80 || y >= 0x80 {
			return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
		} else if x, y = lower(x), lower(y); x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// leaves lists the entries below n in the order of the tree.
func (n *node) leaves(out []*node) []*node {
	for _, k := range n.kids {
		if k.folder() {
			out = k.leaves(out)
		} else {
			out = append(out, k)
		}
	}
	return out
}
