package versions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
)

// A repair reads the pages of a damaged database directly. SQLite finds rows through the
// inner pages, so one bad inner page hides many good rows from it. The stable file format
// (https://www.sqlite.org/fileformat2.html):
//
//	leaf page of a table    kind 13; each cell: payload size, row id, payload
//	inner page of a table   kind 5;  each cell: child page(4), row id
//	leaf page of an index   kind 10; each cell: payload size, payload
//	inner page of an index  kind 2;  each cell: child page(4), payload size, payload
//
// Tables WITHOUT ROWID are stored as indexes. A payload that does not fit into its page goes
// on in a chain of overflow pages, each of which starts with the number of the next. A
// payload is a record: the size of its header, the type of each value, the values.
const (
	innerIndex = 2
	innerTable = 5
	leafIndex  = 10
	leafTable  = 13
)

const (
	fileHeader    = 100
	trailPageSize = 8192 // of every database that memend creates
)

// pageFile reads the newest committed copy of each page of a database, from the log or else from
// the file. The unreadable part of a page is zeros.
type pageFile struct {
	file, log *os.File
	inLog     map[uint32]int64 // the page's offset in the log
	size      int              // of a page in bytes
	count     uint32
}

// openPages opens the pages of a database file. The caller closes it.
func openPages(name string) (*pageFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, bare(err)
	}
	p := &pageFile{file: f, size: trailPageSize, inLog: map[uint32]int64{}}
	if err := p.begin(name); err != nil {
		p.close()
		return nil, bare(err)
	}
	return p, nil
}

func (p *pageFile) begin(name string) error {
	head := make([]byte, fileHeader)
	if _, err := io.ReadFull(p.file, head); err == nil && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		p.size = pageSize(int(binary.BigEndian.Uint16(head[16:])))
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	p.count = uint32(min((info.Size()+int64(p.size)-1)/int64(p.size), math.MaxUint32-1))
	p.log, err = os.Open(name + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		p.readLog()
	}
	return err
}

// pageSize returns the page size that a header states, or the default size of a trail when it is
// invalid.
func pageSize(says int) int {
	if says == 1 {
		return 1 << 16
	}
	if says < 512 || says&(says-1) != 0 {
		return trailPageSize
	}
	return says
}

func (p *pageFile) close() {
	_ = p.file.Close()
	if p.log != nil {
		_ = p.log.Close()
	}
}

// readLog finds the pages of committed transactions in the log. It stops at the first frame with a
// wrong checksum, as SQLite does.
func (p *pageFile) readLog() {
	const header, frameHeader = 32, 24
	head := make([]byte, header)
	if _, err := p.log.ReadAt(head, 0); err != nil {
		return
	}
	magic := binary.BigEndian.Uint32(head)
	if magic&^1 != 0x377f0682 || int(binary.BigEndian.Uint32(head[8:])) != p.size {
		return
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if magic&1 != 0 {
		order = binary.BigEndian
	}
	var sum logSum
	sum.add(order, head[:24])
	if !sum.is(head[24:]) {
		return
	}
	frame, open := make([]byte, frameHeader+p.size), map[uint32]int64{}
	for at := int64(header); ; at += int64(len(frame)) {
		if _, err := p.log.ReadAt(frame, at); err != nil {
			return
		}
		sum.add(order, frame[:8])
		sum.add(order, frame[frameHeader:])
		if !bytes.Equal(frame[8:16], head[16:24]) || !sum.is(frame[16:]) {
			return
		}
		open[binary.BigEndian.Uint32(frame)] = at + frameHeader
		if pages := binary.BigEndian.Uint32(frame[4:]); pages != 0 { // a commit frame
			p.count = pages
			for n, at := range open {
				p.inLog[n] = at
			}
			clear(open)
		}
	}
}

// logSum is the running checksum of a log.
type logSum [2]uint32

func (s *logSum) add(order binary.ByteOrder, b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		s[0] += order.Uint32(b) + s[1]
		s[1] += order.Uint32(b[4:]) + s[0]
	}
}

func (s *logSum) is(b []byte) bool {
	return binary.BigEndian.Uint32(b) == s[0] && binary.BigEndian.Uint32(b[4:]) == s[1]
}

// page reads the page with this number. Numbers start at 1.
func (p *pageFile) page(n uint32) []byte {
	b := make([]byte, p.size)
	if at, ok := p.inLog[n]; ok {
		if _, err := p.log.ReadAt(b, at); err == nil {
			return b
		}
		clear(b)
	}
	_, _ = p.file.ReadAt(b, int64(n-1)*int64(p.size))
	return b
}

// says returns the format number in the header.
func (p *pageFile) says() int { return int(int32(binary.BigEndian.Uint32(p.page(1)[60:]))) }

// free returns the pages that the database does not use.
func (p *pageFile) free() map[uint32]bool {
	out := map[uint32]bool{}
	next := binary.BigEndian.Uint32(p.page(1)[32:])
	for next > 1 && next <= p.count && !out[next] {
		out[next] = true
		trunk := p.page(next)
		leaves := int(binary.BigEndian.Uint32(trunk[4:]))
		for i := range min(leaves, p.size/4-2) {
			out[binary.BigEndian.Uint32(trunk[8+4*i:])] = true
		}
		next = binary.BigEndian.Uint32(trunk)
	}
	return out
}

// cell is one row of a table or one entry of an index.
type cell struct {
	rowid  int64 // only for a row
	values []any // int64, float64, string or []byte; nil: NULL or unreadable
}

// treePage is the readable part of a page of a table or an index.
type treePage struct {
	kind     byte
	children []uint32
	cells    []cell
	chains   [][]uint32 // the overflow pages of each cell
}

// tree reads a page of a table or an index. The kind of any other page is 0.
func (p *pageFile) tree(n uint32) (t treePage) {
	page := p.page(n)
	at := 0
	if n == 1 {
		at = fileHeader
	}
	header := 8
	switch t.kind = page[at]; t.kind {
	case innerIndex, innerTable:
		header = 12
		t.children = append(t.children, binary.BigEndian.Uint32(page[at+8:]))
	case leafIndex, leafTable:
	default:
		return treePage{}
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
func (t *treePage) cell(p *pageFile, b []byte) {
	if t.kind == innerIndex || t.kind == innerTable {
		if len(b) < 4 {
			return
		}
		t.children = append(t.children, binary.BigEndian.Uint32(b))
		b = b[4:]
	}
	if t.kind == innerTable {
		return
	}
	long, n := varint(b)
	size := int64(long)
	b = b[n:]
	var c cell
	if t.kind == leafTable {
		var row uint64
		row, n = varint(b)
		c.rowid, b = int64(row), b[n:]
	}
	if n == 0 || size <= 0 || size > int64(p.count)*int64(p.size) {
		return
	}
	payload, chain := p.payload(int(size), b, t.kind == leafTable)
	var ok bool
	if c.values, ok = record(payload, int(size)); ok {
		t.cells, t.chains = append(t.cells, c), append(t.chains, chain)
	}
}

// payload returns the readable part of a cell's payload and the numbers of its overflow pages.
func (p *pageFile) payload(size int, b []byte, table bool) (out []byte, chain []uint32) {
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
	for len(out) < size && next > 1 && next <= p.count && len(chain) < int(p.count) {
		chain = append(chain, next)
		page := p.page(next)
		out = append(out, page[4:min(p.size, 4+size-len(out))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return out, chain
}

// record reads the readable values of a record. ok is false when no record of this size can look
// like b.
func record(b []byte, size int) (values []any, ok bool) {
	head, n := varint(b)
	if n == 0 || head < uint64(n) || head > uint64(len(b)) {
		return nil, false
	}
	types, body, room := b[n:head], b[head:], size-int(head)
	for len(types) > 0 {
		kind, n := varint(types)
		if n == 0 || kind > math.MaxInt64 {
			return nil, false
		}
		types = types[n:]
		need := valueSize(int64(kind))
		if need > int64(room) {
			return nil, false
		}
		room -= int(need)
		if need > int64(len(body)) { // lost with the rest of the overflow pages
			values, body = append(values, nil), nil
			continue
		}
		values = append(values, value(int64(kind), body[:need]))
		body = body[need:]
	}
	return values, room == 0 && len(values) > 0
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
