package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// node is a folder or an entry of the tree. Commands create nodes; they do not change after
// that, except for changed, which belongs to the pane.
type node struct {
	entry  *versions.Entry // nil for a folder
	*below                 // nil for an entry
	parent *node
	at     int32 // offset of the name in the path
	depth  int32 // 0 for entries of the store's own folder
	index  int32 // among all nodes: entries by path, then folders
	reads  int32
}

// below is the content of a folder: its own folders and entries, and totals over all
// memories below it.
type below struct {
	dir     memfs.Path
	kids    []*node // folders first
	folders int     // of kids
	entries int
	count   int
	others  int // entries that are not memories
	size    int64
	latest  time.Time
	hidden  int
	changed int // changed and not reviewed

	last  *node // of the entries, by path
	mixed bool  // the entries by path are not by name
}

func (n *node) folder() bool { return n.entry == nil }

func (n *node) path() memfs.Path {
	if n.entry != nil {
		return n.entry.Path
	}
	return n.dir
}

// name returns the name of a folder or an entry, quoted if no path can hold it.
func (n *node) name() string {
	if name, ok := n.unnamed(); ok {
		return name
	}
	return n.path().Rel()[n.at:]
}

// unnamed returns the quoted name of an entry whose name no path can hold. Its path is that of
// its folder, so no action may use it.
func (n *node) unnamed() (string, bool) {
	if n.entry == nil {
		return "", false
	}
	return n.entry.Unnamed()
}

// same reports whether n is the node m of another reading.
func (n *node) same(m *node) bool { return m != nil && n.path() == m.path() && n.name() == m.name() }

// rel returns the path below the store's folder, for display.
func (n *node) rel() string {
	rel := n.path().Rel()
	if name, ok := n.unnamed(); ok {
		return strings.TrimPrefix(strings.TrimSuffix(rel, "/")+"/"+name, "/")
	}
	return rel
}

func (n *node) memory() bool { return n.entry != nil && n.entry.Kind == versions.Memory }

// deleted reports whether n is a memory that is no more, and whose deletion is to be reviewed.
func (n *node) deleted() bool { return n.entry != nil && n.entry.Kind == versions.DeletedMemory }

// when returns the time of the last change.
func (n *node) when() time.Time {
	if n.entry != nil {
		return written(n.entry)
	}
	return n.latest
}

// written returns when the content of an entry was written: a file may be older than its
// history.
func written(e *versions.Entry) time.Time {
	if !e.Written.IsZero() {
		return e.Written
	}
	return e.Time
}

// bytes returns the size; for what is not a memory, the size on disk.
func (n *node) bytes() int64 {
	if n.entry != nil {
		return n.entry.Size
	}
	return n.size
}

// source is what was read from the store; arrangements are computed from it.
type source struct {
	entries    []versions.Entry
	reviewed   *versions.ReviewState
	ownChanges map[versions.MemoryID]ownChange
}

// ownChange is a memory whose newest version is the person's own.
type ownChange struct {
	change, upTo int64
	beneath      bool // others changed it since change upTo
}

// Data is one reading of the store's tree, arranged. It does not change, except for the
// pane's counts in its nodes.
type Data struct {
	Entries []versions.Entry // by path

	from    *source
	order   order
	reads   int // the number of the reads that it was sorted by
	root    *node
	flat    []*node // the entries without their folders, if the order is flat
	nodes   []node  // of Entries
	folders []*node // each after its parent, the root first
	byPath  map[memfs.Path]*node
}

// build builds nodes from entries, which are sorted by path, and sorts them.
func build(from *source, o order, known *facts) *Data {
	d := &Data{Entries: from.entries, from: from, order: o, reads: known.readsID,
		nodes: make([]node, len(from.entries)), byPath: map[memfs.Path]*node{}}
	d.root = d.newFolder(memfs.Root, node{at: int32(len(memfs.Root.Rel())), depth: -1})
	in := d.root
	for i := range d.Entries {
		e := &d.Entries[i]
		if _, ok := e.Unnamed(); ok {
			in = d.folderAt(e.Path, in)
		} else {
			in = d.folderAt(e.Path.Dir(), in)
		}
		n := &d.nodes[i]
		*n = in.kid()
		n.entry, n.index = e, int32(i)
		in.mixed = in.mixed || in.last != nil && compareNames(in.last.name(), n.name()) > 0
		in.last = n
		in.addToTotals(n, known)
	}
	for i := len(d.folders) - 1; i > 0; i-- {
		f := d.folders[i]
		f.parent.sum(f)
	}
	d.linkChildren()
	o.sort(d)
	return d
}

// folderAt returns the folder at a path. Entries of a folder are adjacent, so it is usually that
// of the previous entry.
func (d *Data) folderAt(dir memfs.Path, before *node) *node {
	if dir == before.dir {
		return before
	}
	if f := d.byPath[dir]; f != nil {
		return f
	}
	return d.newFolder(dir, d.folderAt(dir.Dir(), d.root).kid())
}

// kid returns a new node in the folder n.
func (n *node) kid() node {
	k := node{parent: n, depth: n.depth + 1}
	if n.parent != nil {
		k.at = int32(len(n.dir.Rel())) + 1
	}
	return k
}

func (d *Data) newFolder(dir memfs.Path, n node) *node {
	n.below = &below{dir: dir}
	n.index = int32(len(d.Entries) + len(d.folders))
	if n.parent != nil {
		n.parent.folders++
	}
	d.folders = append(d.folders, &n)
	d.byPath[dir] = &n
	return &n
}

// addToTotals adds an entry to the totals of its folder.
func (n *node) addToTotals(kid *node, known *facts) {
	e := kid.entry
	n.entries++
	switch {
	case e.Kind == versions.DeletedMemory:
		if known.changed(e) {
			n.changed++
		}
		return
	case e.Kind != versions.Memory:
		n.others++
		return
	}
	kid.reads = int32(known.reads[e.Memory].Reads)
	n.reads += kid.reads
	n.count++
	n.size += e.Size
	n.hidden += e.Hidden
	if at := written(e); at.After(n.latest) {
		n.latest = at
	}
	if known.changed(e) {
		n.changed++
	}
}

// sum adds the totals of a folder in n.
func (n *node) sum(f *node) {
	n.reads += f.reads
	n.count += f.count
	n.others += f.others
	n.size += f.size
	n.hidden += f.hidden
	n.changed += f.changed
	if f.latest.After(n.latest) {
		n.latest = f.latest
	}
}

// linkChildren fills the children of each folder.
func (d *Data) linkChildren() {
	all := make([]*node, 0, d.count())
	for _, f := range d.folders {
		n := len(all)
		all = all[:n+f.folders+f.entries]
		f.kids = all[n:n:len(all)]
	}
	for _, f := range d.folders[1:] {
		f.parent.kids = append(f.parent.kids, f)
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		n.parent.kids = append(n.parent.kids, n)
	}
}

// count returns the number of nodes.
func (d *Data) count() int { return len(d.nodes) + len(d.folders) }

// node returns the node at p, or nil.
func (d *Data) node(p memfs.Path) *node {
	if f := d.byPath[p]; f != nil {
		return f
	}
	i, found := slices.BinarySearchFunc(d.Entries, p, func(e versions.Entry, p memfs.Path) int { return comparePaths(e.Path, p) })
	if !found {
		return nil
	}
	return &d.nodes[i]
}

func comparePaths(a, b memfs.Path) int { return strings.Compare(a.Rel(), b.Rel()) }

// memory returns the node of a memory, or nil if it does not exist. It searches all
// entries.
func (d *Data) memory(m versions.MemoryID) *node {
	for i := range d.Entries {
		if m != "" && d.Entries[i].Memory == m {
			return &d.nodes[i]
		}
	}
	return nil
}

// changedSince lists the entries that differ from an earlier reading or are new. Without an
// earlier reading, nothing is new.
func (d *Data) changedSince(old *Data) []versions.Entry {
	if old == nil {
		return nil
	}
	var out []versions.Entry
	before := old.Entries
	for i := range d.Entries {
		e := &d.Entries[i]
		for len(before) > 0 && comparePaths(before[0].Path, e.Path) < 0 {
			before = before[1:]
		}
		if len(before) == 0 || before[0].Path != e.Path || before[0].Change != e.Change || before[0].Kind != e.Kind {
			out = append(out, *e)
		}
	}
	return out
}

// newest returns the newest change of the current memories.
func (d *Data) newest() (n int64) {
	for i := range d.Entries {
		n = max(n, d.Entries[i].Change)
	}
	return n
}

// Entry returns the entry at p, or nil for a folder and for nothing.
func (d *Data) Entry(p memfs.Path) *versions.Entry {
	if n := d.node(p); n != nil {
		return n.entry
	}
	return nil
}

// Has reports whether there is a folder or an entry at p. A deleted memory is none.
func (d *Data) Has(p memfs.Path) bool {
	n := d.node(p)
	return n != nil && !n.deleted()
}

// Present returns the entries without deleted memories.
func (d *Data) Present() []versions.Entry {
	isDeleted := func(e versions.Entry) bool { return e.Kind == versions.DeletedMemory }
	if !slices.ContainsFunc(d.Entries, isDeleted) {
		return d.Entries
	}
	return slices.DeleteFunc(slices.Clone(d.Entries), isDeleted)
}

// Count returns how many memories an action on p applies to, and whether p is a folder.
func (d *Data) Count(p memfs.Path) (memories int, folder bool) {
	switch n := d.node(p); {
	case n == nil:
		return 0, false
	case n.folder():
		return n.count, true
	}
	return 1, false
}

// Others returns the number of entries that have no versions: files that are too large, links.
func (d *Data) Others() int { return d.root.others }

// Total returns the number of memories and their total size.
func (d *Data) Total() (memories int, size int64) { return d.root.count, d.root.size }
