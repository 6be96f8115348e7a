package memfs

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// page cuts a view that has more than limit characters after the last whole line that fits,
// and appends the view_range that continues it. The lines from first to last begin at body.
// A first line that alone is too long is cut inside; no view_range can show its rest, and the
// notice says so.
func page(view string, body, first, last, limit int) string {
	if limit <= 0 || first > last || utf8.RuneCountInString(view) <= limit {
		return view
	}
	left := max(1, limit-utf8.RuneCountInString(view[:body])) // an empty page would never advance
	end, n := body, first
	for n <= last {
		line := view[end:]
		if i := strings.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		chars := utf8.RuneCountInString(line)
		if n > first {
			chars++ // the line feed before it
		}
		if chars > left {
			break
		}
		left -= chars
		end = min(end+len(line)+1, len(view))
		n++
	}
	if n > first {
		return fmt.Sprintf(pageEnd, strings.TrimSuffix(view[:end], "\n"), limit, n-1, n, last)
	}
	for range left {
		_, size := utf8.DecodeRuneInString(view[end:])
		end += size
	}
	if first == last {
		return fmt.Sprintf(lastLineCut, view[:end], limit, first)
	}
	return fmt.Sprintf(lineCut, view[:end], limit, first, first+1, last)
}
