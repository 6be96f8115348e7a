package memfs

import "iter"

// TreePath is a slash-separated path. The zero value is the root.
type TreePath[P any] interface {
	comparable
	Dir() P
	In(dir P) bool
}

// Occupied records what is at which path, such as the memories of a plan. A file can't have anything
// below it, so what is at a path blocks that path, every path below it and every folder above it. An
// Occupied does not refuse what Free forbids: a plan may have conflicts, which its caller resolves.
//
// Nothing occupies the root. The zero Occupied is empty and ready to use.
type Occupied[P TreePath[P], T any] struct {
	at    map[P]*T
	below map[P]int // how many are below each folder
}

// Put places who at p and replaces what was there.
func (o *Occupied[P, T]) Put(p P, who *T) {
	if o.at == nil {
		o.at, o.below = map[P]*T{}, map[P]int{}
	}
	if o.at[p] == nil {
		o.count(p, 1)
	}
	o.at[p] = who
}

// Remove empties p.
func (o *Occupied[P, T]) Remove(p P) {
	if o.at[p] != nil {
		delete(o.at, p)
		o.count(p, -1)
	}
}

func (o *Occupied[P, T]) count(p P, n int) {
	for dir := range folders(p) {
		if o.below[dir] += n; o.below[dir] == 0 {
			delete(o.below, dir)
		}
	}
}

// folders yields the folders above p except the root, innermost first.
func folders[P TreePath[P]](p P) iter.Seq[P] {
	return func(yield func(P) bool) {
		var root P
		for dir := p.Dir(); dir != root && yield(dir); dir = dir.Dir() {
		}
	}
}

// At returns what is at p itself, or nil.
func (o *Occupied[P, T]) At(p P) *T { return o.at[p] }

// Above returns what is at the innermost occupied folder above p, or nil.
func (o *Occupied[P, T]) Above(p P) *T {
	for dir := range folders(p) {
		if who := o.at[dir]; who != nil {
			return who
		}
	}
	return nil
}

// Below reports whether anything is below p.
func (o *Occupied[P, T]) Below(p P) bool { return o.below[p] > 0 }

// In yields everything at p or below it, in no particular order; the root yields everything.
func (o *Occupied[P, T]) In(p P) iter.Seq2[P, *T] {
	return func(yield func(P, *T) bool) {
		var root P
		if who := o.at[p]; who != nil && !yield(p, who) || p != root && o.below[p] == 0 {
			return
		}
		for q, who := range o.at {
			if q != p && q.In(p) && !yield(q, who) {
				return
			}
		}
	}
}

// Free reports whether what is at from may be at p: nothing else is at p, above it or below it. For
// something that is nowhere yet, from is the root.
func (o *Occupied[P, T]) Free(p, from P) bool {
	_, blocked := o.Blocker(p, from)
	return !blocked
}

// Blocker returns the occupied path that prevents what is at from to be at p; see Free.
func (o *Occupied[P, T]) Blocker(p, from P) (at P, blocked bool) {
	for dir := range folders(p) {
		if dir != from && o.at[dir] != nil {
			return dir, true
		}
	}
	for q := range o.In(p) {
		if q != from {
			return q, true
		}
	}
	return at, false
}
