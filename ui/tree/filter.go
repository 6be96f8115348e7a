package tree

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memtrail/memtrail/versions"
)

// filter is what is typed to see only some of the entries: words that must all
// hold. A plain word stands in the path, others name a property:
//
//	is:changed is:pinned by:claude newer:3d older:2w larger:10k
//
// A word after ! must not hold. Small letters match capitals too.
type filter struct {
	query   string
	terms   []term
	words   []string // plain ones, to be shown where they stand
	problem string   // what no word can mean
}

type term struct {
	not  bool
	want func(*facts, *versions.Entry) bool
}

// empty reports whether everything is shown.
func (f *filter) empty() bool { return len(f.terms) == 0 }

// parseFilter never fails: what can't be understood yet is passed over and said.
func parseFilter(query string) filter {
	f := filter{query: query}
	for _, w := range strings.Fields(query) {
		word, not := strings.CutPrefix(w, "!")
		if word == "" {
			continue
		}
		t := term{not: not}
		if kind, value, ok := strings.Cut(word, ":"); ok && slices.Contains(properties, kind) {
			if value == "" {
				continue // it is being typed
			}
			var problem string
			if t.want, problem = property(kind, value); problem != "" {
				f.problem = problem
				continue
			}
		} else {
			t.want = inPath(word)
			if !not {
				f.words = append(f.words, word)
			}
		}
		f.terms = append(f.terms, t)
	}
	return f
}

// matches reports whether all words hold for an entry.
func (f *filter) matches(known *facts, e *versions.Entry) bool {
	for i := range f.terms {
		if f.terms[i].want(known, e) == f.terms[i].not {
			return false
		}
	}
	return true
}

func inPath(word string) func(*facts, *versions.Entry) bool {
	if strings.ToLower(word) != word {
		return func(_ *facts, e *versions.Entry) bool { return strings.Contains(e.Path.Rel(), word) }
	}
	return func(_ *facts, e *versions.Entry) bool { return strings.Contains(strings.ToLower(e.Path.Rel()), word) }
}

var properties = []string{"is", "by", "newer", "older", "unread", "larger", "smaller"}

// states are what an entry can be.
var states = []struct {
	name string
	is   func(*facts, *versions.Entry) bool
}{
	{"changed", (*facts).news},
	{"new", (*facts).news}, // as the history has it
	{"pinned", (*facts).pinned},
	{"stale", (*facts).isStale},
	{"unsaved", (*facts).unsaved},
	{"hidden", func(_ *facts, e *versions.Entry) bool { return e.Hidden > 0 }},
	{"binary", func(_ *facts, e *versions.Entry) bool { return e.Binary }},
	{"memory", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.Memory }},
	{"link", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.LinkEntry }},
	{"big", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.TooBig }},
}

func property(kind, value string) (want func(*facts, *versions.Entry) bool, problem string) {
	value = strings.ToLower(value)
	switch kind {
	case "is":
		for _, s := range states {
			if strings.HasPrefix(s.name, value) {
				return s.is, ""
			}
		}
		return nil, "is: " + stateNames()
	case "by":
		return func(f *facts, e *versions.Entry) bool { return f.by(e, value) }, ""
	case "larger", "smaller":
		n, ok := parseSize(value)
		if !ok {
			return nil, kind + ": a size, 10k say"
		}
		return func(_ *facts, e *versions.Entry) bool { return e.Size > n == (kind == "larger") }, ""
	}
	d, ok := parseAge(value)
	if !ok {
		return nil, kind + ": a time, 3d say"
	}
	if kind == "unread" {
		return func(f *facts, e *versions.Entry) bool { return f.unread(e, d) }, ""
	}
	return func(f *facts, e *versions.Entry) bool {
		return e.Kind == versions.Memory && e.Time.After(f.now.Add(-d)) == (kind == "newer")
	}, ""
}

func stateNames() string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.name
	}
	return strings.Join(names, " ")
}

// parseAge reads 90m, 12h, 3d, 2w, 6mo, 1y; a bare number is days.
func parseAge(s string) (time.Duration, bool) {
	const day = 24 * time.Hour
	num := strings.TrimRight(s, "mhdwoy")
	unit, ok := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "": day, "d": day, "w": 7 * day, "mo": 30 * day, "y": 365 * day}[s[len(num):]]
	n, err := strconv.ParseUint(num, 10, 16)
	return time.Duration(n) * unit, ok && err == nil && n < 200*365
}

// parseSize reads 800, 10k, 2m.
func parseSize(s string) (int64, bool) {
	num := strings.TrimRight(strings.TrimSuffix(s, "b"), "km")
	unit, ok := map[string]int64{"": 1, "k": 1 << 10, "m": 1 << 20}[strings.TrimSuffix(s[len(num):], "b")]
	n, err := strconv.ParseUint(num, 10, 31)
	return int64(n) * unit, ok && err == nil
}
