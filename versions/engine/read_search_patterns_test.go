package engine_test

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

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/match/testdata/matchtest"
)

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
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	w := newWorld(t)
	texts := map[string]string{}
	for i := range 30 {
		path := fmt.Sprintf("p%d.md", i)
		texts[path] = strings.ReplaceAll(matchtest.RandomText(r, 60), ".", strings.Repeat("\r\n", r.Intn(2)))
		w.write(alice, path, texts[path])
	}
	for _, pattern := range []string{
		"the", "THE", "^the", "the$", "t.e", "[^a]e", `\s+x`, `.*`, "x*", `\bthe\b`, "the|Σ|q", "(the|and) ?x", "a{2,}", `^\W`, `$`, `[\n]e`, "k", "ß",
		`\d+`, "(?s)e.t", `e\nt`, "(a|)b", "the.*the", `\r`,
	} {
		re, err := match.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]int{}
		for _, h := range w.hits(versions.Query{Text: pattern, Regexp: true}) {
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
		if err := vhistory.SearchHistory(t.Context(), w.store, versions.Query{Text: pattern, Regexp: true}, func(h versions.HistoryHit) bool {
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

func TestSearch_OfAPatternThatTakesLongCanBeStopped(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "line", strings.Repeat("ab", 4<<20)) // of one line
	w.write(alice, "lines", strings.Repeat(strings.Repeat("ab", 40)+"\n", 50_000))
	for _, path := range []string{"line", "lines"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		begun := time.Now()
		_, err := vhistory.Search(ctx, w.store, versions.Query{Text: "(.{1,90}[^b]){1,9}[yz]", Regexp: true, In: mustPath(path)}, func(versions.Hit) bool { return true })
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
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "notes/plan-7.md", "nothing")
	hits := w.hits(versions.Query{Text: `plan-\d`, Regexp: true})
	if len(hits) != 1 || len(hits[0].Lines) != 0 || !slices.Equal(hits[0].Spans, []match.Span{{Start: 6, End: 12}}) {
		t.Errorf("hits %+v", hits)
	}
}
