package match

import (
	"encoding/binary"
	"math/bits"
)

// bytePair is two adjacent bytes, in both cases if they are ASCII letters. A pair is much rarer than its bytes, and
// eight positions of a text are compared at once: so a search takes little longer than reading memory.
type bytePair struct {
	first, second pairedByte
	apart         int // 1; 0 when there is no second
}

// pairedByte is a byte repeated eight times, and the bit in which its cases differ, repeated eight times.
type pairedByte struct{ want, either uint64 }

const (
	eachByte = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// newPairedByte returns nil for a character that has forms longer than one byte: k and s have some outside of ASCII.
func newPairedByte(r foldedRune) *pairedByte {
	for _, form := range r {
		if len(form) != 1 {
			return nil
		}
	}
	p := pairedByte{want: uint64(r[0][0]) * eachByte}
	if len(r) == 2 {
		p.either = uint64(r[0][0]^r[1][0]) * eachByte
		p.want |= p.either
	}
	return &p
}

// in returns eight with the high bit set in each byte that equals the byte. After the first such byte, further bits may be
// set wrongly.
func (p pairedByte) in(eight uint64) uint64 {
	x := eight | p.either
	x ^= p.want
	return (x - eachByte) &^ x & eachHigh
}

// is reports whether c is the byte.
func (p pairedByte) is(c byte) bool { return c|byte(p.either) == byte(p.want) }

// index returns the next position at or after from where the pair may be, or -1. It misses no position of the pair.
func (p *bytePair) index(text []byte, from int) int {
	i := from
	for ; i+8+p.apart <= len(text); i += 8 {
		m := p.first.in(binary.LittleEndian.Uint64(text[i:])) & p.second.in(binary.LittleEndian.Uint64(text[i+p.apart:]))
		if m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i+p.apart < len(text); i++ {
		if p.first.is(text[i]) && p.second.is(text[i+p.apart]) {
			return i
		}
	}
	return -1
}
