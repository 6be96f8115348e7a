package tree

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// node is a folder or an entry of the tree. Nodes are made by a command and do
// not change after that.
type node struct {
	name   string
	path   memfs.Path
	entry  *versions.Entry // nil for a folder
	parent *node
	kids   []*node // folders first, each by name
	depth  int     // 0 for what lies in the store's own folder

	// Of a folder, all memories below it.
	count  int
	size   int64
	latest time.Time
	hidden int
}

func (n *node) folder() bool { return n.entry == nil }

// Data is one reading of the store's tree. It does not change.
type Data struct {
	Entries []versions.Entry
	root    *node
	byPath  map[memfs.Path]*node
}

// Build makes nodes of entries, which are sorted by path.
func Build(entries []versions.Entry) *Data {
	d := &Data{Entries: entries, root: &node{depth: -1}, byPath: make(map[memfs.Path]*node, len(entries))}
	d.byPath[memfs.Root] = d.root
	for i := range entries {
		e := &entries[i]
		parent := d.folderAt(e.Path.Dir())
		n := &node{name: e.Path.Base(), path: e.Path, entry: e, parent: parent, depth: parent.depth + 1}
		parent.kids = append(parent.kids, n)
		d.byPath[e.Path] = n
		if e.Kind != versions.Memory {
			continue
		}
		for f := parent; f != nil; f = f.parent {
			f.count++
			f.size += e.Size
			f.hidden += e.Hidden
			if e.Time.After(f.latest) {
				f.latest = e.Time
			}
		}
	}
	for _, n := range d.byPath {
		slices.SortFunc(n.kids, func(a, b *node) int {
			if a.folder() != b.folder() {
				if a.folder() {
					return -1
				}
				return 1
			}
			return cmp.Or(strings.Compare(strings.ToLower(a.name), strings.ToLower(b.name)), strings.Compare(a.name, b.name))
		})
	}
	return d
}

func (d *Data) folderAt(p memfs.Path) *node {
	if n, ok := d.byPath[p]; ok {
		return n
	}
	parent := d.folderAt(p.Dir())
	n := &node{name: p.Base(), path: p, parent: parent, depth: parent.depth + 1}
	parent.kids = append(parent.kids, n)
	d.byPath[p] = n
	return n
}

// ChangedSince lists the paths whose memory differs from what an earlier
// reading saw, or was not there. A reading without an earlier one sees nothing new.
func (d *Data) ChangedSince(old *Data) []versions.Entry {
	if old == nil {
		return nil
	}
	var out []versions.Entry
	for _, e := range d.Entries {
		before, ok := old.byPath[e.Path]
		if !ok || before.entry == nil || before.entry.Change != e.Change || before.entry.Kind != e.Kind {
			out = append(out, e)
		}
	}
	return out
}

// Entry is what stands at p; nil for a folder and for nothing.
func (d *Data) Entry(p memfs.Path) *versions.Entry {
	if n := d.byPath[p]; n != nil {
		return n.entry
	}
	return nil
}

// Has reports whether there is something at p, a folder or an entry.
func (d *Data) Has(p memfs.Path) bool { return d.byPath[p] != nil }

// Count is how many memories an act on p is for, and whether p is a folder.
func (d *Data) Count(p memfs.Path) (memories int, folder bool) {
	switch n := d.byPath[p]; {
	case n == nil:
		return 0, false
	case n.folder():
		return n.count, true
	}
	return 1, false
}

// Total is how many memories there are, and how many bytes they hold.
func (d *Data) Total() (memories int, size int64) { return d.root.count, d.root.size }
