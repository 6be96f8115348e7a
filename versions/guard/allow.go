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
	RegexTarget string // what the regexes are matched with: match, line, or the secret
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
	target := c.secret
	switch a.target {
	case "match":
		target = c.match
	case "line":
		target = c.line
	}
	matches := a.regexes != nil && len(target) > 0 && a.regexes().Match(target)
	stops := a.stopwords != nil && a.stopwords().in(c.secret)
	if !a.all {
		return matches || stops
	}
	return (a.regexes == nil || matches) && (a.stopwords == nil || stops) && (a.paths == nil || path != "" && a.paths().MatchString(path))
}
