package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// Cursor is a position in a list: the next page begins after it. Lists return it with each page, and
// the zero Cursor when nothing follows. The zero Cursor is also before the first row. A Cursor is
// opaque, remains valid while the list grows, and belongs to one list with one filter.
//
// Changes and the versions of one memory are numbered, so their lists begin at a number instead.
type Cursor string

// cursorAt returns the position that these numbers describe.
func cursorAt(numbers ...int64) Cursor {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return Cursor(b)
}

// numbers reads the numbers that cursorAt was given.
func (c Cursor) numbers(to ...*int64) error {
	parts := strings.Split(string(c), ".")
	for i := range to {
		var err error
		if len(parts) == len(to) {
			*to[i], err = strconv.ParseInt(parts[i], 10, 64)
		}
		if err != nil || len(parts) != len(to) {
			return fmt.Errorf("%w: %.40q is no cursor of this list", ErrInvalid, string(c))
		}
	}
	return nil
}
