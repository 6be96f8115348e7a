package versions

import (
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// naiveSpans finds a term by trying every place: what finder should say.
func naiveSpans(term, text string, sensitive bool) (out []Span) {
	for i := 0; i < len(text); {
		if n := naivePrefix(term, text[i:], sensitive); n > 0 {
			out = append(out, Span{i, i + n})
			i += n
		} else {
			i++
		}
	}
	return out
}

func naivePrefix(term, text string, sensitive bool) (at int) {
	for _, want := range term {
		got, n := utf8.DecodeRuneInString(text[at:])
		same := want == got
		for f := unicode.SimpleFold(want); !sensitive && f != want; f = unicode.SimpleFold(f) {
			same = same || f == got
		}
		if n == 0 || !same || got == utf8.RuneError {
			return 0
		}
		at += n
	}
	return at
}

// termPieces are what random texts and queries are made of.
var termPieces = []string{"a", "A", "k", "K", "\u212a", "s", "ſ", "ß", "ẞ", "ss", "σ", "ς", "Σ", "i", "İ", "ı", "I", "é", "É", "e\u0301", "日本", "👍", "\U0001f1e9\U0001f1ea",
	" ", " ", "\n", "\r\n", "\t", "\x1b[31m", "\x00", "\xff", "\xc3", "x-1", "_", "the", "Deploy", "deploy", "ab", "aab"}

func randomPieces(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.Intn(most) {
		b.WriteString(termPieces[r.Intn(len(termPieces))])
	}
	return b.String()
}

func TestFinder_FindsWhatTryingEveryPlaceFinds(t *testing.T) {
	r := rand.New(rand.NewSource(testSeed(t)))
	var f finder
	for range 60_000 {
		word, text := randomPieces(r, 5), randomPieces(r, 40)
		if !utf8.ValidString(word) || word == "" {
			continue
		}
		sensitive := r.Intn(3) == 0
		term := newTerm(word, sensitive)
		f.start(&term, []byte(text))
		var got []Span
		for sp, ok := f.find(); ok; sp, ok = f.find() {
			got = append(got, sp)
		}
		if want := naiveSpans(word, text, sensitive); !slices.Equal(got, want) {
			t.Fatalf("%q in %q (sensitive %v): %v, want %v", word, text, sensitive, got, want)
		}
	}
}

func TestParseTerms_KeepsPhrasesTogether(t *testing.T) {
	for query, want := range map[string][]string{
		"":                          nil,
		"  \t ":                     nil,
		`""`:                        nil,
		`" "`:                       nil,
		"one two":                   {"one", "two"},
		`one "two three" four`:      {"one", "two three", "four"},
		`"still being typed`:        {"still being typed"},
		`a"b c"d`:                   {"a", "b c", "d"},
		"\"over\nlines\"":           {"over lines"},
		"日本\u3000語":                 {"日本", "語"},
		`" kept blanks "`:           {" kept blanks "},
		`key: "` + "\x1b[31m" + `"`: {"key:", "\x1b[31m"},
	} {
		var got []string
		for _, term := range parseTerms(query) {
			got = append(got, string(term.text))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

func TestFinder_FoldsCaseAsDocumented(t *testing.T) {
	for _, c := range []struct {
		query, text string
		found       bool
	}{
		{"straße", "STRAẞE", true}, {"strasse", "Straße", false}, {"ß", "ss", false},
		{"οδος", "ΟΔΟΣ", true}, {"οδοσ", "οδος", true},
		{"kelvin", "\u212aelvin", true}, {"stop", "\u017ftop", true},
		{"istanbul", "İstanbul", false}, {"İstanbul", "İstanbul", true}, {"ı", "I", false}, {"i", "I", true},
		{"Deploy", "deploy", false}, {"Deploy", "Deploy", true}, {"deploy", "DEPLOY", true},
		{"café", "CAFÉ", true}, {"café", "cafe\u0301", false}, {"ǆ", "ǅ", true}, {"ы", "Ы", true},
	} {
		if got := len(findAll(parseTerms(c.query), []byte(c.text))) > 0; got != c.found {
			t.Errorf("%q in %q: %v, want %v", c.query, c.text, got, c.found)
		}
	}
}

func TestPattern_FindsEachPlaceThatMakesAHit(t *testing.T) {
	for _, c := range []struct {
		q     Query
		text  string
		found string
	}{
		{Query{Text: "may ship"}, "Ship it in May, or ship it", "Ship|May|ship"},
		{Query{Text: "May ship"}, "Ship it in May or may, ship it", "May|ship"},
		{Query{Text: `"a.b (c" x`}, "a.b (c axb (c", "a.b (c|x"},
		{Query{Text: `up to [0-9]+`, Regexp: true}, "Up to 80, up to x", "Up to 80"},
		{Query{Text: `Σ`}, "σ Σ", "Σ"},
	} {
		re, err := CompilePattern(c.q.Pattern())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(re.FindAllString(c.text, -1), "|"); got != c.found {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.found)
		}
	}
}
