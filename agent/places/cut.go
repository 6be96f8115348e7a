package places

import "strconv"

// IndexName is the memory whose beginning agents get at their start; see Kind.HasIndex.
const IndexName = "MEMORY.md"

// LoadedLines and LoadedBytes limit how much of an index an agent loads.
const (
	LoadedLines = 200
	LoadedBytes = 25 << 10
)

// Cut returns the first line of an index that is not loaded completely, from 0, and the limit that cuts it; -1 if all are
// loaded. The lines come without their ends, which have so many bytes each. partial: more lines follow.
func Cut(lines []string, end int, partial bool) (at int, by string) {
	size := 0
	for i, s := range lines {
		size += len(s) + end
		last := i == len(lines)-1 && !partial
		switch {
		case i == LoadedLines:
			return i, strconv.Itoa(LoadedLines) + " lines"
		case size > LoadedBytes && !(last && size-end <= LoadedBytes):
			return i, strconv.Itoa(LoadedBytes>>10) + " KB"
		}
	}
	return -1, ""
}
