package guard

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

//go:embed rules/gitleaks.toml
var gitleaksRules string

//go:embed rules/memend.toml
var ownRules string

// ruleFile is the form of both files.
type ruleFile struct {
	Title, MinVersion string
	AllowList         allowSpec
	Rules             []ruleSpec
}

type ruleSpec struct {
	ID          string
	Description string
	Path        string // only memories whose path it matches; alone, any such memory
	Regex       string
	SecretGroup int // which group of the match is the secret; 0: the first that is not empty
	Entropy     float64
	Keywords    []string // without any of these in the text, the rule is not tried; none: always
	AllowLists  []allowSpec

	// Only rules/memend.toml has these.
	Kind     Kind
	Severity Severity
	Digits   bool // the secret is the number of a payment card: its check digit must be right
}

// ruleSet is all rules, ready to use.
type ruleSet struct {
	rules    []*rule
	keywords *words
	allow    *allowlist // for all rules of gitleaks
}

type rule struct {
	ruleSpec
	why   string
	own   bool           // of rules/memend.toml
	path  *regexp.Regexp // nil: any
	words []int          // of ruleSet.keywords
	allow []*allowlist
	find  func() *finder // nil: the rule concerns paths only
}

var rules = sync.OnceValue(func() *ruleSet {
	theirs, own := readRules(gitleaksRules), readRules(ownRules)
	set := &ruleSet{allow: newAllowlist(theirs.AllowList)}
	for i := range theirs.Rules {
		spec := &theirs.Rules[i]
		spec.Kind, spec.Severity = Secret, High
		if spec.Entropy > 0 && strings.HasPrefix(spec.ID, "generic") {
			spec.Severity = Medium // a name and a random value, of no known form
		}
	}
	known := map[string]int{}
	var list []string
	for n, spec := range slices.Concat(theirs.Rules, own.Rules) {
		r := newRule(spec)
		r.own = n >= len(theirs.Rules)
		for _, word := range spec.Keywords {
			word = strings.ToLower(word)
			n, ok := known[word]
			if !ok {
				n = len(list)
				known[word] = n
				list = append(list, word)
			}
			r.words = append(r.words, n)
		}
		set.rules = append(set.rules, r)
	}
	set.keywords = newWords(list)
	return set
})

func readRules(text string) ruleFile {
	var file ruleFile
	if _, err := toml.Decode(text, &file); err != nil {
		panic(fmt.Sprintf("guard: the embedded rules: %v", err)) // a test reads them
	}
	return file
}

func newRule(spec ruleSpec) *rule {
	r := &rule{ruleSpec: spec, why: spec.Description}
	if spec.Path != "" {
		r.path = regexp.MustCompile(spec.Path)
	}
	for _, a := range spec.AllowLists {
		r.allow = append(r.allow, newAllowlist(a))
	}
	if spec.Regex != "" {
		r.find = sync.OnceValue(func() *finder { return newFinder(spec.Regex, spec.Keywords) })
	}
	return r
}

// check returns the findings of all rules, unsorted.
func (set *ruleSet) check(path string, text []byte) []Finding {
	allowed := sync.OnceValue(func() bool { return set.allow.allowsPath(path) })
	plain, odd := plainCase(text)
	at := set.keywords.positions(plain)
	var found []match
	for _, r := range set.rules {
		keyed := len(r.words) == 0
		for _, word := range r.words {
			keyed = keyed || len(at[word]) > 0
		}
		if !keyed || r.path != nil && !r.path.MatchString(path) {
			continue
		}
		var matches [][]int
		if r.find != nil {
			if f := r.find(); f.windowed && !odd {
				matches = f.find(text, r.hits(at))
			} else {
				matches = f.re.FindAllIndex(text, -1)
			}
			if len(matches) == 0 {
				continue
			}
		}
		// Whether a path is allowed takes longer than to see that most texts have no match.
		if r.Kind == Secret && allowed() || slices.ContainsFunc(r.allow, func(a *allowlist) bool { return a.allowsPath(path) }) {
			continue
		}
		if r.find == nil {
			found = append(found, match{Finding: r.finding(0, 0), own: r.own})
		}
		lines := lineVerdicts{}
		for _, m := range matches {
			if c, ok := r.candidate(text, m[0], m[1], lines); ok && !set.allowed(path, r, c) {
				found = append(found, match{r.finding(c.start, c.start+len(c.secret)), m[0], r.own})
			}
		}
	}
	return specific(text, found)
}

// plainCase returns a text in which words are looked for as gitleaks does. odd reports whether text has a letter outside of ASCII whose
// other case is an ASCII letter. Regular expressions that ignore case match these too, so such a text is not searched by windows.
func plainCase(text []byte) (plain []byte, odd bool) {
	if bytes.ContainsRune(text, 'ſ') || bytes.ContainsRune(text, 'İ') || bytes.ContainsRune(text, '\u212a') { // the Kelvin sign
		return bytes.ToLower(text), true
	}
	return text, false
}

// hits returns where the rule's keywords begin, ascending.
func (r *rule) hits(at [][]int) []int {
	if len(r.words) == 1 {
		return at[r.words[0]]
	}
	var out []int
	for _, word := range r.words {
		out = append(out, at[word]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *rule) finding(start, end int) Finding {
	return Finding{Rule: r.ID, Kind: r.Kind, Severity: r.Severity, Start: start, End: end, Why: r.why}
}

// candidate is a match that may yet be allowed.
type candidate struct {
	start         int // of secret
	secret, match []byte
	first, last   int    // of line
	line          []byte // all lines of the match
	lines         lineVerdicts
	lead          []byte // the match and what is before it on its line, as far as a reader relates it to the match
}

// leadBytes is about a dozen words.
const leadBytes = 80

// candidate returns the secret in a match, unless its entropy is too low or a comment allows it.
func (r *rule) candidate(text []byte, start, end int, lines lineVerdicts) (candidate, bool) {
	for start < end && text[start] == '\n' {
		start++
	}
	for start < end && text[end-1] == '\n' {
		end--
	}
	c := candidate{start: start, match: text[start:end], lines: lines}
	c.first, c.last = bytes.LastIndexByte(text[:start], '\n')+1, len(text)
	if n := bytes.IndexByte(text[end:], '\n'); n >= 0 {
		c.last = end + n
	}
	c.line = text[c.first:c.last]
	c.lead = text[max(c.first, start-leadBytes):end]
	if bytes.Contains(c.line, []byte("gitleaks:allow")) && r.Kind == Secret {
		return c, false
	}
	c.secret = c.match
	// Like gitleaks: the groups are those of the match alone.
	if groups := r.find().re.FindSubmatchIndex(c.match); len(groups) > 2 {
		group := r.SecretGroup
		for n := 1; group == 0 && n < len(groups)/2; n++ {
			if groups[2*n+1] > groups[2*n] {
				group = n
			}
		}
		if from := groups[2*group]; from >= 0 {
			c.start, c.secret = start+from, c.match[from:groups[2*group+1]]
		}
	}
	if r.Entropy > 0 && entropy(c.secret) <= r.Entropy || r.Digits && !checkDigit(c.secret) {
		return c, false
	}
	return c, true
}

// allowed reports whether a list allows the candidate.
func (set *ruleSet) allowed(path string, r *rule, c candidate) bool {
	if !r.own && set.allow.allows(path, c) {
		return true
	}
	return slices.ContainsFunc(r.allow, func(a *allowlist) bool { return a.allows(path, c) })
}

// match is a finding and where the match began in which it was found.
type match struct {
	Finding
	begin int
	own   bool // of a rule of ours
}

// specific returns the findings without those of secrets that another rule describes better: a rule of gitleaks is better than one of
// ours, and one for a certain kind of secret is better than a generic one.
func specific(text []byte, found []match) []Finding {
	var better []match
	for _, m := range found {
		if m.Kind == Secret && !m.own {
			better = append(better, m)
		}
	}
	lines := lineIndex(text, len(better) > 1)
	var out []Finding
	for _, m := range found {
		if m.Kind != Secret || !slices.ContainsFunc(better, func(other match) bool { return other.replaces(m, text, lines) }) {
			out = append(out, m.Finding)
		}
	}
	return out
}

// replaces reports whether m describes the same secret as other, and better. Like gitleaks, it asks of a generic finding whether its text
// is in the secret and both matches begin on one line.
func (m match) replaces(other match, text []byte, line func(int) int) bool {
	switch {
	case other.own:
		return m.Start < other.End && other.Start < m.End
	case !strings.HasPrefix(other.Rule, "generic") || strings.HasPrefix(m.Rule, "generic") || line(m.begin) != line(other.begin):
		return false
	}
	return bytes.Contains(text[m.Start:m.End], text[other.Start:other.End])
}

// lineIndex returns a function that returns the line of an offset. A newline belongs to the line after it, as it does in gitleaks.
func lineIndex(text []byte, needed bool) func(int) int {
	var newlines []int
	for i := 0; needed && i < len(text); i++ {
		if text[i] == '\n' {
			newlines = append(newlines, i)
		}
	}
	return func(offset int) int {
		n, _ := slices.BinarySearch(newlines, offset+1)
		return n
	}
}

// entropy returns the Shannon entropy of a text in bits. It counts code points but divides by bytes, as gitleaks does. The counts are
// added in the order of their first code point: sums of floating-point numbers depend on it.
func entropy(text []byte) float64 {
	var order []rune
	counts := map[rune]int{}
	for rest := text; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if counts[r] == 0 {
			order = append(order, r)
		}
		counts[r]++
		rest = rest[n:]
	}
	sum := 0.0
	for _, r := range order {
		p := float64(counts[r]) / float64(len(text))
		sum -= p * math.Log2(p)
	}
	return sum
}

// checkDigit reports whether the digits of a text end with the right check digit (Luhn; ISO/IEC 7812).
func checkDigit(text []byte) bool {
	sum, n := 0, 0
	for _, c := range slices.Backward(text) {
		if c < '0' || c > '9' {
			continue
		}
		d := int(c - '0')
		if n%2 == 1 {
			d *= 2
		}
		sum += d/10 + d%10
		n++
	}
	return n > 0 && sum%10 == 0
}
