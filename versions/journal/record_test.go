package journal

import (
	"encoding/binary"
	"math"
	"reflect"
	"testing"
)

func TestValues_ComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	in := []any{nil, int64(0), int64(maxSmall), int64(maxSmall + 1), int64(-1), int64(math.MinInt64), int64(math.MaxInt64), "", "a text", []byte{}, []byte{0, 1, 2}, nil}
	var b []byte
	for _, v := range in {
		b = appendValue(b, v)
	}
	r := values{b: b}
	for i, v := range in {
		if got := r.next(); !reflect.DeepEqual(got, v) || r.bad {
			t.Errorf("value %d: %#v came back as %#v", i, v, got)
		}
	}
	if len(r.b) > 0 {
		t.Errorf("% x is left", r.b)
	}
}

// No bytes make the reader of a record panic, and what it can read is written in one way only.
func FuzzRows(f *testing.F) {
	f.Add([]byte{1, 0, 2, 5, 6}, []byte{2, 1, 'a'})
	f.Add([]byte{200, 200, 200, 200, 1, 1, 1}, []byte{3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, head, secret []byte) {
		for _, n := range nouns {
			rows, err := state{1, head, secret}.rows(n)
			if err == nil && len(rows) > len(n.tables) {
				t.Errorf("%s has %d tables", n.name, len(rows))
			}
		}
	})
}

// A record that an earlier release wrote, with fewer columns, says the same as one in which the columns are NULL.
func TestRows_OfAnEarlierReleaseHaveFewerColumns(t *testing.T) {
	t.Parallel()
	n := byKind(Policy)
	table := n.tables[0]
	write := func(width int) state {
		b := binary.AppendUvarint(nil, 1)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(width)), uint64(len(table.secret)))
		for i := range width {
			if v := any(int64(i + 1)); i < len(table.head)-1 {
				b = appendValue(b, v)
			} else {
				b = appendValue(b, nil)
			}
		}
		return state{1, b, appendValue(nil, "allow\n")}
	}
	now, before := write(len(table.head)), write(len(table.head)-1)
	if !n.same(now, before) {
		t.Error("the two differ")
	}
	if n.same(now, state{1, now.head, appendValue(nil, "hold\n")}) {
		t.Error("another text is the same")
	}
}
