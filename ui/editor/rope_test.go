package editor

import (
	"bytes"
	"flag"
	"math/rand"
	"testing"
)

var seedFlag = flag.Int64("seed", 20261121, "seed of the random tests")

func seeded(t *testing.T) *rand.Rand {
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -seed=%d", *seedFlag)
		}
	})
	return rand.New(rand.NewSource(*seedFlag))
}

// hostile are pieces of text that are difficult for an editor.
var hostile = []string{"a", "word ", "\n", "\n", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\xff", "\xe4\xb8", "\ufffd", "é", "e\u0301",
	"中文", "👩\u200d👧", "🇩🇪", "\u202e", "\u200b", "\u009b", "\U000E0041", "    ", "# head\n"}

func hostileText(r *rand.Rand, pieces int) []byte {
	var b []byte
	for range r.Intn(pieces + 1) {
		b = append(b, hostile[r.Intn(len(hostile))]...)
	}
	return b
}

// checkRope compares the results of all methods of a rope with the plain text.
func checkRope(t *testing.T, r *rope, want []byte, rnd *rand.Rand) {
	t.Helper()
	if got := r.bytes(); !bytes.Equal(got, want) {
		t.Fatalf("the rope holds %d bytes, not the %d wanted", len(got), len(want))
	}
	lines := bytes.SplitAfter(want, []byte("\n"))
	if r.lines() != len(lines) {
		t.Fatalf("%d lines, want %d", r.lines(), len(lines))
	}
	at := 0
	for k, l := range lines {
		if got := r.lineStart(k); got != at {
			t.Fatalf("line %d begins at %d, want %d", k, got, at)
		}
		if got := r.lineOf(at); got != k {
			t.Fatalf("byte %d is in line %d, want %d", at, got, k)
		}
		at += len(l)
	}
	from := rnd.Intn(len(want) + 1)
	to := from + rnd.Intn(len(want)+1-from)
	if got := r.appendTo(nil, from, to); !bytes.Equal(got, want[from:to]) {
		t.Fatalf("bytes %d to %d are wrong", from, to)
	}
}

// checkShape checks that the tree is balanced and its sums are right.
func checkShape(t *testing.T, r *rope) {
	t.Helper()
	if r == nil {
		return
	}
	if r.piece != nil {
		if len(r.piece) == 0 || len(r.piece) > maxPiece || r.size != len(r.piece) || r.newlines != bytes.Count(r.piece, []byte("\n")) {
			t.Fatalf("bad leaf of %d bytes", len(r.piece))
		}
		return
	}
	if d := r.left.height - r.right.height; d < -1 || d > 1 || r.height != max(r.left.height, r.right.height)+1 {
		t.Fatalf("unbalanced: heights %d and %d under %d", r.left.height, r.right.height, r.height)
	}
	checkShape(t, r.left)
	checkShape(t, r.right)
}

func TestRope_FollowsAPlainTextThroughRandomEdits(t *testing.T) {
	rnd := seeded(t)
	for range 20 {
		model := hostileText(rnd, 3000)
		r := newRope(bytes.Clone(model))
		for range 150 {
			from := rnd.Intn(len(model) + 1)
			to := min(len(model), from+rnd.Intn(3)*rnd.Intn(2000))
			text := hostileText(rnd, 5)
			if rnd.Intn(20) == 0 {
				text = hostileText(rnd, 4000)
			}
			before, old := r, model
			r = r.replace(from, to, text)
			model = append(append(bytes.Clone(model[:from]), text...), model[to:]...)
			if rnd.Intn(10) == 0 {
				checkRope(t, r, model, rnd)
				checkShape(t, r)
				checkRope(t, before, old, rnd) // an old root still has the old text
			}
			if !same(r, newRope(bytes.Clone(model))) || bytes.Equal(old, model) != same(r, before) {
				t.Fatal("same text, other verdict")
			}
		}
		checkRope(t, r, model, rnd)
		checkShape(t, r)
	}
}

func TestRope_StaysSmallWhileTyping(t *testing.T) {
	r := newRope(bytes.Repeat([]byte("0123456789\n"), 100))
	for i := range 20_000 {
		r = r.replace(500+i, 500+i, []byte("x"))
	}
	leaves := 0
	r.each(0, r.size, func([]byte) bool { leaves++; return true })
	if limit := r.size/(maxPiece/4) + 2; leaves > limit {
		t.Errorf("%d bytes in %d leaves, want %d at most", r.size, leaves, limit)
	}
}
