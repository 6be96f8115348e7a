// Package match finds words, phrases and regular expressions in texts, scores how well a text matches a query, extracts the lines
// around matches, and replaces matches.
//
// It works on bytes in memory: no disk, no clock. A Query is parsed into Terms once, and a Finder searches one text at a time from
// left to right; matches of one term do not overlap and lie within one line. Terms are safe for concurrent use; a Finder, Scorer,
// Replacer or Nearness is not.
//
// A query without a capital letter ignores case (smart case, as in ripgrep); case is Unicode's simple case folding. Regular expressions
// are RE2, applied line by line. All offsets are in bytes.
package match

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Span is a range of bytes from Start to End, End excluded.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Term is a word, a phrase or a regular expression to search for.
//
// A term of a query without a capital letter ignores case, otherwise it respects case (smart case, as in ripgrep). Case is Unicode's simple
// case folding of single characters: σ, ς and Σ are equal, and so are k and the Kelvin sign; ß equals ẞ but not ss, and İ only itself.
// Characters with different accents are never equal; the composed and the decomposed form of one character are.
type Term struct {
	text  []byte
	exact bool         // no rune has another case or form: search for text itself
	runes []foldedRune // otherwise, the forms of each rune
	pair  *bytePair    // two bytes to search for first
	pivot int          // the rune that pair begins with; without a pair, the rune to search for first
	expr  *expression  // instead of all the above
}

// foldedRune holds the encodings of all cases and forms of one character.
type foldedRune [][]byte

// parseTerms splits a query at blanks; a "phrase in quotes" is one term. An unclosed quote, as during typing, extends to the end.
func parseTerms(query string) []Term {
	return casedTerms(query, strings.ContainsFunc(query, unicode.IsUpper))
}

// Query says what to search for in a text.
type Query struct {
	// Text is words and "quoted phrases". It ignores case unless it has a capital letter.
	Text string
	// Regexp says that Text is one regular expression instead (see Compile). It is
	// applied line by line; empty matches do not count.
	Regexp bool
	// AnyCase ignores case, whatever Text is written in.
	AnyCase bool
}

// Words returns the terms of a query that is not a regular expression.
func (q Query) Words() []Term {
	if q.AnyCase {
		return casedTerms(q.Text, false)
	}
	return parseTerms(q.Text)
}

func casedTerms(query string, sensitive bool) []Term {
	var out []Term
	add := func(s string) {
		if strings.TrimSpace(s) != "" {
			out = append(out, newTerm(s, sensitive))
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

// Pattern returns a regular expression (see Compile) for all matches of the query: any of its words and phrases.
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

// onOneLine replaces the line ends in a phrase: a match lies within one line.
func onOneLine(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

// newTerm returns a term for one word or phrase. A sensitive term respects case.
func newTerm(s string, sensitive bool) Term {
	s = norm.NFC.String(s)
	t := Term{text: []byte(s), exact: true}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		forms := foldedRune{[]byte(s[i : i+n])}
		if r != utf8.RuneError {
			for f := unicode.SimpleFold(r); f != r && !sensitive; f = unicode.SimpleFold(f) {
				forms = append(forms, []byte(string(f)))
			}
			for _, form := range forms {
				if apart := norm.NFD.Bytes(form); !bytes.Equal(apart, form) {
					forms = append(forms, apart)
				}
			}
		}
		t.exact = t.exact && len(forms) == 1
		t.runes = append(t.runes, forms)
		i += n
	}
	t.choosePivot()
	return t
}

// choosePivot chooses the rarest pair of bytes, or the rarest character. The choice affects only the speed, not the matches.
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

// frequent holds the letters of English, the most frequent first.
const frequent = " etaoinshrdlcumwfgypbvkxjqz"

// rarity estimates how rare a character is.
func rarity(r foldedRune) int {
	if n := strings.IndexByte(frequent, r[0][0]); n >= 0 {
		return n
	}
	return 12
}

// Finder finds the matches of a term in a text, from left to right. The zero value is ready for Start.
type Finder struct {
	t    *Term
	text []byte
	at   int   // where the next search begins
	next []int // the position for the next search of the pair; otherwise, by form of the pivot, its next position: len(text) if none
	expr expressionFinder
}

// Start starts a search for a term in a text, which must not change until the last Next.
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

// Next returns the next match of the term; matches don't overlap.
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

// HoldsAll reports whether a text contains every term.
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

// candidate returns the next position of the pivot and its length in bytes, or -1.
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

// around reports whether the term matches around its pivot from start to end, and where.
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

// at returns the length of the character at the beginning of text, or 0 if it is not there.
func (r foldedRune) at(text []byte) int {
	for _, form := range r {
		if bytes.HasPrefix(text, form) {
			return len(form)
		}
	}
	return 0
}

// before returns the length of the character at the end of text, or 0 if it is not there.
func (r foldedRune) before(text []byte) int {
	for _, form := range r {
		if bytes.HasSuffix(text, form) {
			return len(form)
		}
	}
	return 0
}
