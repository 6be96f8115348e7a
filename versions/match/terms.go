// Package match finds words, phrases and regular expressions in texts, scores how
// well a text answers a query, cuts excerpts around what was found, and replaces.
//
// It works on bytes in memory: no disk, no clock. A Query is read into Terms once
// and a Finder walks one text at a time, from left to right; matches of one term
// do not overlap and lie within one line. Terms may be shared by goroutines; a
// Finder, Scorer, Replacer or Nearness belongs to one goroutine at a time.
//
// Without a capital letter a query ignores case (smart case, as in ripgrep); case
// is Unicode's simple case folding. Regular expressions are RE2, applied line by
// line. All offsets are bytes.
package match

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a range of bytes, from Start up to but without End.
type Span struct{ Start, End int }

// Term is a word, a phrase or a regular expression that is looked for.
//
// A query without a capital letter finds both cases, one with a capital finds
// what it says (smart case, as ripgrep has it). Both cases are those of
// Unicode's simple case folding, one character for one: σ, ς and Σ are the same,
// so are k and the Kelvin sign; ß is the same as ẞ but not as ss, and İ only as
// itself. Accents and forms of normalization are never equal to each other.
type Term struct {
	text  []byte
	exact bool         // no rune has another case: text itself is looked for
	runes []foldedRune // else these, one after the other
	pair  *bytePair    // two bytes of it that are looked for first
	pivot int          // the rune that pair begins with; without a pair, the one that is looked for first
	expr  *expression  // instead of all that
}

// foldedRune is the ways to write one character.
type foldedRune [][]byte

// ParseTerms splits a query at blanks; a phrase "in quotes" stays together. An
// open quote at the end, as while somebody types, holds the rest.
func ParseTerms(query string) []Term {
	return casedTerms(query, strings.ContainsFunc(query, unicode.IsUpper))
}

// Query is what to look for in a text.
type Query struct {
	// Text is words and "quoted phrases". Without a capital letter it ignores case.
	Text string
	// Regexp says that Text is one regular expression instead (see Compile). It is
	// applied line by line; empty matches do not count.
	Regexp bool
	// AnyCase ignores case, whatever Text is written in.
	AnyCase bool
}

// Words are the terms of a query that is not a regular expression.
func (q Query) Words() []Term {
	if q.AnyCase {
		return casedTerms(q.Text, false)
	}
	return ParseTerms(q.Text)
}

func casedTerms(query string, sensitive bool) []Term {
	var out []Term
	add := func(s string) {
		if strings.TrimSpace(s) != "" {
			out = append(out, NewTerm(s, sensitive))
		}
	}
	for query != "" {
		before, rest, quoted := strings.Cut(query, `"`)
		for word := range strings.FieldsSeq(before) {
			add(word)
		}
		if !quoted {
			break
		}
		phrase, after, _ := strings.Cut(rest, `"`)
		add(strings.Map(onOneLine, phrase))
		query = after
	}
	return out
}

// Pattern is a regular expression (see Compile) for each place in a text that
// makes it a hit of the query: any of its words and phrases.
func (q Query) Pattern() string {
	if q.Regexp {
		return q.expression()
	}
	var out []string
	for _, t := range q.Words() {
		out = append(out, regexp.QuoteMeta(string(t.text)))
	}
	return Query{Text: strings.Join(out, "|"), AnyCase: q.AnyCase}.expression()
}

// onOneLine keeps a phrase from asking for the end of a line: what is found
// stands in one line.
func onOneLine(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

// NewTerm is one word or phrase. A sensitive term matches only as it is written.
func NewTerm(s string, sensitive bool) Term {
	t := Term{text: []byte(s), exact: true}
	if sensitive {
		return t
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		forms := foldedRune{[]byte(s[i : i+n])}
		if r != utf8.RuneError {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				forms = append(forms, []byte(string(f)))
			}
		}
		t.exact = t.exact && len(forms) == 1
		t.runes = append(t.runes, forms)
		i += n
	}
	t.choosePivot()
	return t
}

// choosePivot looks for the pair of characters, or the character, that is the
// rarest. What is found does not depend on it, only how fast.
func (t *Term) choosePivot() {
	rarest := -1
	for i := range t.runes {
		first := newPairedByte(t.runes[i])
		if first == nil {
			continue
		}
		p, rare := bytePair{*first, *first, 0}, rarity(t.runes[i])
		if i+1 < len(t.runes) {
			if second := newPairedByte(t.runes[i+1]); second != nil {
				p, rare = bytePair{*first, *second, 1}, 100+rare+rarity(t.runes[i+1])
			}
		}
		if rare > rarest {
			rarest, t.pivot, t.pair = rare, i, &p
		}
	}
}

// frequent is the letters of English, the most frequent first.
const frequent = " etaoinshrdlcumwfgypbvkxjqz"

// rarity guesses how seldom a character is.
func rarity(r foldedRune) int {
	if n := strings.IndexByte(frequent, r[0][0]); n >= 0 {
		return n
	}
	return 12
}

// Finder finds the places of a term in a text, from left to right. Its zero value
// is ready for Start.
type Finder struct {
	t    *Term
	text []byte
	at   int   // where the next search begins
	next []int // where the pair is looked for next; else, by form of the pivot, where it stands next: len(text) when nowhere
	expr expressionFinder
}

// Start begins with another term and text, which must not change until the last Next.
func (f *Finder) Start(t *Term, text []byte) {
	f.t, f.text, f.at = t, text, 0
	if t.expr != nil {
		f.expr.begin(t.expr, text)
		return
	}
	f.next = append(f.next[:0], 0)
	if t.exact || t.pair != nil {
		return
	}
	f.next = f.next[:0]
	for _, form := range t.runes[t.pivot] {
		f.next = append(f.next, indexFrom(text, form, 0))
	}
}

func indexFrom(text, form []byte, from int) int {
	i := -1
	if len(form) == 1 {
		i = bytes.IndexByte(text[from:], form[0])
	} else {
		i = bytes.Index(text[from:], form)
	}
	if i < 0 {
		return len(text)
	}
	return from + i
}

// Next is the next place of the term; places don't overlap.
func (f *Finder) Next() (sp Span, ok bool) {
	if f.t.expr != nil {
		sp, _, ok = f.expr.find()
		return sp, ok
	}
	if f.t.exact {
		i := bytes.Index(f.text[f.at:], f.t.text)
		if i < 0 {
			return sp, false
		}
		sp = Span{f.at + i, f.at + i + len(f.t.text)}
		f.at = sp.End
		return sp, true
	}
	for {
		p, n := f.candidate()
		if p < 0 {
			return sp, false
		}
		if sp, ok = f.around(p, p+n); ok && sp.Start >= f.at {
			f.at = sp.End
			return sp, true
		}
	}
}

// HoldsAll reports whether a text holds each term.
func (f *Finder) HoldsAll(terms []Term, text []byte) bool {
	for i := range terms {
		if f.Start(&terms[i], text); !f.more() {
			return false
		}
	}
	return true
}

func (f *Finder) more() bool {
	_, ok := f.Next()
	return ok
}

// candidate is where the pivot stands next, and how many bytes it has; -1 when
// it doesn't.
func (f *Finder) candidate() (at, n int) {
	if f.t.pair != nil {
		at = f.t.pair.index(f.text, f.next[0])
		f.next[0] = at + 1
		return at, 1
	}
	first := 0
	for i, p := range f.next {
		if p < f.next[first] {
			first = i
		}
	}
	if at = f.next[first]; at == len(f.text) {
		return -1, 0
	}
	form := f.t.runes[f.t.pivot][first]
	f.next[first] = indexFrom(f.text, form, at+len(form))
	return at, len(form)
}

// around tells whether the term stands around its pivot, which stands there.
func (f *Finder) around(start, end int) (Span, bool) {
	for i := f.t.pivot - 1; i >= 0; i-- {
		n := f.t.runes[i].before(f.text[:start])
		if n == 0 {
			return Span{}, false
		}
		start -= n
	}
	for _, r := range f.t.runes[f.t.pivot+1:] {
		n := r.at(f.text[end:])
		if n == 0 {
			return Span{}, false
		}
		end += n
	}
	return Span{start, end}, true
}

// at is how many bytes of the beginning of text are the character.
func (r foldedRune) at(text []byte) int {
	for _, form := range r {
		if bytes.HasPrefix(text, form) {
			return len(form)
		}
	}
	return 0
}

// before is how many bytes of the end of text are the character.
func (r foldedRune) before(text []byte) int {
	for _, form := range r {
		if bytes.HasSuffix(text, form) {
			return len(form)
		}
	}
	return 0
}
