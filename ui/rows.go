package ui

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

// treeData is one reading of the store's tree.
type treeData struct {
	entries []versions.Entry
	root    *node
	byPath  map[memfs.Path]*node
}

// buildTree makes nodes of entries, which are sorted by path.
func buildTree(entries []versions.Entry) *treeData {
	d := &treeData{entries: entries, root: &node{depth: -1}, byPath: make(map[memfs.Path]*node, len(entries))}
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

func (d *treeData) folderAt(p memfs.Path) *node {
	if n, ok := d.byPath[p]; ok {
		return n
	}
	parent := d.folderAt(p.Dir())
	n := &node{name: p.Base(), path: p, parent: parent, depth: parent.depth + 1}
	parent.kids = append(parent.kids, n)
	d.byPath[p] = n
	return n
}

// changedSince lists the paths whose memory differs from what an earlier
// reading saw, or was not there. A reading without an earlier one sees nothing new.
func (d *treeData) changedSince(old *treeData) []versions.Entry {
	if old == nil {
		return nil
	}
	var out []versions.Entry
	for _, e := range d.entries {
		before, ok := old.byPath[e.Path]
		if !ok || before.entry == nil || before.entry.Change != e.Change || before.entry.Kind != e.Kind {
			out = append(out, e)
		}
	}
	return out
}
