package pages

import (
	"bytes"
	"encoding/binary"
	"math"
)

// values reads the readable values of a record. ok is false when no record of this size can look
// like b.
func values(b []byte, size int) (out []any, ok bool) {
	head, n := Varint(b)
	if n == 0 || head < uint64(n) || head > uint64(len(b)) {
		return nil, false
	}
	types, body, room := b[n:head], b[head:], size-int(head)
	for len(types) > 0 {
		long, n := Varint(types)
		kind := int64(long)
		if n == 0 || kind < 0 {
			return nil, false
		}
		types = types[n:]
		need := valueSize(kind)
		if need > int64(room) {
			return nil, false
		}
		room -= int(need)
		if need > int64(len(body)) { // lost with the rest of the overflow pages
			out, body = append(out, nil), nil
			continue
		}
		out = append(out, value(kind, body[:need]))
		body = body[need:]
	}
	return out, room == 0 && len(out) > 0
}

// valueSize returns the size in bytes of a value of a type.
func valueSize(kind int64) int64 {
	if kind >= 12 {
		return (kind - 12) / 2
	}
	return [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0}[kind]
}

func value(kind int64, b []byte) any {
	switch {
	case kind >= 12 && kind%2 == 0:
		return bytes.Clone(b)
	case kind >= 12:
		return string(b)
	case kind == 8 || kind == 9:
		return kind - 8
	case kind == 0 || kind > 9:
		return nil
	}
	v := int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	if kind == 7 {
		return math.Float64frombits(uint64(v))
	}
	return v
}

// Record is the payload of a cell that is read value by value: first come the types of all values,
// then the values. The fields hold the position of the next value.
type Record struct {
	row         []byte
	kind, kinds int // the position of the next type, and the end of the types
	value       int
	strange     bool // a value was truncated or of an unexpected type
}

// ParseRecord begins to read a payload. ok is false if it can't be a record.
func ParseRecord(row []byte) (r Record, ok bool) {
	long, n := Varint(row)
	return Record{row: row, kind: n, kinds: int(long), value: int(long)}, n > 0 && long <= uint64(len(row)) && uint64(n) <= long
}

// Complete reports whether all values were read, and all as what they are.
func (c *Record) Complete() bool { return !c.strange && c.kind == c.kinds }

// numberSizes holds the size in bytes of the integers of each type.
var numberSizes = [...]int8{-1, 1, 2, 3, 4, 6, 8, -1, 0, 0} // NULL has type 0, a float type 7

// Numbers reads the next values as integers, most significant byte first; 0 and 1 have types of
// their own. It skips a value whose target is nil. It returns false if they are no integers.
func (c *Record) Numbers(to ...*int64) bool {
	if len(to) > c.kinds-c.kind {
		c.strange = true
		return false
	}
	row, from := c.row, c.value
	for i, kind := range row[c.kind:][:len(to)] {
		if int(kind) >= len(numberSizes) || int(numberSizes[kind]) > len(row)-from {
			c.strange = true
			return false
		}
		size := int(numberSizes[kind])
		switch {
		case size < 0:
			c.strange = true
			return false
		case to[i] == nil:
		case size == 0:
			*to[i] = int64(kind - 8)
		case len(row)-from >= 8: // read 8 bytes at once, including bytes after the value
			*to[i] = int64(binary.BigEndian.Uint64(row[from:])) >> (64 - 8*size)
		default:
			*to[i] = short(row[from:][:size])
		}
		from += size
	}
	c.kind += len(to)
	c.value = from
	return true
}

// short decodes an integer that is too close to the end of the row to read 8 bytes.
func short(b []byte) int64 {
	n := int64(int8(b[0]))
	for _, b := range b[1:] {
		n = n<<8 | int64(b)
	}
	return n
}

// Text reads the next value as a text, an id or a hash.
func (c *Record) Text() (b []byte) {
	kind, n := Varint(c.row[c.kind:c.kinds])
	size := (kind - 12) / 2
	if n == 0 || kind < 12 || size > uint64(len(c.row)-c.value) {
		c.strange = true
		return nil
	}
	from := c.value
	c.kind += n
	c.value += int(size)
	return c.row[from:c.value]
}

// Varint reads an integer in SQLite's variable-length encoding, and returns the number of bytes it
// takes: 0 when it is truncated.
func Varint(b []byte) (v uint64, n int) {
	for i, c := range b[:min(len(b), 9)] {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
