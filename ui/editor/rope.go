package editor

import "bytes"

// A rope is a text as a balanced tree (AVL) of small pieces. Nodes never change: an edit
// creates a new root that shares nearly everything with the old one. So the cost of an edit
// does not depend on the size of the text, an undo step is an old root, and a root may be
// read on another goroutine during edits. The nil rope is the empty text.
type rope struct {
	left, right *rope
	piece       []byte // of a leaf, never empty, never written to
	size        int    // bytes
	newlines    int
	height      int8 // 0 for a leaf
}

// maxPiece is the most bytes in a leaf. An edit copies two leaves.
const maxPiece = 1024

// newRope returns a rope of text, which must not be changed afterwards.
func newRope(text []byte) *rope {
	switch n := len(text); {
	case n == 0:
		return nil
	case n <= maxPiece:
		return &rope{piece: text[:n:n], size: n, newlines: bytes.Count(text, []byte("\n"))}
	default:
		return branch(newRope(text[:n/2]), newRope(text[n/2:]))
	}
}

func branch(l, r *rope) *rope {
	return &rope{left: l, right: r, size: l.size + r.size, newlines: l.newlines + r.newlines, height: max(l.height, r.height) + 1}
}

func (r *rope) len() int {
	if r == nil {
		return 0
	}
	return r.size
}

// lines returns the number of lines that a cursor can be on: one more than newlines.
func (r *rope) lines() int {
	if r == nil {
		return 1
	}
	return r.newlines + 1
}

// join concatenates two ropes.
func join(l, r *rope) *rope {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.height > r.height+1:
		return balanced(l.left, join(l.right, r))
	case r.height > l.height+1:
		return balanced(join(l, r.left), r.right)
	}
	return branch(l, r)
}

// balanced is branch for heights that differ by at most two.
func balanced(l, r *rope) *rope {
	switch {
	case l.height > r.height+1:
		if l.left.height >= l.right.height {
			return branch(l.left, branch(l.right, r))
		}
		return branch(branch(l.left, l.right.left), branch(l.right.right, r))
	case r.height > l.height+1:
		if r.right.height >= r.left.height {
			return branch(branch(l, r.left), r.right)
		}
		return branch(branch(l, r.left.left), branch(r.left.right, r.right))
	}
	return branch(l, r)
}

// split returns the text before byte at, and the rest.
func (r *rope) split(at int) (*rope, *rope) {
	switch {
	case r == nil || at <= 0:
		return nil, r
	case at >= r.size:
		return r, nil
	case r.piece != nil:
		return newRope(r.piece[:at]), newRope(r.piece[at:])
	case at <= r.left.size:
		a, b := r.left.split(at)
		return a, join(b, r.right)
	}
	a, b := r.right.split(at - r.left.size)
	return join(r.left, a), b
}

// replace replaces the bytes from, to with text. The adjacent leaves are merged with the
// text; otherwise typing would create a leaf for each letter.
func (r *rope) replace(from, to int, text []byte) *rope {
	before, rest := r.split(from)
	_, after := rest.split(to - from)
	l := before.lastPiece()
	a := after.firstPiece()
	before, _ = before.split(before.len() - len(l))
	_, after = after.split(len(a))
	seam := make([]byte, 0, len(l)+len(text)+len(a))
	seam = append(append(append(seam, l...), text...), a...)
	return join(join(before, newRope(seam)), after)
}

func (r *rope) lastPiece() []byte {
	if r == nil {
		return nil
	}
	for r.piece == nil {
		r = r.right
	}
	return r.piece
}

func (r *rope) firstPiece() []byte {
	if r == nil {
		return nil
	}
	for r.piece == nil {
		r = r.left
	}
	return r.piece
}

// lineStart returns where line k begins, counted from 0, or the end of the text if there
// are fewer lines.
func (r *rope) lineStart(k int) int {
	if k <= 0 || r == nil {
		return 0
	}
	if k > r.newlines {
		return r.size
	}
	at := 0
	for r.piece == nil {
		if k <= r.left.newlines {
			r = r.left
		} else {
			k -= r.left.newlines
			at += r.left.size
			r = r.right
		}
	}
	for i := 0; ; k-- {
		i += bytes.IndexByte(r.piece[i:], '\n') + 1
		if k == 1 {
			return at + i
		}
	}
}

// lineOf returns the line of byte at.
func (r *rope) lineOf(at int) int {
	if r == nil {
		return 0
	}
	at = min(at, r.size)
	n := 0
	for r.piece == nil {
		if at < r.left.size {
			r = r.left
		} else {
			at -= r.left.size
			n += r.left.newlines
			r = r.right
		}
	}
	return n + bytes.Count(r.piece[:at], []byte("\n"))
}

// appendTo appends the bytes from, to to dst.
func (r *rope) appendTo(dst []byte, from, to int) []byte {
	r.each(from, to, func(piece []byte) bool {
		dst = append(dst, piece...)
		return true
	})
	return dst
}

// each calls f with the bytes from, to in order, until f returns false.
func (r *rope) each(from, to int, f func(piece []byte) bool) bool {
	if r == nil || from >= to || to <= 0 || from >= r.size {
		return true
	}
	if r.piece != nil {
		return f(r.piece[max(from, 0):min(to, r.size)])
	}
	return r.left.each(from, to, f) && r.right.each(from-r.left.size, to-r.left.size, f)
}

// bytes returns a copy of the whole text.
func (r *rope) bytes() []byte { return r.appendTo(make([]byte, 0, r.len()), 0, r.len()) }

// same reports whether two ropes have the same text. Shared parts are not compared.
func same(a, b *rope) bool {
	if a == b {
		return true
	}
	if a.len() != b.len() || a.lines() != b.lines() {
		return false
	}
	if a.piece == nil && b.piece == nil && a.left.size == b.left.size {
		return same(a.left, b.left) && same(a.right, b.right)
	}
	at := 0
	return a.each(0, a.size, func(p []byte) bool {
		ok := bytes.Equal(b.appendTo(nil, at, at+len(p)), p)
		at += len(p)
		return ok
	})
}
