package pages

import "encoding/binary"

// EachSlack calls do with each part of a page that belongs to no row, until do returns
// true. SQLite guarantees this format: a page of rows begins with a header,
//
//	kind(1) first free block(2) rows(2) begin of rows(2) fragments(1) [right child(4)]
//
// followed by two bytes for each row. The space from there to the begin of the rows is
// slack. Each free block among the rows begins with the offset of the next one (2) and its
// own size (2). Pages of other kinds, overflow pages and free pages begin with a page
// number. EachSlack skips an inconsistent page, which check reports.
func EachSlack(page []byte, n int64, do func([]byte) bool) bool {
	at := 0
	if n == 1 {
		at = 100 // after the file's header
	}
	if len(page) < at+12 {
		return false
	}
	header := 8
	switch page[at] {
	case 2, 5: // inner pages have a right child
		header = 12
	case 10, 13:
	default:
		return false
	}
	number := func(i int) int { return int(binary.BigEndian.Uint16(page[i:])) }
	from, to := at+header+2*number(at+3), number(at+5)
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return false
	}
	if do(page[from:to]) {
		return true
	}
	for block, last := number(at+1), 0; block > last && block >= to && block+4 <= len(page); block, last = number(block), block {
		end := block + number(block+2)
		if end < block+4 || end > len(page) {
			return false
		}
		if do(page[block+4 : end]) {
			return true
		}
	}
	return false
}
