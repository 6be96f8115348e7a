package tree

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Selection is what actions apply to: some paths, with everything in the folders among them,
// and while a range is being selected its rows. Without either it is the cursor's row.
type Selection struct {
	in    *outline
	paths map[memfs.Path]bool
}

// row reports whether row i is selected, and whether a parent folder is.
func (s *Selection) row(i int) (chosen, above bool) {
	n := s.in.rows[i]
	if n.choosable() && (s.paths[n.path()] || s.in.inRange(i)) {
		return true, false
	}
	if len(s.paths) > 0 {
		for f := n.parent; f != nil; f = f.parent {
			if s.paths[f.path()] {
				return true, true
			}
		}
	}
	return false, false
}

// count returns how many rows are selected.
func (s *Selection) count() int {
	n := len(s.paths)
	for _, row := range s.in.ranged() {
		if row.choosable() && !s.paths[row.path()] {
			n++
		}
	}
	return n
}

// toggle adds n or removes it.
func (s *Selection) toggle(n *node) {
	if s.paths[n.path()] {
		delete(s.paths, n.path())
	} else {
		s.paths[n.path()] = true
	}
}

// choosable reports whether actions on a selection can apply to n.
func (n *node) choosable() bool {
	_, unnamed := n.unnamed()
	return !unnamed && !n.deleted()
}

func (s *Selection) add(n *node) {
	if n.choosable() {
		s.paths[n.path()] = true
	}
}

// addRange ends a range: its rows stay selected.
func (s *Selection) addRange() {
	for _, n := range s.in.ranged() {
		s.add(n)
	}
	s.in.ranging = false
}

// addAll adds every entry that passes the filter, folded or not.
func (s *Selection) addAll() {
	s.in.ranging = false
	for i := range s.in.data.nodes {
		if n := &s.in.data.nodes[i]; s.in.passes(n) {
			s.add(n)
		}
	}
}

// Clear selects nothing.
func (s *Selection) Clear() {
	clear(s.paths)
	s.in.ranging = false
}

// dropGone drops what no longer exists.
func (s *Selection) dropGone() {
	for p := range s.paths {
		if !s.in.data.Has(p) {
			delete(s.paths, p)
		}
	}
}

// nodes returns what an action applies to, in the order of the tree. What is in a selected
// folder is not listed itself. It ends a range.
func (s *Selection) nodes() []*node {
	s.addRange()
	if len(s.paths) > 0 {
		return s.below(nil, s.in.data.root)
	}
	if n := s.in.current(); n != nil {
		return []*node{n}
	}
	return nil
}

func (s *Selection) below(out []*node, n *node) []*node {
	for _, k := range n.kids {
		if s.paths[k.path()] {
			out = append(out, k)
		} else if k.folder() {
			out = s.below(out, k)
		}
	}
	return out
}

// targets returns the paths of nodes.
func (s *Selection) targets() (out []memfs.Path) {
	for _, n := range s.nodes() {
		out = append(out, n.path())
	}
	return out
}

// memories returns the memories that a review applies to, including those in folders.
func (s *Selection) memories() (out []*node) {
	for _, n := range s.nodes() {
		leaves := []*node{n}
		if n.folder() {
			leaves = n.leaves(nil)
		}
		for _, l := range leaves {
			if l.memory() || l.deleted() {
				out = append(out, l)
			}
		}
	}
	return out
}

// pair returns the two selected memories, or the selected one and the one under the cursor;
// the one written first comes first.
func (s *Selection) pair() (pair [2]versions.Entry, ok bool) {
	here := s.in.current()
	if n := s.count(); here == nil || n == 0 || n > 2 {
		return pair, false
	}
	two := slices.Clone(s.in.ranged())
	for p := range s.paths {
		two = append(two, s.in.data.node(p))
	}
	if len(two) == 1 {
		two = append(two, here)
	}
	slices.SortFunc(two, func(a, b *node) int { return cmp.Compare(a.index, b.index) })
	two = slices.Compact(two)
	if len(two) != 2 || !two[0].memory() || !two[1].memory() {
		return pair, false
	}
	pair = [2]versions.Entry{*two[0].entry, *two[1].entry}
	slices.SortFunc(pair[:], func(a, b versions.Entry) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), strings.Compare(a.Path.String(), b.Path.String()))
	})
	return pair, true
}
