package versions

import (
	"database/sql"
	"encoding/binary"
	"errors"
)

// A listing and a sync read every head, and the first screen waits for both. Through SQLite's
// driver a row takes three microseconds: a listing of 10,000 memories takes 37 ms that way, and 4
// ms when memend parses the pages itself; a sync takes twice as long. memend therefore reads the
// pages in the same snapshot as everything else and parses them here. Their layout is part of
// SQLite's file format, which is stable (sqlite.org/fileformat2.html, sections 1.5, 1.6 and 2.1).
// headRow.parse repeats the columns of head: TestHeads_AreTheSameByTheirPagesAndBySQLite fails when
// it differs from the schema.

// errPages means that a page is not laid out as this file expects. The rows are then read through
// SQLite, which also reports any damage.
var errPages = errors.New("the pages of the heads can't be read")

// headRow is one row of the table of heads. Its texts and ids are valid only during a visit. The
// page has the key columns first, then the others in the order of the schema.
type headRow struct {
	path, sha, muid, vuid         []byte
	store, memory, version        int64
	bytes, binary, hidden         int64
	size, mtime, ctime, ino, seen int64
	number, actor, ts             int64

	brief bool // leave out the numbers and the state of the file
}

// headPages reads the heads of one store, ordered by the bytes of their paths.
type headPages struct {
	s      *Store
	q      reader
	usable int // usable bytes of a page
	row    headRow
	rest   func(number uint32) (page []byte, err error) // the next overflow page of a row
	visit  func(*headRow) error
}

// pageItem is a page to read or a row, in the order of the tree.
type pageItem struct {
	page uint32
	row  []byte
}

// maxDepth is more than the depth of any valid tree. It ends the search when a page refers to
// itself.
const maxDepth = 20

func (s *Store) headPages(q reader, brief bool, visit func(*headRow) error) error {
	var root uint32
	var head []byte
	err := q.Row(`SELECT rootpage,(SELECT substr(data,17,5) FROM sqlite_dbpage WHERE pgno=1) FROM sqlite_schema WHERE name='head'`).Scan(&root, &head)
	if err != nil || len(head) != 5 {
		return errors.Join(errPages, err)
	}
	size := int(binary.BigEndian.Uint16(head))
	if size == 1 {
		size = 1 << 16
	}
	h := &headPages{s: s, q: q, usable: size - int(head[4]), row: headRow{brief: brief}, visit: visit}
	h.rest = func(number uint32) (page []byte, err error) {
		err = q.Row(`SELECT data FROM sqlite_dbpage WHERE pgno=?`, number).Scan(&page)
		return page, err
	}
	if h.usable < 480 { // SQLite's own minimum
		return errPages
	}
	items := []pageItem{{page: root}}
	for range maxDepth {
		var below []pageItem
		if below, err = h.level(items); err != nil || below == nil {
			return err
		}
		items = below
	}
	return errPages
}

// level reads the pages of one depth of the tree. For inner pages, it returns their child pages and
// rows and the rows among items, in order. For leaf pages, it visits their rows and the rows among
// items, in order.
func (h *headPages) level(items []pageItem) (below []pageItem, err error) {
	var leaves, inner bool
	above := func(it pageItem) error {
		if inner {
			below = append(below, it)
			return nil
		}
		return h.take(it.row)
	}
	err = h.pages(items, above, func(page []byte) error {
		kind, err := pageKind(page)
		if err != nil {
			return err
		}
		leaves, inner = leaves || kind == leafPage, inner || kind == innerPage
		if leaves && inner {
			return errPages
		}
		if kind == leafPage {
			return h.cells(page, 8, func(_, row []byte) error { return h.take(row) })
		}
		return h.children(page, &below)
	})
	return below, err
}

const (
	innerPage = 2
	leafPage  = 10
)

func pageKind(page []byte) (byte, error) {
	if len(page) < 12 || page[0] != innerPage && page[0] != leafPage {
		return 0, errPages
	}
	return page[0], nil
}

// pages reads the pages of items in order, and calls other for each item that is not a page.
func (h *headPages) pages(items []pageItem, other func(pageItem) error, each func(page []byte) error) error {
	var numbers []uint32
	for _, it := range items {
		if it.page != 0 {
			numbers = append(numbers, it.page)
		}
	}
	f := h.feed(numbers)
	defer f.end()
	for _, it := range items {
		if it.page == 0 {
			if err := other(it); err != nil {
				return err
			}
			continue
		}
		page, err := f.next()
		if err != nil {
			return err
		}
		if err := each(page); err != nil {
			return err
		}
	}
	return nil
}

// children lists the child pages and rows of an inner page in order. It leaves out pages that can't
// hold rows of the store.
func (h *headPages) children(page []byte, below *[]pageItem) error {
	last := int64(-1) // store of the previous row
	may := func(to int64) bool { return last <= h.s.id && h.s.id <= to }
	err := h.cells(page, 12, func(child, row []byte) error {
		if err := h.row.parse(row); err != nil {
			return err
		}
		if may(h.row.store) {
			*below = append(*below, pageItem{page: binary.BigEndian.Uint32(child)})
		}
		last = h.row.store
		if last == h.s.id {
			*below = append(*below, pageItem{row: append([]byte(nil), row...)})
		}
		return nil
	})
	if err == nil && last <= h.s.id {
		*below = append(*below, pageItem{page: binary.BigEndian.Uint32(page[8:])})
	}
	return err
}

// cells splits a page into its rows, each with the number of the child page before it when the page
// is an inner one.
func (h *headPages) cells(page []byte, header int, each func(child, row []byte) error) error {
	n := int(binary.BigEndian.Uint16(page[3:]))
	if header+2*n > len(page) {
		return errPages
	}
	for i := range n {
		at := int(binary.BigEndian.Uint16(page[header+2*i:]))
		if at+4 > len(page) {
			return errPages
		}
		cell, child := page[at:], []byte(nil)
		if header == 12 {
			child, cell = cell[:4], cell[4:]
		}
		row, err := h.payload(cell)
		if err != nil {
			return err
		}
		if err := each(child, row); err != nil {
			return err
		}
	}
	return nil
}

// payload returns the content of a cell, including its overflow pages.
func (h *headPages) payload(cell []byte) ([]byte, error) {
	long, n := varint(cell)
	if n == 0 || long > 1<<20 {
		return nil, errPages
	}
	size, cell := int(long), cell[n:]
	most := (h.usable-12)*64/255 - 23
	if size <= most {
		if size > len(cell) {
			return nil, errPages
		}
		return cell[:size], nil
	}
	least := (h.usable-12)*32/255 - 23
	here := least + (size-least)%(h.usable-4)
	if here > most {
		here = least
	}
	if here+4 > len(cell) {
		return nil, errPages
	}
	row := append(make([]byte, 0, size), cell[:here]...)
	for next := binary.BigEndian.Uint32(cell[here:]); len(row) < size; {
		page, err := h.rest(next)
		if err != nil || len(page) < h.usable {
			return nil, errors.Join(errPages, err)
		}
		next = binary.BigEndian.Uint32(page)
		row = append(row, page[4:min(h.usable, 4+size-len(row))]...)
	}
	return row, nil
}

// take visits a row if it belongs to the store.
func (h *headPages) take(row []byte) error {
	if err := h.row.parse(row); err != nil {
		return err
	}
	if h.row.store != h.s.id {
		return nil
	}
	return h.visit(&h.row)
}

// parse splits a row into its columns.
func (r *headRow) parse(row []byte) error {
	long, n := varint(row)
	if n == 0 || long > uint64(len(row)) || uint64(n) > long {
		return errPages
	}
	c := columns{row: row, kind: n, kinds: int(long), value: int(long)}
	c.numbers(&r.store)
	r.path = c.text()
	if r.brief {
		c.numbers(nil, nil)
		r.sha = c.text()
		c.numbers(&r.bytes, &r.binary, &r.hidden, nil, nil, nil, nil, nil, &r.number, &r.actor, &r.ts)
	} else {
		c.numbers(&r.memory, &r.version)
		r.sha = c.text()
		c.numbers(&r.bytes, &r.binary, &r.hidden, &r.size, &r.mtime, &r.ctime, &r.ino, &r.seen, &r.number, &r.actor, &r.ts)
	}
	r.muid, r.vuid = c.text(), c.text()
	if c.strange || c.kind < c.kinds {
		return errPages // or the row is older than some of the columns
	}
	return nil
}

// columns is a row that is being parsed: first the types of its values, then the values. The fields
// hold the position of the next value.
type columns struct {
	row         []byte
	kind, kinds int // the position of the next type, and the end of the types
	value       int
	strange     bool // a value was truncated or of an unexpected type
}

// numberSizes holds the size in bytes of the integers of each type.
var numberSizes = [...]int8{-1, 1, 2, 3, 4, 6, 8, -1, 0, 0} // NULL has type 0, a float type 7

// numbers reads the next values as integers, most significant byte first; 0 and 1 have types of
// their own. It skips a value whose target is nil.
func (c *columns) numbers(to ...*int64) {
	if len(to) > c.kinds-c.kind {
		c.strange = true
		return
	}
	row, from := c.row, c.value
	for i, kind := range row[c.kind:][:len(to)] {
		if int(kind) >= len(numberSizes) || int(numberSizes[kind]) > len(row)-from {
			c.strange = true
			return
		}
		size := int(numberSizes[kind])
		switch {
		case size < 0:
			c.strange = true
			return
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
}

// short decodes an integer that is too close to the end of the row to read 8 bytes.
func short(b []byte) int64 {
	n := int64(int8(b[0]))
	for _, b := range b[1:] {
		n = n<<8 | int64(b)
	}
	return n
}

// text reads the next value as a text, an id or a hash.
func (c *columns) text() (b []byte) {
	kind, n := varint(c.row[c.kind:c.kinds])
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

// headRows reads the same rows as headPages, but through SQLite.
func (s *Store) headRows(q reader, visit func(*headRow) error) error {
	for row, err := range q.Each(`SELECT path,sha,muid,vuid,store,memory,version,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts
		FROM head WHERE store=? ORDER BY path`, s.id) {
		if err != nil {
			return err
		}
		var r headRow
		var path, sha, muid, vuid sql.RawBytes
		if err := row.Scan(&path, &sha, &muid, &vuid, &r.store, &r.memory, &r.version, &r.bytes, &r.binary, &r.hidden,
			&r.size, &r.mtime, &r.ctime, &r.ino, &r.seen, &r.number, &r.actor, &r.ts); err != nil {
			return err
		}
		r.path, r.sha, r.muid, r.vuid = path, sha, muid, vuid
		if err := visit(&r); err != nil {
			return err
		}
	}
	return nil
}

// eachHead visits the heads of the store, ordered by the bytes of their paths. When brief is set,
// it leaves out the numbers and the state of the files. It may start over in the middle: it then
// calls begin again.
func (s *Store) eachHead(q reader, brief bool, begin func(), visit func(*headRow) error) error {
	begin()
	err := s.headPages(q, brief, visit)
	if !errors.Is(err, errPages) {
		return err
	}
	begin()
	return s.headRows(q, visit)
}
