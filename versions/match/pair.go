package match

import (
	"encoding/binary"
	"math/bits"
)

// bytePair is two bytes that stand together, in both cases when they are letters
// of ASCII. A pair is rare where each of its bytes is not, and eight places of a
// text are compared at once: that is what makes the search of a store as fast as
// its memory is read.
type bytePair struct {
	first, second pairedByte
	apart         int // 1; 0 when there is no second
}

// pairedByte is eight times a byte, and eight times the bit that its cases
// differ in.
type pairedByte struct{ want, either uint64 }

const (
	eachByte = 0x0101010101010101
	eachHigh = 0x8080808080808080
)

// newPairedByte is nil for a character that can be written otherwise than as one
// byte: k and s have forms outside of ASCII.
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

// in has the high bit set of each byte of eight that is the byte, and may have it
// set of some after the first such.
func (p pairedByte) in(eight uint64) uint64 {
	x := eight | p.either
	x ^= p.want
	return (x - eachByte) &^ x & eachHigh
}

// is compares one byte.
func (p pairedByte) is(c byte) bool { return c|byte(p.either) == byte(p.want) }

// index is a place of text from from on where the pair may stand; none where it
// does is passed over. -1 when there is no more.
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
