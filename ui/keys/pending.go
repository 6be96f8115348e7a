package keys

import (
	"slices"
	"strconv"
	"strings"
)

// Pending is typed input that is not an action yet: a count, and the beginning of a
// sequence.
type Pending struct {
	count int
	seq   []string
	id    int // number of the last key of a sequence
}

// maxCount limits a count.
const maxCount = 1 << 30

// Digit handles a digit of a count, and reports whether key is one.
func (p *Pending) Digit(key string) bool {
	if len(p.seq) > 0 || len(key) != 1 || key[0] < '0' || key[0] > '9' || key == "0" && p.count == 0 {
		return false
	}
	p.count = min(p.count*10+int(key[0]-'0'), maxCount)
	return true
}

// Empty reports whether there is no pending input.
func (p *Pending) Empty() bool { return len(p.seq) == 0 && p.count == 0 }

// Clear discards the pending input.
func (p *Pending) Clear() { p.seq, p.count = nil, 0 }

// Press looks a key up by each of its names; press runs the action of a sequence. The
// result waits identifies a sequence that waits for more keys.
func (p *Pending) Press(names []string, press func(seq []string, n int) Result) (waits int, ok bool) {
	for _, name := range names {
		seq := append(p.seq[:len(p.seq):len(p.seq)], name)
		switch press(seq, p.count) {
		case Done:
			p.Clear()
			return 0, false
		case Partial:
			p.seq = seq
			p.id++
			return p.id, true
		}
	}
	p.Clear()
	return 0, false
}

// Begun returns the sequence that has been waiting for more keys since the key with this
// id, or "" if it continued or ended.
func (p *Pending) Begun(id int) string {
	if id != p.id {
		return ""
	}
	return strings.Join(p.seq, " ")
}

// String returns the pending input as shown in hints.
func (p *Pending) String() string {
	s := Label(strings.Join(p.seq, " "))
	if p.count > 0 {
		s = strconv.Itoa(p.count) + s
	}
	return s
}

// Bound reports whether a sequence is, or begins, a sequence of one of the actions with
// these ids.
func Bound(entries []Entry, ids, seq []string) bool {
	typed := strings.Join(seq, " ")
	for _, e := range entries {
		if !slices.Contains(ids, e.ID) {
			continue
		}
		for _, k := range e.Keys {
			if begins(typed, k) {
				return true
			}
		}
	}
	return false
}
