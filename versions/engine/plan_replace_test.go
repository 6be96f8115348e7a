package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/match/testdata/matchtest"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/stores"
)

// replaces plans to replace a text.
func (w *world) replaces(what, with string) *plan.Plan {
	w.t.Helper()
	return w.plansReplace(plan.Replacement{Query: versions.Query{Text: what}, With: with})
}

func (w *world) plansReplace(r plan.Replacement) *plan.Plan {
	w.t.Helper()
	return plans(w.t)(plan.Make(w.t.Context(), w.store, r))
}

func TestReplace_IsOneChangeThatCanBeUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/a", "ship in April\nApril, april\n")
	w.write(robot, "d/b", "no\nAPRIL\n")
	w.write(robot, "c", "nothing\n")
	p := w.replaces("april", "May")
	if len(p.Clean) != 2 || p.Clean[0].Hits != 3 || p.Clean[1].Hits != 1 || p.Kind != versions.KindEdit || p.Empty() {
		t.Fatalf("plan %+v", p)
	}
	if h := p.Clean[0].Replaced[1]; h.Number != 2 || h.Text != "April, april" || h.With != "May" || !slices.Equal(h.Spans, []match.Span{{Start: 0, End: 5}}) {
		t.Errorf("the second hit is %+v", h)
	}
	w.stands("a plan changes nothing", map[string]string{"d/a": "ship in April\nApril, april\n", "d/b": "no\nAPRIL\n", "c": "nothing\n"})
	c := w.apply(p, nil)
	if c.Versions != 2 || c.Kind != versions.KindEdit || c.Path != mustPath("d") {
		t.Errorf("change %+v", c)
	}
	w.stands("all hits are replaced", map[string]string{"d/a": "ship in May\nMay, May\n", "d/b": "no\nMay\n", "c": "nothing\n"})
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.stands("undo brings all back", map[string]string{"d/a": "ship in April\nApril, april\n", "d/b": "no\nAPRIL\n", "c": "nothing\n"})
	if _, err := plan.Do(t.Context(), w.store, alice, plan.RedoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("d/b", "no\nMay\n")
}

func TestReplace_PutsInWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, with, before, after string
		regexp                    bool
	}{
		{"aa", "b", "aaaaa", "bba", false},                          // hits do not overlap
		{"a", "aa", "aXa", "aaXaa", false},                          // what is put in is not looked at again
		{"x", "", "axbx", "ab", false},                              // nothing is put in
		{"x", "", "x", "", false},                                   // nothing is left
		{"price", "$1 \\n", "price", "$1 \\n", false},               // a text is what it is
		{`"one two"`, "3", "one two one  two", "3 one  two", false}, // a phrase
		{"straße", "Weg", "STRAßE straße STRASSE", "Weg Weg STRASSE", false},
		{"日本", "🇯🇵", "東日本日本語", "東🇯🇵🇯🇵語", false},
		{"b", "X", "a\r\nb\r\nc\r\n", "a\r\nX\r\nc\r\n", false}, // line ends stay
		{`(\w+)@(?P<host>\w+)`, "${host} at $1", "me@home you@work", "home at me work at you", true},
		{`^(.*)$`, "- $1", "a\r\nb\n\nc", "- a\r\n- b\n\n- c", true}, // an empty line is not found
		{`x*`, "-", "axxb", "a-b", true},                             // nor is what is empty
		{`$`, "!", "a\nb", "a\nb", true},
		{`, `, `\n`, "a, b\r\nc, d", "a\r\nb\r\nc\r\nd", true}, // as the memory ends its lines
		{`a`, `\\n$$1`, "a", `\n$1`, true},
		{`(a)|b`, "[$1]", "ab", "[a][]", true},
		{`a\s+b`, "X", "a\nb a b", "a\nb X", true}, // within one line
		{`É`, "e", "É é", "e é", true},
	} {
		w := newWorld(t)
		w.write(alice, "m", c.before)
		r := plan.Replacement{Query: versions.Query{Text: c.what, Regexp: c.regexp}, With: c.with}
		p := w.plansReplace(r)
		if p.Empty() != (c.before == c.after) {
			t.Errorf("%s: plan %+v", c.what, p)
		}
		if !p.Empty() {
			w.apply(p, nil)
		}
		w.wantFile("m", c.after)
		if got, err := r.In(t.Context(), []byte(c.before)); err != nil || string(got) != c.after {
			t.Errorf("%s: in the text it makes %q, %v", c.what, got, err)
		}
	}
}

func TestReplace_LeavesOutHitsAndMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		w.write(alice, name, "x1 x2\nx3 x4\n")
	}
	p := w.replaces("x", "y")
	w.apply(p, map[versions.MemoryID]planning.Choice{p.Clean[0].Memory: {Kind: planning.SomeHits, Except: []int{0, 3}}, p.Clean[1].Memory: {Kind: planning.Skip}})
	w.stands("but for those", map[string]string{"a": "x1 y2\ny3 x4\n", "b": "x1 x2\nx3 x4\n", "c": "y1 y2\ny3 y4\n"})
	p = w.replaces("x", "y")
	none := map[versions.MemoryID]planning.Choice{}
	for _, it := range p.Clean {
		none[it.Memory] = planning.Choice{Kind: planning.SomeHits, Except: []int{0, 1, 2, 3}}
	}
	if _, err := plan.Apply(t.Context(), w.store, alice, p, none); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("with all left out: %v", err)
	}
}

func TestReplace_IsRefusedWhenAMemoryChangedSince(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*world){
		"written":          func(w *world) { w.write(robot, "b", "x and more") },
		"written outside":  func(w *world) { w.outside("b", "x theirs") },
		"renamed":          func(w *world) { w.rename("b", "z") },
		"deleted":          func(w *world) { w.deleteBy(robot, "b") },
		"read-only now":    func(w *world) { chmod(w.t, filepath.Join(w.folder, "b"), 0o444) },
		"a smaller limit":  func(w *world) { w.limitBytes(1) },
		"its hit was gone": func(w *world) { w.write(robot, "b", "none") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(alice, "a", "x")
			w.write(alice, "b", "x")
			p := w.replaces("x", "yyy")
			between(w)
			var stale *versions.StalePlanError
			if _, err := plan.Apply(t.Context(), w.store, alice, p, nil); !errors.As(err, &stale) {
				t.Fatalf("apply: %v", err)
			}
			w.wantFile("a", "x")
		})
	}
}

func (w *world) limitBytes(n int64) {
	w.t.Helper()
	if err := stores.SetLimits(w.t.Context(), w.trail, alice, w.store.Info().ID, versions.Limits{Bytes: n}); err != nil {
		w.t.Fatal(err)
	}
}

func chmod(t testing.TB, file string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestReplace_DoesNotMindWhatOnlyHoldsTheTextSince(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	p := w.replaces("x", "y")
	w.write(robot, "b", "x")
	w.apply(p, nil)
	w.stands("only what was agreed to", map[string]string{"a": "y", "b": "x"})
}

func TestReplace_LeavesAloneWhatIsSoAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "May")
	w.write(alice, "b", "may")
	p := w.replaces("may", "May")
	if len(p.Clean) != 1 || len(p.Nothing) != 1 {
		t.Fatalf("plan %+v", p)
	}
	if c := w.apply(p, nil); c.Versions != 1 || c.Path != mustPath("b") {
		t.Errorf("change %+v", c)
	}
}

func TestReplace_NamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, text := range map[string]string{"ok": "x", "bytes": "x \xff", "shut": "x", "full": "xx", "in/shut": "x"} {
		w.write(alice, path, text)
	}
	w.outside("huge", strings.Repeat("x", int(versions.DefaultMaxBytes)+1))
	w.limitBytes(5)
	chmod(t, filepath.Join(w.folder, "shut"), 0o444)
	chmod(t, filepath.Join(w.folder, "in"), 0o555)
	t.Cleanup(func() { chmod(t, filepath.Join(w.folder, "in"), 0o755) })
	p := w.replaces("x", "four")
	got := map[string]error{}
	for _, s := range p.Skipped {
		got[s.Path.Rel()] = s.Err
	}
	var over *versions.LimitError
	if len(p.Clean) != 1 || p.Clean[0].Now.Path != mustPath("ok") || !errors.Is(got["bytes"], versions.ErrNotText) || !errors.Is(got["shut"], versions.ErrProtected) ||
		!errors.Is(got["in/shut"], versions.ErrProtected) || !errors.As(got["full"], &over) || over.Bytes != 8 || !errors.Is(got["huge"], memfs.ErrTooBig) {
		t.Errorf("clean %+v, skipped %v", p.Clean, got)
	}
	w.apply(p, nil)
	w.wantFile("ok", "four")
	w.wantFile("full", "xx")
}

func TestReplace_LetsAMemoryShrinkThatIsOverTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "long long longer than it may be")
	w.limitBytes(5)
	w.apply(w.replaces(`"long "`, ""), nil)
	w.wantFile("a", "longer than it may be")
}

func TestReplace_SaysWhatItCanNotLookFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range []plan.Replacement{
		{Query: versions.Query{Text: ""}}, {Query: versions.Query{Text: "two words"}}, {Query: versions.Query{Text: "x"}, With: "\xff"},
	} {
		if _, err := plan.Make(t.Context(), w.store, r); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	var bad *match.PatternError
	if _, err := plan.Make(t.Context(), w.store, plan.Replacement{Query: versions.Query{Text: "(", Regexp: true}}); !errors.As(err, &bad) {
		t.Errorf("a bad pattern: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := plan.Make(ctx, w.store, plan.Replacement{Query: versions.Query{Text: "x"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if p := w.replaces("nowhere", "x"); !p.Empty() {
		t.Errorf("plan %+v", p)
	}
}

func TestReplace_BoundsWhatOnePlanHolds(t *testing.T) {
	w := newWorld(t)
	for i := range 3 {
		w.write(alice, fmt.Sprint(i), strings.Repeat("x", 1000))
	}
	w.trail.MaxReplaced = 4_000
	if _, err := plan.Make(t.Context(), w.store, plan.Replacement{Query: versions.Query{Text: "x"}, With: "yy"}); err == nil || !strings.Contains(err.Error(), "narrow it") {
		t.Errorf("too much: %v", err)
	}
	p := w.plansReplace(plan.Replacement{Query: versions.Query{Text: "x", In: mustPath("1"), Lines: 7}, With: "yy"})
	if len(p.Clean) != 1 || p.Clean[0].Hits != 1000 || len(p.Clean[0].Replaced) != 7 {
		t.Errorf("narrowed: %d memories, %+v", len(p.Clean), p.Clean[0].Hits)
	}
	if all := w.plansReplace(plan.Replacement{Query: versions.Query{Text: "x", Limit: 9, Lines: 7}, With: ""}); len(all.Clean[0].Replaced) != 7 || len(all.Clean[1].Replaced) != 2 || len(all.Clean[2].Replaced) != 0 {
		t.Errorf("more is told than was asked for: %d, %d", len(all.Clean[0].Replaced), len(all.Clean[1].Replaced))
	}
	w.apply(p, nil)
	w.wantFile("1", strings.Repeat("y", 2000))
}

func TestReplace_OfManyMakesWhatANaiveOneMakes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	w := newWorld(t)
	texts := map[string]string{}
	for i := range 40 {
		path := fmt.Sprintf("d%d/m%d", i%3, i)
		texts[path] = matchtest.RandomText(r, 80)
		w.write(alice, path, texts[path])
	}
	for _, c := range [][2]string{{"the", "THAT"}, {"e", ""}, {"k", "kk"}} {
		p := w.replaces(c[0], c[1])
		except := map[versions.MemoryID]planning.Choice{}
		for _, it := range p.Clean {
			n := r.Intn(it.Hits)
			except[it.Memory] = planning.Choice{Kind: planning.SomeHits, Except: []int{n}}
			path := it.Now.Path.Rel()
			text, out := texts[path], ""
			for i := 0; ; i++ {
				spans := matchtest.Spans(c[0], text, false)
				if len(spans) == 0 {
					break
				}
				with := c[1]
				if i == n {
					with = text[spans[0][0]:spans[0][1]]
				}
				out += text[:spans[0][0]] + with
				text = text[spans[0][1]:]
			}
			texts[path] = out + text
		}
		if _, err := plan.Apply(t.Context(), w.store, alice, p, except); err != nil && !errors.Is(err, versions.ErrNothing) {
			t.Fatal(err)
		}
		w.stands(c[0], texts)
	}
}
