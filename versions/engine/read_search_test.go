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
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/match/testdata/matchtest"
)

// hits is what a search gives.
func (w *world) hits(q versions.Query) (out []versions.Hit) {
	w.t.Helper()
	if _, err := vhistory.Search(w.t.Context(), w.store, q, func(h versions.Hit) bool { out = append(out, h); return true }); err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) found(query string) (paths []string) {
	w.t.Helper()
	for _, h := range w.hits(versions.Query{Text: query}) {
		paths = append(paths, h.Path.Rel())
	}
	return paths
}

func (w *world) wantFound(query string, want ...string) {
	w.t.Helper()
	if got := w.found(query); !slices.Equal(got, want) {
		w.t.Errorf("search %q finds %q, want %q", query, got, want)
	}
}

// naiveSearch says which texts answer a query, and in which lines.
func naiveSearch(texts map[string]string, query string) map[string][]int {
	sensitive := strings.ContainsFunc(query, unicode.IsUpper)
	out := map[string][]int{}
	for path, text := range texts {
		lines, all := []int{}, true
		for _, word := range strings.Fields(query) {
			there := len(matchtest.Spans(word, path, sensitive)) > 0
			for i, line := range strings.Split(text, "\n") {
				if len(matchtest.Spans(word, line, sensitive)) > 0 {
					lines, there = append(lines, i+1), true
				}
			}
			all = all && there
		}
		if all {
			slices.Sort(lines)
			out[path] = slices.Compact(lines)
		}
	}
	return out
}

func TestSearch_FindsWhatANaiveSearchFinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	w := newWorld(t)
	texts := map[string]string{}
	for round := range 12 {
		for range 15 { // between searches, by memend and by others
			path := fmt.Sprintf("d%d/the%d.md", r.Intn(4), r.Intn(8))
			texts[path] = matchtest.RandomText(r, 60)
			switch r.Intn(4) {
			case 0:
				w.outside(path, texts[path])
				w.sync()
			case 1:
				w.write(alice, path, texts[path])
				if _, err := w.store.Delete(t.Context(), alice, mustPath(path)); err != nil {
					t.Fatal(err)
				}
				delete(texts, path)
			default:
				w.write(alice, path, texts[path])
			}
		}
		if round%4 == 3 {
			w.close()
			w.open()
		}
		for range 40 {
			query := matchtest.RandomText(r, 6)
			if !utf8.ValidString(query) || strings.TrimSpace(query) == "" {
				continue
			}
			want := naiveSearch(texts, query)
			got := map[string][]int{}
			for _, h := range w.hits(versions.Query{Text: query, Width: 1 << 20}) {
				lines := []int{}
				for _, l := range h.Lines {
					lines = append(lines, l.Number)
					wantPositions(t, texts[h.Path.Rel()], l)
				}
				got[h.Path.Rel()] = lines
				if h.Version != w.entry(h.Path.Rel()).Version {
					t.Errorf("%s: version %s", h.Path, h.Version)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("search %q:\ngot  %v\nwant %v", query, got, want)
			}
		}
	}
}

// wantPositions checks that a line stands where it says it does.
func wantPositions(t *testing.T, text string, l match.Line) {
	t.Helper()
	if text[l.Offset:l.Offset+len(l.Text)] != l.Text {
		t.Errorf("%q does not stand at %d of %q", l.Text, l.Offset, text)
	}
	if n := strings.Count(text[:l.Offset], "\n") + 1; n != l.Number {
		t.Errorf("line %d is told to be %d", n, l.Number)
	}
	end := -1
	for _, sp := range l.Spans {
		if sp.Start <= end || sp.End <= sp.Start || sp.End > len(l.Text) {
			t.Errorf("spans %v of %q", l.Spans, l.Text)
		}
		end = sp.End
	}
	if len(l.Spans) == 0 {
		t.Errorf("nothing found in %q", l.Text)
	}
}

func TestSearch_GivesExactPositionsInTextOfManyBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "日本/große.md", "erste\r\n日本語 GROSSE größe 👍🏽 GRÖẞE größe\r\n")
	l := w.hits(versions.Query{Text: "größe"})[0].Lines[0]
	if l.Text != "日本語 GROSSE größe 👍🏽 GRÖẞE größe" || l.Number != 2 || l.Offset != 7 || l.Before || l.After {
		t.Errorf("line is %+v", l)
	}
	var got []string
	for _, sp := range l.Spans {
		got = append(got, l.Text[sp.Start:sp.End])
	}
	if !slices.Equal(got, []string{"größe", "GRÖẞE", "größe"}) {
		t.Errorf("found %q", got)
	}
	if hs := w.hits(versions.Query{Text: "GROẞE"}); len(hs) != 0 {
		t.Errorf("a query with capitals found %+v", hs)
	}
	hs := w.hits(versions.Query{Text: "große"})
	if len(hs) != 1 || len(hs[0].Lines) != 0 || !slices.Equal(hs[0].Spans, []match.Span{{Start: 7, End: 13}}) {
		t.Errorf("in the path: %+v", hs)
	}
}

func TestSearch_CutsLongLinesAroundWhatWasFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", strings.Repeat("é", 5000)+"needle"+strings.Repeat("日", 5000)+" needle\nshort needle\n")
	ls := w.hits(versions.Query{Text: "needle", Width: 100})[0].Lines
	if len(ls) != 2 || ls[1].Before || ls[1].After || ls[1].Text != "short needle" {
		t.Fatalf("lines %+v", ls)
	}
	l := ls[0]
	if len(l.Text) > 100 || len(l.Text) < 90 || !utf8.ValidString(l.Text) || !l.Before || !l.After || len(l.Spans) != 1 {
		t.Errorf("line %+v", l)
	}
	if got := l.Text[l.Spans[0].Start:l.Spans[0].End]; got != "needle" || l.Offset+l.Spans[0].Start != 10000 {
		t.Errorf("found %q at %d", got, l.Offset+l.Spans[0].Start)
	}
	w.write(alice, "b", strings.Repeat("\xff", 500)+"thing"+strings.Repeat("\x80", 500))
	l = w.hits(versions.Query{Text: "thing", Width: 20})[0].Lines[0]
	if len(l.Text) > 20 || l.Text[l.Spans[0].Start:l.Spans[0].End] != "thing" {
		t.Errorf("line %+v", l)
	}
}

func TestSearch_PutsTheBestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "1", "undeployed")
	w.write(alice, "2", "deployment")
	w.write(alice, "3", "deploy")
	w.write(alice, "4", strings.Repeat("deploy ", 20))
	w.write(alice, "deploy/5", "nothing")
	w.write(alice, "redeploy.md", "nothing")
	w.write(alice, "deploy.md", "nothing")
	w.wantFound("deploy", "deploy.md", "4", "redeploy.md", "3", "deploy/5", "2", "1")

	w = newWorld(t)
	w.write(alice, "close", "alpha beta")
	w.write(alice, "near", "alpha\n"+strings.Repeat("x", 100)+"\nbeta")
	w.write(alice, "apart", "alpha"+strings.Repeat("\nfiller", 100)+"\nbeta")
	w.write(alice, "one", "alpha")
	w.wantFound("alpha beta", "close", "near", "apart")
	w.wantFound(`"alpha beta"`, "close")

	w = newWorld(t)
	for _, p := range []string{"b", "a", "c"} {
		w.write(alice, p, "same\n")
		time.Sleep(5 * time.Millisecond) // kernels tick at 4 ms
	}
	w.wantFound("same", "c", "a", "b")
}

func TestSearch_KeepsToItsLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 9 {
		w.write(alice, fmt.Sprintf("d%d/f%d", i%2, i), "x one\nx\nx two one\nx two\n")
	}
	n := 0
	found, err := vhistory.Search(t.Context(), w.store, versions.Query{Text: "two one x", Limit: 4, Lines: 2}, func(h versions.Hit) bool {
		if n++; len(h.Lines) != 2 || h.Lines[0].Number != 1 || h.Lines[1].Number != 3 || h.Count != 8 {
			t.Errorf("hit %+v", h)
		}
		return n < 3
	})
	if err != nil || n != 3 || found.Memories != 9 {
		t.Errorf("%d of %d hits, %v", n, found.Memories, err)
	}
	if hs := w.hits(versions.Query{Text: "x", In: mustPath("d1")}); len(hs) != 4 {
		t.Errorf("%d hits in a folder of 4", len(hs))
	}
	if hs := w.hits(versions.Query{Text: "x", In: mustPath("d1/f1")}); len(hs) != 1 {
		t.Errorf("%d hits in one memory", len(hs))
	}
	if _, err := vhistory.Search(t.Context(), w.store, versions.Query{Text: "x", In: mustPath("none")}, nil); !errors.Is(err, memfs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := vhistory.Search(ctx, w.store, versions.Query{Text: "x"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSearch_FindsWhatOtherProgramsWroteUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "first\n")
	w.outside("a", "second\n")
	w.outside("new/b", "second too\n")
	if got := w.found("second"); len(got) != 2 {
		t.Errorf("found %q", got)
	}
	if e := w.entry("a"); e.Actor.Kind != versions.Outside {
		t.Errorf("what was found is by %s", e.Actor)
	}
	w.outside("a", "third\n") // the texts are in memory now
	w.sync()
	w.wantFound("third", "a")
	w.wantFound("second", "new/b")
}

func TestSearch_SeesHiddenMemoriesAndNotHiddenFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, ".secret/a", "needle\n")
	w.outside(".git/b", "needle\n")
	w.outside("node_modules/c", "needle\n")
	w.wantFound("needle", ".secret/a")
	w.wantFound("needle", ".secret/a")
}

func TestSearch_ForgetsAChangeThatWasTakenBack(t *testing.T) {
	t.Parallel()
	searching := func() {}
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step != "replace" {
			return nil
		}
		searching()
		return errors.New("the disk refuses")
	}})
	w.outside("a", "old\n")
	w.sync()
	w.wantFound("old", "a")
	searching = func() { w.found("new") }
	if _, err := w.store.Write(t.Context(), alice, mustPath("a"), []byte("new\n"), versions.Pre{}); err == nil {
		t.Fatal("the write did not fail")
	}
	w.wantFound("old", "a") // first: what is found is held against its head, what isn't found is not
	w.wantFound("new")
}

func TestSearch_ReadsWhatItHasNoRoomFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.Texts.Limit = 3000
	var want []string
	for i := range 40 {
		p := fmt.Sprintf("m%02d", i)
		w.write(alice, p, strings.Repeat("padding ", 20)+"needle"+p+"\n")
		want = append(want, p)
	}
	w.write(alice, ".hidden", strings.Repeat("padding ", 20)+"needle\n")
	want = append(want, ".hidden")
	slices.Sort(want)
	for i := range 3 {
		var got []string
		for _, h := range w.hits(versions.Query{Text: "needle"}) {
			got = append(got, h.Path.Rel())
			if len(h.Lines) != 1 || len(h.Lines[0].Spans) != 1 {
				t.Errorf("hit %+v", h)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("found %q", got)
		}
		w.write(alice, want[3+i], "needle again\n")
	}
	w.outside("m07", "needle from outside\n")
	w.wantFound("outside", "m07")
}

func TestSearch_SaysWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	w := newWorld(t)
	w.write(alice, "a", "needle\n")
	host := filepath.Join(w.folder, "a")
	if err := os.Chmod(host, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(host, 0o644)
	found, err := vhistory.Search(t.Context(), w.store, versions.Query{Text: "needle"}, func(versions.Hit) bool { return true })
	if err != nil || len(found.Unread) != 1 || !errors.Is(found.Unread[0].Err, memfs.ErrNoPermission) {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestSearch_OfManyAtOnceIsSafe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 100 {
		w.write(alice, fmt.Sprint("m", i), fmt.Sprint("needle ", i))
	}
	done := make(chan error)
	for i := range 6 {
		go func() {
			var errs []error
			for k := range 15 {
				n := 0
				_, err := vhistory.Search(t.Context(), w.store, versions.Query{Text: "needle"}, func(versions.Hit) bool { n++; return true })
				if n != 100 {
					err = errors.Join(err, fmt.Errorf("found %d", n))
				}
				if errs = append(errs, err); i == 0 {
					_, err = w.store.Write(t.Context(), robot, mustPath("m7"), fmt.Appendf(nil, "needle %d", k), versions.Pre{})
					errs = append(errs, err)
				}
			}
			done <- errors.Join(errs...)
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
