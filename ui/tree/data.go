package tree

import (
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// node is a folder or an entry of the tree. Nodes are made by a command and do
// not change after that, but for news, which is the pane's.
type node struct {
	name   string
	path   memfs.Path
	entry  *versions.Entry // nil for a folder
	parent *node
	kids   []*node
	depth  int // 0 for what lies in the store's own folder
	index  int // among all nodes

	// Of a folder, all memories below it.
	count  int
	size   int64
	reads  int
	latest time.Time
	hidden int
	news   int // memories below that changed and were not looked at
}

func (n *node) folder() bool { return n.entry == nil }

func (n *node) memory() bool { return n.entry != nil && n.entry.Kind == versions.Memory }

// when is when it changed last.
func (n *node) when() time.Time {
	if n.entry != nil {
		return n.entry.Time
	}
	return n.latest
}

// bytes is its size; of what is no memory, what the disk says.
func (n *node) bytes() int64 {
	if n.entry != nil {
		return n.entry.Size
	}
	return n.size
}

// source is what the store said: what is shown is arranged from it.
type source struct {
	entries []versions.Entry
	looks   *versions.Looks
}

// Data is one reading of the store's tree, arranged. It does not change, but for
// what the pane counts in its nodes.
type Data struct {
	Entries []versions.Entry // by path

	from   *source
	order  order
	reads  int // which ones
	root   *node
	flat   []*node // the entries without their folders, when the order asks for it
	count  int     // of nodes
	byPath map[memfs.Path]*node
	byID   map[versions.MemoryID]*node
}

// build makes nodes of entries, which are sorted by path, and puts them in order.
func build(from *source, o order, known *facts) *Data {
	d := &Data{Entries: from.entries, from: from, order: o, reads: known.readsID, root: &node{depth: -1},
		byPath: make(map[memfs.Path]*node, len(from.entries)), byID: make(map[versions.MemoryID]*node, len(from.entries))}
	d.byPath[memfs.Root] = d.root
	for i := range d.Entries {
		d.add(&d.Entries[i], known)
	}
	o.sort(d)
	return d
}

func (d *Data) add(e *versions.Entry, known *facts) {
	parent := d.folderAt(e.Path.Dir())
	n := d.put(&node{name: e.Path.Base(), path: e.Path, entry: e, parent: parent})
	if e.Kind != versions.Memory {
		return
	}
	d.byID[e.Memory] = n
	n.reads = known.reads[e.Memory].Reads
	news := 0
	if known.news(e) {
		news = 1
	}
	for f := parent; f != nil; f = f.parent {
		f.count++
		f.size += e.Size
		f.hidden += e.Hidden
		f.reads += n.reads
		f.news += news
		if e.Time.After(f.latest) {
			f.latest = e.Time
		}
	}
}

func (d *Data) put(n *node) *node {
	n.depth = n.parent.depth + 1
	n.index = d.count
	d.count++
	n.parent.kids = append(n.parent.kids, n)
	d.byPath[n.path] = n
	return n
}

func (d *Data) folderAt(p memfs.Path) *node {
	if n, ok := d.byPath[p]; ok {
		return n
	}
	return d.put(&node{name: p.Base(), path: p, parent: d.folderAt(p.Dir())})
}

// changedSince lists what differs from what an earlier reading saw, or was not
// there. A reading without an earlier one sees nothing new.
func (d *Data) changedSince(old *Data) []versions.Entry {
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

// newest is the newest change of the memories that stand.
func (d *Data) newest() (n int64) {
	for i := range d.Entries {
		n = max(n, d.Entries[i].Change)
	}
	return n
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
