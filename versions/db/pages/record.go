package pages

import (
	"bytes"
	"math"
)

// values reads the readable values of a record. ok is false when no record of this size can look
// like b.
func values(b []byte, size int) (out []any, ok bool) {
	head, n := varint(b)
	if n == 0 || head < uint64(n) || head > uint64(len(b)) {
		return nil, false
	}
	types, body, room := b[n:head], b[head:], size-int(head)
	for len(types) > 0 {
		long, n := varint(types)
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

// varint reads an integer in SQLite's variable-length encoding, and returns the number of bytes it
// takes: 0 when it is truncated.
func varint(b []byte) (v uint64, n int) {
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
