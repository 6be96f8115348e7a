package memfs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Names is a set of files of a folder, given by patterns. The zero Names is every file that a
// listing shows.
//
// A pattern is a path relative to the folder. In a segment, * is any number of characters and ?
// is one; the segment ** is any number of folders, or at the end every file below. A hidden name
// matches only a segment that begins with a dot, and node_modules only itself.
type Names struct{ patterns []pattern }

// pattern is one pattern and its segments.
type pattern struct {
	text string
	segs []string
}

// anyFolders is the segment that matches any number of folders.
const anyFolders = "**"

const (
	maxPatterns        = 200
	maxPatternSegments = 32 // a set of positions in a pattern is a uint64
)

// ParseNames checks patterns. Without any, it returns the zero Names.
func ParseNames(patterns []string) (Names, error) {
	if len(patterns) > maxPatterns {
		return Names{}, fmt.Errorf("%d patterns of files: at most %d are possible", len(patterns), maxPatterns)
	}
	var n Names
	for _, text := range patterns {
		p, err := parsePattern(text)
		if err != nil {
			return Names{}, fmt.Errorf("pattern of files %q: %w", text, err)
		}
		if !slices.ContainsFunc(n.patterns, func(q pattern) bool { return q.text == p.text }) {
			n.patterns = append(n.patterns, p)
		}
	}
	return n, nil
}

func parsePattern(text string) (pattern, error) {
	switch {
	case text == "":
		return pattern{}, errors.New("is empty")
	case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~"):
		return pattern{}, errors.New("must be relative to the folder of the store")
	case strings.HasSuffix(text, "/"):
		return pattern{}, errors.New("names a folder: write the folder with /** for every file below it")
	case strings.ContainsAny(text, `\[]{}`):
		return pattern{}, errors.New(`must not contain \ [ ] { }: only *, ? and ** are wildcards`)
	}
	cleaned, err := clean(text)
	switch {
	case err != nil:
		return pattern{}, err
	case cleaned.IsRoot():
		return pattern{}, errors.New("names the folder of the store itself")
	case strings.Trim(cleaned.rel, "*?/") == "":
		return pattern{}, errors.New("names every file: create a store of the whole folder instead")
	}
	p := pattern{cleaned.rel, strings.Split(cleaned.rel, "/")}
	if len(p.segs) > maxPatternSegments {
		return pattern{}, ErrNameTooLong
	}
	for _, seg := range p.segs {
		switch {
		case seg == anyFolders:
		case strings.Contains(seg, anyFolders):
			return pattern{}, errors.New("** must stand alone between slashes")
		case namesVersionControl(seg):
			return pattern{}, errors.New("includes the files of a version control system")
		}
	}
	return p, nil
}

// versionControl are the folders that no pattern may name: their files belong to a program that
// writes them all the time, and that runs commands found in them.
var versionControl = []string{".git", ".hg", ".svn", ".jj"}

func namesVersionControl(seg string) bool {
	seg = strings.ToLower(plainName(seg))
	return seg == "git~1" || slices.ContainsFunc(versionControl, func(name string) bool { return matchSegment(seg, name) })
}

// All reports whether n is the zero Names: a whole folder.
func (n Names) All() bool { return len(n.patterns) == 0 }

// Patterns returns the patterns, nil for a whole folder.
func (n Names) Patterns() []string {
	var out []string
	for _, p := range n.patterns {
		out = append(out, p.text)
	}
	return out
}

// Same reports whether n and other have the same patterns, in the same order.
func (n Names) Same(other Names) bool { return slices.Equal(n.Patterns(), other.Patterns()) }

// String lists the patterns.
func (n Names) String() string { return strings.Join(n.Patterns(), ", ") }

// Match reports whether p is one of the files.
func (n Names) Match(p Path) bool {
	if n.All() {
		return true
	}
	if p.IsRoot() || isReservedName(p.Base()) {
		return false
	}
	return slices.ContainsFunc(n.patterns, func(q pattern) bool { return q.at(p)&q.end() != 0 })
}

// Leads reports whether one of the files can be below the folder p.
func (n Names) Leads(p Path) bool {
	return n.All() || slices.ContainsFunc(n.patterns, func(q pattern) bool { return q.at(p)&^q.end() != 0 })
}

// Shows reports whether a scan of the folder finds the file p.
func (n Names) Shows(p Path) bool {
	if n.All() {
		return !p.Hidden()
	}
	return n.Match(p)
}

// Reaches reports whether a scan of the folder finds the file p or looks into the folder p.
func (n Names) Reaches(p Path) bool { return n.Shows(p) || !n.All() && n.Leads(p) }

// Meets reports whether n and other can name the same file. The folder of other is at, seen from
// the folder of n.
func (n Names) Meets(at Path, other Names) bool {
	for _, a := range n.patterns {
		for _, b := range other.patterns {
			if a.meets(a.at(at), b) {
				return true
			}
		}
	}
	return false
}

// next returns the names of the entries of the folder p that are files of the set or lead to
// some. listed is false when a wildcard makes it necessary to list the folder.
func (n Names) next(p Path) (names []string, listed bool) {
	for _, q := range n.patterns {
		for at, i := q.at(p), 0; i < len(q.segs); i++ {
			switch seg := q.segs[i]; {
			case at&(1<<i) == 0:
			case wild(seg):
				return nil, false
			case !slices.Contains(names, seg):
				names = append(names, seg)
			}
		}
	}
	slices.Sort(names)
	return names, true
}

// A set of positions in a pattern is a bit for each segment that may come next. The bit after the
// last segment means that the whole pattern was matched.

func (q pattern) end() uint64 { return 1 << len(q.segs) }

// at returns the positions after the segments of p.
func (q pattern) at(p Path) uint64 {
	set := q.open(1)
	if p.IsRoot() {
		return set
	}
	for name := range strings.SplitSeq(p.rel, "/") {
		if set = q.step(set, func(seg string) bool { return matchSegment(seg, name) }); set == 0 {
			break
		}
	}
	return set
}

// step returns the positions after one more segment, given which segments of the pattern it
// matches.
func (q pattern) step(set uint64, matches func(seg string) bool) (after uint64) {
	for i, seg := range q.segs {
		if set&(1<<i) == 0 || !matches(seg) {
			continue
		}
		if seg == anyFolders {
			after |= 1 << i
		}
		if seg != anyFolders || i == len(q.segs)-1 {
			after |= 1 << (i + 1)
		}
	}
	return q.open(after)
}

// open adds the positions that ** makes possible by matching no folder.
func (q pattern) open(set uint64) uint64 {
	for i, seg := range q.segs[:len(q.segs)-1] {
		if seg == anyFolders && set&(1<<i) != 0 {
			set |= 1 << (i + 1)
		}
	}
	return set
}

// meets reports whether a path exists that both patterns match, q from the positions in set.
func (q pattern) meets(set uint64, other pattern) bool {
	type pair struct{ a, b uint64 }
	seen := map[pair]bool{}
	todo := []pair{}
	add := func(a, b uint64) { // one position each, so that a segment is one pair of segments
		for i := range len(q.segs) + 1 {
			for j := range len(other.segs) + 1 {
				if p := (pair{1 << i, 1 << j}); a&p.a != 0 && b&p.b != 0 && !seen[p] {
					seen[p] = true
					todo = append(todo, p)
				}
			}
		}
	}
	add(set, other.open(1))
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.a == q.end() && p.b == other.end() {
			return true
		}
		for _, seg := range q.segs {
			for _, with := range other.segs {
				if segmentsMeet(seg, with) {
					add(q.step(p.a, func(s string) bool { return s == seg }), other.step(p.b, func(s string) bool { return s == with }))
				}
			}
		}
	}
	return false
}

func wild(seg string) bool { return strings.ContainsAny(seg, "*?") }

// matchSegment reports whether a segment of a pattern matches a name.
func matchSegment(seg, name string) bool {
	switch {
	case !wild(seg):
		return seg == name
	case HiddenName(name) && (!strings.HasPrefix(seg, ".") || !strings.HasPrefix(name, ".")):
		return false
	case seg == anyFolders:
		return true
	}
	return segmentsMeet(seg, strings.NewReplacer("*", "\x00", "?", "\x01").Replace(name))
}

// segmentsMeet reports whether a name exists that both segments match. A ** counts as any name.
func segmentsMeet(a, b string) bool {
	if strings.HasPrefix(a, ".") != strings.HasPrefix(b, ".") { // a wildcard at the start matches no dot
		return false
	}
	if a == "" || b == "" {
		return strings.Trim(a+b, "*") == ""
	}
	// Both sides advance together, except where a * matches nothing or one more character.
	reach := make([]bool, (len(a)+1)*(len(b)+1))
	at := func(i, j int) *bool { return &reach[i*(len(b)+1)+j] }
	*at(0, 0) = true
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			if !*at(i, j) {
				continue
			}
			starA, starB := i < len(a) && a[i] == '*', j < len(b) && b[j] == '*'
			switch {
			case starA || starB:
				if starA {
					*at(i+1, j) = true
				}
				if starB {
					*at(i, j+1) = true
				}
				if starA && j < len(b) {
					*at(i, j+runeAt(b, j)) = true
				}
				if starB && i < len(a) {
					*at(i+runeAt(a, i), j) = true
				}
			case i < len(a) && j < len(b) && (a[i] == '?' || b[j] == '?' || a[i:i+runeAt(a, i)] == b[j:j+runeAt(b, j)]):
				*at(i+runeAt(a, i), j+runeAt(b, j)) = true
			}
		}
	}
	return *at(len(a), len(b))
}

// runeAt returns the length of the character of s at i.
func runeAt(s string, i int) int {
	_, size := utf8.DecodeRuneInString(s[i:])
	return size
}

// UnnamedError reports a write to a file that a store of named files doesn't have. It is an
// ErrUnnamed.
type UnnamedError struct{ Names Names }

func (e *UnnamedError) Is(target error) bool { return target == ErrUnnamed }

// shownPatterns is how many patterns an error lists.
const shownPatterns = 6

func (e *UnnamedError) Error() string {
	of := e.Names.Patterns()
	more := ""
	if n := len(of) - shownPatterns; n > 0 {
		of, more = of[:shownPatterns], fmt.Sprintf(" and %d more", n)
	}
	return ErrUnnamed.Error() + ", which are " + strings.Join(of, ", ") + more
}
