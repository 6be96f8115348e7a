package tree

import (
	"strconv"
	"strings"
	"time"

	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

// filter is what is typed to show only some entries: words that must all match. A plain
// word matches the path, others name a property:
//
//	is:changed by:claude since:today until:2026-03 unread:90d larger:10k
//
// newer:3d and older:3d are since:3d and until:3d for any age. A word after ! must not
// match. Lower case matches capitals too.
type filter struct {
	query   string
	terms   []term
	words   []string // plain ones, to highlight
	problem string   // the word that has no meaning
}

type term struct {
	not     bool
	matches func(*facts, *versions.Entry) bool
}

// empty reports whether everything is shown.
func (f *filter) empty() bool { return len(f.terms) == 0 }

// parseFilter never fails: a word that can't be understood yet is ignored and reported.
func parseFilter(query string, now time.Time) filter {
	f := filter{query: strings.Join(strings.Fields(query), " ")}
	for _, w := range typing.Split(query, fields) {
		t := term{not: w.Not}
		if w.Field == "" {
			t.matches = inPath(w.Typed)
			if !w.Not {
				f.words = append(f.words, w.Typed)
			}
		} else {
			var problem string
			if t.matches, problem = property(w, now); problem != "" {
				f.problem = problem
				continue
			}
		}
		f.terms = append(f.terms, t)
	}
	return f
}

// matches reports whether all words match an entry.
func (f *filter) matches(known *facts, e *versions.Entry) bool {
	for i := range f.terms {
		if f.terms[i].matches(known, e) == f.terms[i].not {
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

// fields are the words that name a property; those offered come first.
var fields = []string{"is:", "by:", "since:", "until:", "unread:", "larger:", "smaller:", "newer:", "older:"}

const offered = 7

// states are the values of is:.
var states = []struct {
	name string
	is   func(*facts, *versions.Entry) bool
}{
	{"changed", (*facts).changed},
	{"new", (*facts).changed}, // the name used in the history
	{"stale", (*facts).isStale},
	{"unsaved", func(f *facts, e *versions.Entry) bool { return f.unsaved.of(e) }},
	{"hidden", func(_ *facts, e *versions.Entry) bool { return e.Hidden > 0 }},
	{"binary", func(_ *facts, e *versions.Entry) bool { return e.Binary }},
	{"memory", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.Memory }},
	{"link", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.LinkEntry }},
	{"big", func(_ *facts, e *versions.Entry) bool { return e.Kind == versions.TooBig }},
}

// property returns the condition of a word that names a property.
func property(w typing.Word, now time.Time) (want func(*facts, *versions.Entry) bool, problem string) {
	switch w.Field {
	case "is":
		for _, s := range states {
			if strings.HasPrefix(s.name, w.Value) {
				return s.is, ""
			}
		}
		return nil, "is: " + strings.Join(stateNames(), " ")
	case "by":
		return func(f *facts, e *versions.Entry) bool { return f.by(e, w.Value) }, ""
	case "larger", "smaller":
		n, ok := units.ParseSize(w.Value)
		if !ok {
			return nil, w.Field + ": a size, 10k say"
		}
		return func(_ *facts, e *versions.Entry) bool { return e.Size > n == (w.Field == "larger") }, ""
	case "since", "until":
		from, to, ok := units.Span(w.Typed, now)
		if !ok {
			return nil, w.Field + ": " + typing.WrongTime
		}
		return func(_ *facts, e *versions.Entry) bool {
			return e.Kind == versions.Memory && (w.Field == "since" && !e.Time.Before(from) || w.Field == "until" && !e.Time.After(to))
		}, ""
	}
	d, ok := parseAge(w.Value)
	if !ok {
		return nil, w.Field + ": a time, 3d say"
	}
	if w.Field == "unread" {
		return func(f *facts, e *versions.Entry) bool { return f.unread(e, d) }, ""
	}
	return func(f *facts, e *versions.Entry) bool {
		return e.Kind == versions.Memory && e.Time.After(f.now.Add(-d)) == (w.Field == "newer")
	}, ""
}

func stateNames() []string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = s.name
	}
	return names
}

// parseAge parses an age; a bare number is days.
func parseAge(s string) (time.Duration, bool) {
	if _, err := strconv.ParseUint(s, 10, 16); err == nil {
		s += "d"
	}
	age, ok := units.ParseAge(s)
	return age.Duration(), ok
}
