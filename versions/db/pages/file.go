package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
)

// These are the kinds of the pages of tables and indexes.
const (
	InnerIndex = 2
	innerTable = 5
	LeafIndex  = 10
	LeafTable  = 13
)

const (
	fileHeader  = 100
	DefaultSize = 8192 // bytes of a page in every database that memend creates
)

// File reads the newest committed copy of each page of a database, from the log or else from
// the file. The unreadable part of a page is zeros.
type File struct {
	file, log *os.File
	inLog     map[uint32]int64 // the page's offset in the log
	size      int              // of a page in bytes
	Count     uint32           // of pages
}

// Open opens the pages of a database file. The caller closes it.
func Open(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	p := &File{file: f, size: DefaultSize, inLog: map[uint32]int64{}}
	if err := p.begin(name); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *File) begin(name string) error {
	head := make([]byte, fileHeader)
	if _, err := io.ReadFull(p.file, head); err == nil && bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		p.size = pageSize(int(binary.BigEndian.Uint16(head[16:])))
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	p.Count = uint32(min((info.Size()+int64(p.size)-1)/int64(p.size), math.MaxUint32-1))
	p.log, err = os.Open(name + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		p.readLog()
	}
	return err
}

// Logged returns how many pages the log has.
func (p *File) Logged() int { return len(p.inLog) }

// pageSize returns the page size that a header states, or the default size when it is
// invalid.
func pageSize(says int) int {
	if says == 1 {
		return 1 << 16
	}
	if says < 512 || says&(says-1) != 0 {
		return DefaultSize
	}
	return says
}

// Close closes the file and its log.
func (p *File) Close() {
	_ = p.file.Close()
	if p.log != nil {
		_ = p.log.Close()
	}
}

// readLog finds the pages of committed transactions in the log. It stops at the first frame with a
// wrong checksum, as SQLite does.
func (p *File) readLog() {
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
			p.Count = pages
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

// Page reads the page with this number. Numbers start at 1.
func (p *File) Page(n uint32) []byte {
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

// Format returns the user version in the header.
func (p *File) Format() int { return int(int32(binary.BigEndian.Uint32(p.Page(1)[60:]))) }

// Free returns the pages that the database does not use.
func (p *File) Free() map[uint32]bool {
	out := map[uint32]bool{}
	next := binary.BigEndian.Uint32(p.Page(1)[32:])
	for next > 1 && next <= p.Count && !out[next] {
		out[next] = true
		trunk := p.Page(next)
		leaves := int(binary.BigEndian.Uint32(trunk[4:]))
		for i := range min(leaves, p.size/4-2) {
			out[binary.BigEndian.Uint32(trunk[8+4*i:])] = true
		}
		next = binary.BigEndian.Uint32(trunk)
	}
	return out
}
