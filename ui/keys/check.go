package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Problem is an error in the binding of an action.
type Problem struct {
	Action string // "tree.move"
	Err    string
}

func (p Problem) Error() string { return p.Action + ": " + p.Err }

// Check returns the errors in the bindings of a configuration: unknown actions, keys that
// no terminal sends, and conflicting sequences in one map. Entries are those of all maps,
// as bound.
func Check(own Bindings, entries []Entry) []Problem {
	var out []Problem
	known := map[string]bool{}
	for _, e := range entries {
		known[e.ID] = true
	}
	for _, id := range sortedKeys(own) {
		if !known[id] {
			out = append(out, Problem{id, "no such action" + didYouMean(id, entries)})
			continue
		}
		for _, seq := range own[id] {
			if why := checkSequence(seq); why != "" {
				out = append(out, Problem{id, why})
			}
		}
	}
	return append(out, conflicts(own, entries)...)
}

func sortedKeys(b Bindings) []string {
	var ids []string
	for id := range b {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// conflicts finds sequences that are equal to, or begin, another one in their map.
func conflicts(own Bindings, entries []Entry) []Problem {
	var out []Problem
	for i, a := range entries {
		for _, b := range entries[i+1:] {
			if a.Map != b.Map || a.ID == b.ID {
				continue
			}
			for _, s := range a.Keys {
				for _, t := range b.Keys {
					if !begins(s, t) && !begins(t, s) {
						continue
					}
					at, other := b, a
					if _, ok := own[at.ID]; !ok {
						at, other = a, b
					}
					out = append(out, Problem{at.ID, fmt.Sprintf("%q is also the key of %s", t, other.ID)})
				}
			}
		}
	}
	return out
}

func context(id string) string { c, _, _ := strings.Cut(id, "."); return c }

func begins(s, t string) bool { return s == t || strings.HasPrefix(t+" ", s+" ") }

var named = []string{
	"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "insert", "delete", "backspace", "enter", "tab", "esc", "space",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// checkSequence returns what is wrong with a sequence, or "".
func checkSequence(seq string) string {
	keys := strings.Fields(seq)
	if len(keys) == 0 {
		return "an empty key: leave the list empty for none"
	}
	for _, k := range keys {
		rest := k
		for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
			if cut, ok := strings.CutPrefix(rest, mod); ok && cut != "" {
				rest = cut
			}
		}
		if utf8.RuneCountInString(rest) != 1 && !slices.Contains(named, rest) {
			return fmt.Sprintf("%q is not a key: a character, or one of %s, after ctrl+, alt+ or shift+", k, strings.Join(named[:15], " ")+", f1 to f12")
		}
	}
	if len(keys) > 1 && len(keys[0]) == 1 && keys[0][0] >= '1' && keys[0][0] <= '9' {
		return "a sequence can't begin with a digit: digits are counts"
	}
	return ""
}

// didYouMean suggests an action for an unknown one: a verb of the same name, or those of the context.
func didYouMean(id string, entries []Entry) string {
	ctx := context(id)
	for _, e := range entries {
		if _, shared := verbs[e.ID]; shared && strings.TrimPrefix(e.ID, context(e.ID)) == strings.TrimPrefix(id, ctx) {
			return ": all panes have " + e.ID
		}
	}
	var names []string
	for _, e := range entries {
		name := strings.TrimPrefix(e.ID, ctx+".")
		if context(e.ID) == ctx && e.ID != id && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ": `memend help keys` lists them"
	}
	return ": " + ctx + " has " + strings.Join(names, ", ")
}
