package versions

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestPattern_SaysWhereItGoesWrong(t *testing.T) {
	for pattern, want := range map[string]string{
		`a(b)c(d`:                         "missing closing ), at character 6",
		`é(`:                              "missing closing ), at character 2",
		`a[b]c[d`:                         "missing closing ], at character 6",
		`ab)`:                             "unexpected ), at character 3",
		`a*b|*`:                           "missing argument to repetition operator *, at character 5",
		`ab\yz`:                           `invalid escape sequence \y, at character 3`,
		`x[z-a]`:                          "invalid character class range z-a, at character 3",
		`abc\`:                            `trailing backslash at end of expression, at character 4`,
		"\xff":                            "at character 1",
		`(a{1000}){1000}`:                 "at character",
		`(\pL{500}|x){10}y`:               "at character",
		strings.Repeat("a", maxPattern+1): "too long",
		strings.Repeat(`[a-m]{900}.`, 9):  "too large",
	} {
		_, err := CompilePattern(pattern)
		var bad *PatternError
		if !errors.As(err, &bad) {
			t.Errorf("%q: %v", pattern, err)
			continue
		}
		if !strings.Contains(err.Error(), want) || bad.At > len(pattern) {
			t.Errorf("%q: %v, want %q", pattern, err, want)
		}
	}
}

func TestPattern_TakesCapitalsForCapitalsOnlyWhereTheyAreFound(t *testing.T) {
	for pattern, both := range map[string]bool{
		`deploy`: true, `Deploy`: false, `\Wdeploy`: true, `\pLx`: true, `\p{Lu}x`: true, `\x4Ax`: true, `\x{4A}x`: true,
		`(?P<Name>x)`: true, `(?U)x`: true, `(?:X)`: false, `[A-Z]`: false, `\QA\E`: false, `\Qa\E`: true, `Ä`: false, `\`: true,
	} {
		if got := !patternHasCapital(pattern); got != both {
			t.Errorf("%s finds both cases: %t", pattern, got)
		}
	}
}

// naivePattern is the lines in which a pattern stands, looked at one by one.
func naivePattern(re *regexp.Regexp, text string) (lines []int) {
	all := strings.Split(text, "\n")
	for i, line := range all {
		if i < len(all)-1 {
			line = strings.TrimSuffix(line, "\r")
		}
		if slices.ContainsFunc(re.FindAllStringIndex(line, -1), func(m []int) bool { return m[0] < m[1] }) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

func TestSearch_OfAPatternFindsWhatEachLineByItselfWould(t *testing.T) {
	r := rand.New(rand.NewSource(testSeed(t)))
	w := newWorld(t)
	texts := map[string]string{}
	for i := range 30 {
		path := fmt.Sprintf("p%d.md", i)
		texts[path] = strings.ReplaceAll(randomPieces(r, 60), ".", strings.Repeat("\r\n", r.Intn(2)))
		w.write(alice, path, texts[path])
	}
	for _, pattern := range []string{
		"the", "THE", "^the", "the$", "t.e", "[^a]e", `\s+x`, `.*`, "x*", `\bthe\b`, "the|Σ|q", "(the|and) ?x", "a{2,}", `^\W`, `$`, `[\n]e`, "k", "ß",
		`\d+`, "(?s)e.t", `e\nt`, "(a|)b", "the.*the", `\r`,
	} {
		re, err := CompilePattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]int{}
		for _, h := range w.hits(Query{Text: pattern, Regexp: true}) {
			for _, l := range h.Lines {
				got[h.Path.Rel()] = append(got[h.Path.Rel()], l.Number)
				for _, sp := range l.Spans {
					if !utf8.ValidString(l.Text[sp.Start:sp.End]) && utf8.ValidString(texts[h.Path.Rel()]) {
						t.Errorf("%s: half a character is found in %q", pattern, l.Text)
					}
				}
			}
		}
		past := map[string][]int{}
		if err := w.store.SearchHistory(t.Context(), Query{Text: pattern, Regexp: true}, func(h HistoryHit) bool {
			for _, l := range h.Lines {
				past[h.Last.Path.Rel()] = append(past[h.Last.Path.Rel()], l.Number)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		for path, text := range texts {
			want := naivePattern(re, text)
			if !slices.Equal(got[path], want) || !slices.Equal(past[path], want) {
				t.Errorf("%s in %q: lines %v, of the past %v, want %v", pattern, text, got[path], past[path], want)
			}
		}
	}
}

func TestPattern_KnowsATextWithoutWhichItFindsNothing(t *testing.T) {
	for pattern, want := range map[string]string{
		"deploy": "deploy", "dep.*loyment": "loyment", "(foo|bar)+x?": "foo bar", "a*": "", "(ab)*": "", "x(ab)?": "x",
		"[ab]cd": "cd", "(foo|[ab])": "", "(?:customer){2,3}": "customer", `^\s*$`: "", "Foo|bar": "Foo bar",
	} {
		e, err := newExpression(pattern, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range e.needs {
			text := string(n.text)
			if pattern == strings.ToLower(pattern) {
				text = strings.ToLower(text)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", pattern, got, want)
		}
	}
}

func TestSearch_OfAPatternThatTakesLongCanBeStopped(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "line", strings.Repeat("ab", 4<<20)) // of one line
	w.write(alice, "lines", strings.Repeat(strings.Repeat("ab", 40)+"\n", 50_000))
	for _, path := range []string{"line", "lines"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begun := time.Now()
		_, err := w.store.Search(ctx, Query{Text: "(.{1,90}[^b]){1,9}[yz]", Regexp: true, In: mustPath(path)}, func(Hit) bool { return true })
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", path, err)
		}
		if took := time.Since(begun); took > 20*time.Second { // it would be minutes
			t.Errorf("%s: stopping took %v", path, took)
		}
	}
}

func TestSearch_OfAPatternLooksAtPathsToo(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "notes/plan-7.md", "nothing")
	hits := w.hits(Query{Text: `plan-\d`, Regexp: true})
	if len(hits) != 1 || len(hits[0].Lines) != 0 || !slices.Equal(hits[0].Spans, []Span{{6, 12}}) {
		t.Errorf("hits %+v", hits)
	}
}
