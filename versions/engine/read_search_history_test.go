package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
)

func (w *world) past(q versions.Query) (out []versions.HistoryHit) {
	w.t.Helper()
	if err := vhistory.SearchHistory(w.t.Context(), w.store, q, func(h versions.HistoryHit) bool { out = append(out, h); return true }); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// toldRuns writes hits in short.
func toldRuns(hits []versions.HistoryHit) (out []string) {
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %d-%d %v", h.Last.Memory, h.First.Number, h.Last.Number, h.Stands))
	}
	return out
}

// naiveRuns goes through all versions of all memories.
func naiveRuns(t *testing.T, s *core.Store, memories []versions.MemoryID, query string) []string {
	t.Helper()
	type run struct {
		told   string
		change int64
	}
	var runs []run
	for _, m := range memories {
		vs, err := vhistory.Of(t.Context(), s, m, 0, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		answers := make([]bool, len(vs)+1)
		for i, v := range vs {
			if v.Operation == versions.Deleted || !v.Redacted.IsZero() {
				continue
			}
			text, err := vhistory.Content(t.Context(), s, v.ID)
			if err != nil {
				t.Fatal(err)
			}
			_, answers[i] = naiveSearch(map[string]string{"": string(text)}, query)[""]
		}
		for i, v := range vs {
			if !answers[i] || i > 0 && answers[i-1] {
				continue
			}
			first := i
			for answers[first+1] {
				first++
			}
			runs = append(runs, run{fmt.Sprintf("%s %d-%d %v", m, vs[first].Number, v.Number, i == 0), v.Change})
		}
	}
	slices.SortFunc(runs, func(a, b run) int { return int(b.change - a.change) })
	var out []string
	for _, r := range runs {
		out = append(out, r.told)
	}
	return out
}

func TestSearchHistory_FindsTheRunsThatANaiveSearchFinds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(testSeed(t)))
	words := []string{"one ", "two ", "Three ", "four\n", "日本 "}
	for range max(1, 4 / *caseEach) {
		w := newWorld(t)
		var memories []versions.MemoryID
		texts := map[string][]string{}
		for i := range 5 {
			p := fmt.Sprint("m", i)
			w.write(alice, p, "start\n")
			memories = append(memories, w.entry(p).Memory)
		}
		for range 100 {
			i := r.Intn(5)
			vs, err := vhistory.Of(t.Context(), w.store, memories[i], 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			p := vs[0].Path.Rel()
			switch {
			case vs[0].Operation == versions.Deleted:
				c := vs[0].Change
				_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(c))
			case r.Intn(12) == 0:
				_, err = w.store.Delete(t.Context(), alice, mustPath(p))
			case r.Intn(8) == 0:
				_, err = w.store.Rename(t.Context(), alice, mustPath(p), mustPath(fmt.Sprint("r", r.Int31())))
			default:
				word := words[r.Intn(len(words))]
				if ws := texts[p]; len(ws) > 0 && r.Intn(2) == 0 {
					texts[p] = ws[1:]
				} else {
					texts[p] = append(slices.Clone(ws), word)
				}
				w.write(robot, p, fmt.Sprintln(texts[p]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range memories {
			w.exec(`DROP TABLE IF EXISTS kept`)
			w.redactSome(r, m)
			for _, query := range []string{"one", "three", "Three", "one two", "日本 four", "start", "nowhere"} {
				got, want := toldRuns(w.past(versions.Query{Text: query})), naiveRuns(t, w.store, memories, query)
				if !slices.Equal(got, want) {
					t.Fatalf("%q in the past:\ngot  %q\nwant %q", query, got, want)
				}
			}
			w.unredact()
		}
	}
}

func TestSearchHistory_SaysWhenATextStoodAndWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "plain\n")
	w.write(robot, "a", "plain\nthe secret\n")
	w.write(robot, "a", "plain\nthe secret\nand more\n")
	w.write(alice, "a", "plain\n")
	w.write(alice, "d/b", "a secret\n")
	hs := w.past(versions.Query{Text: "secret"})
	if len(hs) != 2 || !hs[0].Stands || hs[1].Stands {
		t.Fatalf("hits %+v", hs)
	}
	h := hs[1]
	if h.First.Number != 2 || h.Last.Number != 3 || h.First.Actor != robot.Actor || h.Last.Path != mustPath("a") || h.Count != 1 ||
		len(h.Lines) != 1 || h.Lines[0].Number != 2 || h.Lines[0].Text != "the secret" || !slices.Equal(h.Lines[0].Spans, []match.Span{{Start: 4, End: 10}}) {
		t.Errorf("hit %+v", h)
	}
	if hs := w.past(versions.Query{Text: "secret", In: mustPath("d")}); len(hs) != 1 || hs[0].Last.Path != mustPath("d/b") {
		t.Errorf("in a folder: %+v", hs)
	}
	if hs := w.past(versions.Query{Text: "secret", Limit: 1}); len(hs) != 1 {
		t.Errorf("%d hits, limited to 1", len(hs))
	}
	n := 0
	if err := vhistory.SearchHistory(t.Context(), w.store, versions.Query{Text: "secret"}, func(versions.HistoryHit) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d hits after no, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := vhistory.SearchHistory(ctx, w.store, versions.Query{Text: "secret"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSearchHistory_HoldsNoSnapshotWhileItsCallerIsBusy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "needle\n")
	err := vhistory.SearchHistory(t.Context(), w.store, versions.Query{Text: "needle"}, func(versions.HistoryHit) bool {
		var busy, log, moved int
		if err := w.trail.DB.W.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil || busy != 0 {
			t.Errorf("the log can't be emptied: busy %d, %v", busy, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSearchHistory_NeverHandsOutDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "needle needle needle needle needle needle needle needle needle\n")
	w.write(alice, "b", "one needle\n")
	w.exec(`CREATE TABLE kept AS SELECT id,data FROM blob`)
	w.exec(`UPDATE blob SET data=CAST(substr(data,1,length(data)-6)||x'ff'||substr(data,length(data)-4) AS BLOB) WHERE id=1`)
	found := ""
	err := vhistory.SearchHistory(t.Context(), w.store, versions.Query{Text: "needle"}, func(h versions.HistoryHit) bool { found += h.Last.Path.String(); return true })
	if !errors.Is(err, versions.ErrDamaged) || found != "/b" {
		t.Errorf("a damaged content: found %q, %v", found, err)
	}
	w.exec(`UPDATE blob SET data=(SELECT data FROM kept WHERE id=blob.id)`)
	w.exec(`DROP TABLE kept`)
}

// benchPast writes versions of 2 KB into the trail alone.
func benchPast(b *testing.B, s *core.Store, total int) {
	b.Helper()
	x, err := core.Begin(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Rollback()
	fail := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	r := rand.New(rand.NewSource(1))
	c, err := x.NewChange(alice, core.Request{Kind: versions.KindEdit})
	fail(err)
	for n := 0; n < total; {
		m := x.NewMemory()
		text := benchProse(r, 2048)
		for k := range 20 {
			text = append(text[:len(text):len(text)], fmt.Sprintf("edit %d of %d\n", k, n)...)
			v := core.VersionRow{Memory: m, Op: versions.Modified, Path: mustPath(fmt.Sprint("m", n)), Blob: 0}
			v.Blob, err = blobs.Put(x.Tx, text, versions.Sum(text))
			fail(err)
			fail(x.AddVersion(c, &v))
			n++
		}
	}
	fail(x.Commit())
}

func BenchmarkSearchHistory_20000Versions(b *testing.B) {
	s := benchStore(b)
	benchPast(b, s, 20_000)
	for _, q := range []string{"refund77", "REFUND17", "nowhere"} {
		b.Run(q, func(b *testing.B) {
			hits := 0
			for b.Loop() {
				hits = 0
				if err := vhistory.SearchHistory(b.Context(), s, versions.Query{Text: q, Lines: 3}, func(versions.HistoryHit) bool { hits++; return true }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1e6/20_000, "us/version")
		})
	}
}
