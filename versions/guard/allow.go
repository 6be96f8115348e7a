package guard

import (
	"regexp"
	"strings"
	"sync"
)

// allowSpec is an allowlist as the files of rules have it: what is no secret although a rule matches it.
type allowSpec struct {
	Description string
	Condition   string // AND: all of paths, regexes and stopwords must hold; otherwise any
	Paths       []string
	Regexes     []string
	RegexTarget string // what the regexes are matched with: match, line, lead (in our rules only), or the secret
	StopWords   []string
}

// allowlist compiles its parts when they are first needed.
type allowlist struct {
	all       bool
	target    string
	paths     func() *regexp.Regexp // nil: none
	regexes   func() *regexp.Regexp
	stopwords func() *words
}

func newAllowlist(spec allowSpec) *allowlist {
	a := &allowlist{all: strings.EqualFold(spec.Condition, "AND") || spec.Condition == "&&", target: spec.RegexTarget}
	a.paths, a.regexes = anyOf(spec.Paths), anyOf(spec.Regexes)
	if len(spec.StopWords) > 0 {
		a.stopwords = sync.OnceValue(func() *words {
			lower := make([]string, len(spec.StopWords))
			for i, word := range spec.StopWords {
				lower[i] = strings.ToLower(word)
			}
			return newWords(lower)
		})
	}
	return a
}

// anyOf joins expressions as gitleaks does: a flag that is set in one of them applies to those after it.
func anyOf(list []string) func() *regexp.Regexp {
	if len(list) == 0 {
		return nil
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?:" + strings.Join(list, "|") + ")") })
}

// allowsPath reports whether the list allows everything in the memory at path.
func (a *allowlist) allowsPath(path string) bool {
	if path == "" || a.paths == nil || a.all && (a.regexes != nil || a.stopwords != nil) {
		return false
	}
	return a.paths().MatchString(path)
}

// allows reports whether the list allows one candidate.
func (a *allowlist) allows(path string, c candidate) bool {
	matches, stops := a.regexes != nil && a.matches(c), false
	if a.stopwords != nil {
		secret, _ := plainCase(c.secret)
		stops = a.stopwords().in(secret)
	}
	if !a.all {
		return matches || stops
	}
	return (a.regexes == nil || matches) && (a.stopwords == nil || stops) && (a.paths == nil || path != "" && a.paths().MatchString(path))
}

func (a *allowlist) matches(c candidate) bool {
	switch a.target {
	case "match":
		return len(c.match) > 0 && a.regexes().Match(c.match)
	case "lead":
		return a.regexes().Match(c.lead)
	case "line":
		return c.lines.match(a, c)
	}
	return len(c.secret) > 0 && a.regexes().Match(c.secret)
}

// lineVerdicts remembers whether the line that an allowlist saw last matches: a long line may have thousands of candidates.
type lineVerdicts map[*allowlist]lineVerdict

type lineVerdict struct {
	first, last int // offsets
	matches     bool
}

func (v lineVerdicts) match(a *allowlist, c candidate) bool {
	seen, ok := v[a]
	if !ok || seen.first != c.first || seen.last != c.last {
		seen = lineVerdict{c.first, c.last, len(c.line) > 0 && a.regexes().Match(c.line)}
		v[a] = seen
	}
	return seen.matches
}
