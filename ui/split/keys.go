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

// Press handles a sequence of keys with the owner's keys and those of the diff. The owner's
// list.open and list.in move the focus to the diff.
func Press[P any](s *Split, owner P, own *keys.Map[P], seq []string, n int) (tea.Cmd, keys.Result) {
	entries := own.Entries(owner)
	acts := slices.ContainsFunc(entries, func(e keys.Entry) bool { return !moves(e) && keys.Bound(entries, []string{e.ID}, seq) })
	if s.InDetail && !acts {
		if cmd, r := s.detail.Press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	if cmd, r := own.Press(owner, seq, n); r != keys.None {
		return cmd, r
	}
	if keys.Bound(s.detail.Entries(), through, seq) {
		return s.detail.Press(seq, n)
	}
	return nil, keys.None
}

// Entries returns the actions that are available now: the owner's, and those of the diff that the
// owner does not have itself, without the keys that it takes.
func (s *Split) Entries(own []keys.Entry) []keys.Entry {
	out := slices.DeleteFunc(slices.Clone(own), func(e keys.Entry) bool { return s.InDetail && moves(e) })
	for _, e := range s.detail.Entries() {
		has := func(o keys.Entry) bool { return o.ID == e.ID }
		if !s.InDetail && !slices.Contains(through, e.ID) || slices.ContainsFunc(out, has) {
			continue
		}
		e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(key string) bool {
			return slices.ContainsFunc(own, func(o keys.Entry) bool { return (!s.InDetail || !moves(o)) && slices.Contains(o.Keys, key) })
		})
		out = append(out, e)
	}
	return out
}
