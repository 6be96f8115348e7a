package match

import (
	"flag"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memend/memend/versions/match/testdata/matchtest"
)

var matchSeed = flag.Int64("seed", 20261121, "seed of the random texts")

func TestFinder_FindsWhatTryingEveryPlaceFinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(*matchSeed))
	var f Finder
	for range 60_000 {
		word, text := matchtest.RandomText(r, 5), matchtest.RandomText(r, 40)
		if !utf8.ValidString(word) || word == "" {
			continue
		}
		sensitive := r.Intn(3) == 0
		term := newTerm(word, sensitive)
		f.Start(&term, []byte(text))
		var got [][2]int
		for sp, ok := f.Next(); ok; sp, ok = f.Next() {
			got = append(got, [2]int{sp.Start, sp.End})
		}
		if want := matchtest.Spans(word, text, sensitive); !slices.Equal(got, want) {
			t.Fatalf("%q in %q (sensitive %v): %v, want %v", word, text, sensitive, got, want)
		}
	}
}

func TestParseTerms_KeepsPhrasesTogether(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for _, c := range []struct {
		query, text string
		found       bool
	}{
		{"straße", "STRAẞE", true}, {"strasse", "Straße", false}, {"ß", "ss", false},
		{"οδος", "ΟΔΟΣ", true}, {"οδοσ", "οδος", true},
		{"kelvin", "\u212aelvin", true}, {"stop", "\u017ftop", true},
		{"istanbul", "İstanbul", false}, {"İstanbul", "İstanbul", true}, {"ı", "I", false}, {"i", "I", true},
		{"Deploy", "deploy", false}, {"Deploy", "Deploy", true}, {"deploy", "DEPLOY", true},
		{"café", "CAFÉ", true}, {"café", "cafe\u0301", true}, {"cafe\u0301", "CAFÉ", true}, {"Café", "Cafe\u0301", true}, {"Café", "cafe\u0301", false}, {"cafe\u0300", "café", false}, {"ǆ", "ǅ", true}, {"ы", "Ы", true},
	} {
		if got := len(All(parseTerms(c.query), []byte(c.text))) > 0; got != c.found {
			t.Errorf("%q in %q: %v, want %v", c.query, c.text, got, c.found)
		}
	}
}

func TestPattern_FindsEachPlaceThatMakesAHit(t *testing.T) {
	t.Parallel()
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
		re, err := Compile(c.q.Pattern())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(re.FindAllString(c.text, -1), "|"); got != c.found {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.found)
		}
	}
}
