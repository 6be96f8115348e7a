package split

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
)

// through are the actions of the diff that also work in the list.
var through = []string{
	"list.next", "list.previous", "diff.more-context", "diff.less-context", "diff.whole", "diff.side-by-side", "text.wrap",
	"move.half-down", "move.half-up",
}

// moves reports whether a key moves in the list, or to the diff: in the diff such keys belong to
// the diff. All other keys of the owner act on the row, wherever the focus is.
func moves(e keys.Entry) bool {
	return strings.HasPrefix(e.ID, "move.") || strings.HasPrefix(e.ID, "list.range") || e.ID == "list.open" || e.ID == "list.in"
}

// selects reports whether a key acts on the lines that are selected in the diff: such keys come before the owner's.
func selects(e keys.Entry) bool { return e.Map == "selection" }

// Press handles a sequence of keys with the owner's keys and those of the diff. The owner's
// list.open and list.in move the focus to the diff.
func Press[P any](s *Split, owner P, own *keys.Map[P], seq []string, n int) (tea.Cmd, keys.Result) {
	entries := own.Entries(owner)
	acts := slices.ContainsFunc(entries, func(e keys.Entry) bool { return !moves(e) && keys.Bound(entries, []string{e.ID}, seq) })
	detail := s.detail.Entries()
	marks := slices.ContainsFunc(detail, func(e keys.Entry) bool { return selects(e) && keys.Bound(detail, []string{e.ID}, seq) })
	if s.InDetail && (marks || !acts) {
		if cmd, r := s.detail.Press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	if cmd, r := own.Press(owner, seq, n); r != keys.None {
		return cmd, r
	}
	if keys.Bound(detail, through, seq) {
		return s.detail.Press(seq, n)
	}
	return nil, keys.None
}

// Entries returns the actions that are available now: the owner's, and those of the diff that the
// owner does not have itself, each without the keys that belong to the other.
func (s *Split) Entries(own []keys.Entry) []keys.Entry {
	var marks, rest, out []keys.Entry
	for _, e := range s.detail.Entries() {
		switch {
		case s.InDetail && selects(e):
			marks = append(marks, e)
		case s.InDetail || slices.Contains(through, e.ID):
			rest = append(rest, e)
		}
	}
	for _, e := range own {
		if !s.InDetail || !moves(e) {
			out = append(out, without(e, marks))
		}
	}
	out = append(out, marks...)
	first := out
	for _, e := range rest {
		if !slices.ContainsFunc(first, func(o keys.Entry) bool { return o.ID == e.ID }) {
			out = append(out, without(e, first))
		}
	}
	return out
}

// without returns an action without the keys of others.
func without(e keys.Entry, others []keys.Entry) keys.Entry {
	e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(key string) bool {
		return slices.ContainsFunc(others, func(o keys.Entry) bool { return slices.Contains(o.Keys, key) })
	})
	return e
}
