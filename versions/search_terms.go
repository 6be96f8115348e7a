package versions

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// term is a word or a phrase that is looked for.
//
// A query without a capital letter finds both cases, one with a capital finds
// what it says (smart case, as ripgrep has it). Both cases are those of
// Unicode's simple case folding, one character for one: σ, ς and Σ are the same,
// so are k and the Kelvin sign; ß is the same as ẞ but not as ss, and İ only as
// itself. Accents and forms of normalization are never equal to each other.
type term struct {
	text  []byte
	runes []foldedRune
	pivot int  // the rarest of runes, which is looked for first
	exact bool // no rune has another case: text itself is looked for
}

// foldedRune is the ways to write one character.
type foldedRune [][]byte

// parseTerms splits a query at blanks; a phrase "in quotes" stays together. An
// open quote at the end, as while somebody types, holds the rest.
func parseTerms(query string) []term {
	sensitive := strings.ContainsFunc(query, unicode.IsUpper)
	var out []term
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

// onOneLine keeps a phrase from asking for the end of a line: what is found
// stands in one line.
func onOneLine(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

func newTerm(s string, sensitive bool) term {
	t := term{text: []byte(s), exact: true}
	if sensitive {
		return t
	}
	rarest := -1
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		forms := foldedRune{[]byte(s[i : i+n])}
		if r != utf8.RuneError {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				forms = append(forms, []byte(string(f)))
			}
		}
		t.exact = t.exact && len(forms) == 1
		if rare := rarity(r, len(forms)); rare > rarest {
			rarest, t.pivot = rare, len(t.runes)
		}
		t.runes = append(t.runes, forms)
		i += n
	}
	return t
}

// frequent is the letters of English, the most frequent first. A guess is enough:
// what is found does not depend on it, only how fast.
const frequent = " etaoinshrdlcumwfgypbvkxjqz"

// rarity guesses how seldom r is, and how little work its other forms make.
func rarity(r rune, forms int) int {
	n := strings.IndexRune(frequent, unicode.ToLower(r))
	if n < 0 {
		n = 20
	}
	return n - 4*max(forms-2, 0)
}

// finder finds a term in a text, from the left to the right.
type finder struct {
	t    *term
	text []byte
	at   int   // where the next search begins
	next []int // by form of the pivot: where it stands next; len(text) when nowhere
}

// start begins anew with another text.
func (f *finder) start(t *term, text []byte) {
	f.t, f.text, f.at = t, text, 0
	if f.next = f.next[:0]; t.exact {
		return
	}
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

// find is the next place of the term; places don't overlap.
func (f *finder) find() (sp Span, ok bool) {
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
		first := 0
		for i, p := range f.next {
			if p < f.next[first] {
				first = i
			}
		}
		p := f.next[first]
		if p == len(f.text) {
			return sp, false
		}
		form := f.t.runes[f.t.pivot][first]
		f.next[first] = indexFrom(f.text, form, p+len(form))
		if sp, ok = f.around(p, p+len(form)); ok && sp.Start >= f.at {
			f.at = sp.End
			return sp, true
		}
	}
}

// around tells whether the term stands around its pivot, which stands there.
func (f *finder) around(start, end int) (Span, bool) {
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
