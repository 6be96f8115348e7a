package pages

import "encoding/binary"

// Cell is one row of a table or one entry of an index.
type Cell struct {
	RowID    int64    // only for a row
	Values   []any    // int64, float64, string or []byte; nil: NULL or unreadable
	Overflow []uint32 // the numbers of its overflow pages
}

// Tree is the readable part of a page of a table or an index.
type Tree struct {
	Kind     byte
	Children []uint32
	Cells    []Cell
}

// Tree reads a page of a table or an index. The kind of any other page is 0.
func (p *File) Tree(n uint32) (t Tree) {
	page := p.Page(n)
	at := 0
	if n == 1 {
		at = fileHeader
	}
	header := 8
	switch t.Kind = page[at]; t.Kind {
	case InnerIndex, innerTable:
		header = 12
		t.Children = append(t.Children, binary.BigEndian.Uint32(page[at+8:]))
	case LeafIndex, LeafTable:
	default:
		return Tree{}
	}
	cells := int(binary.BigEndian.Uint16(page[at+3:]))
	for i := range cells {
		pointer := at + header + 2*i
		if pointer+2 > len(page) {
			break
		}
		start := int(binary.BigEndian.Uint16(page[pointer:]))
		if start < at+header || start >= len(page) {
			continue
		}
		t.cell(p, page[start:])
	}
	return t
}

// cell reads the cell at the start of b. It skips an invalid cell.
func (t *Tree) cell(p *File, b []byte) {
	if t.Kind == InnerIndex || t.Kind == innerTable {
		if len(b) < 4 {
			return
		}
		t.Children = append(t.Children, binary.BigEndian.Uint32(b))
		b = b[4:]
	}
	if t.Kind == innerTable {
		return
	}
	long, n := varint(b)
	b = b[n:]
	var c Cell
	if t.Kind == LeafTable {
		var id uint64
		id, n = varint(b)
		c.RowID, b = int64(id), b[n:]
	}
	size := int64(long)
	if n == 0 || size <= 0 || size > int64(p.Count)*int64(p.size) {
		return
	}
	payload, overflow := p.payload(int(size), b, t.Kind == LeafTable)
	c.Overflow = overflow
	var ok bool
	if c.Values, ok = values(payload, int(size)); ok {
		t.Cells = append(t.Cells, c)
	}
}

// payload returns the readable part of a cell's payload and the numbers of its overflow pages.
func (p *File) payload(size int, b []byte, table bool) (out []byte, chain []uint32) {
	most, least := (p.size-12)*64/255-23, (p.size-12)*32/255-23
	if table {
		most = p.size - 35
	}
	local := size
	if size > most {
		if local = least + (size-least)%(p.size-4); local > most {
			local = least
		}
	}
	if local == size || len(b) < local+4 {
		return b[:min(local, len(b))], nil
	}
	out = append(out, b[:local]...)
	next := binary.BigEndian.Uint32(b[local:])
	for len(out) < size && next > 1 && next <= p.Count && len(chain) < int(p.Count) {
		chain = append(chain, next)
		page := p.Page(next)
		out = append(out, page[4:min(p.size, 4+size-len(out))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return out, chain
}
