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

// checkBuffer compares the results of all methods of a buffer with the plain text.
func checkBuffer(t *testing.T, b *buffer, want []byte, rnd *rand.Rand) {
	t.Helper()
	if got := b.bytes(); !bytes.Equal(got, want) || b.len() != len(want) {
		t.Fatalf("the buffer holds %d bytes, not the %d wanted", len(got), len(want))
	}
	lines := bytes.SplitAfter(want, []byte("\n"))
	if len(b.lines) != len(lines) {
		t.Fatalf("%d lines, want %d", len(b.lines), len(lines))
	}
	at := 0
	for k, l := range lines {
		if got := b.lineStart(k); got != at {
			t.Fatalf("line %d begins at %d, want %d", k, got, at)
		}
		if got := b.lineOf(at); got != k {
			t.Fatalf("byte %d is in line %d, want %d", at, got, k)
		}
		at += len(l)
	}
	from := rnd.Intn(len(want) + 1)
	to := from + rnd.Intn(len(want)+1-from)
	if got := b.slice(from, to); got != string(want[from:to]) {
		t.Fatalf("bytes %d to %d are wrong", from, to)
	}
}

func TestBuffer_FollowsAPlainTextThroughRandomEdits(t *testing.T) {
	rnd := seeded(t)
	for range 20 {
		model := hostileText(rnd, 3000)
		b := newBuffer(model)
		for range 150 {
			from := rnd.Intn(len(model) + 1)
			to := min(len(model), from+rnd.Intn(3)*rnd.Intn(2000))
			text := hostileText(rnd, 5)
			if rnd.Intn(20) == 0 {
				text = hostileText(rnd, 4000)
			}
			before, old := b, model
			b = b.replace(from, to, string(text))
			model = append(append(bytes.Clone(model[:from]), text...), model[to:]...)
			if rnd.Intn(10) == 0 {
				checkBuffer(t, b, model, rnd)
				checkBuffer(t, before, old, rnd) // an old buffer still has the old text
			}
			if !same(b, newBuffer(model)) || bytes.Equal(old, model) != same(b, before) {
				t.Fatal("same text, other verdict")
			}
		}
		checkBuffer(t, b, model, rnd)
	}
}
