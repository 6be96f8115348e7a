package versions

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/match"
)

func (w *world) past(q Query) (out []HistoryHit) {
	w.t.Helper()
	if err := w.store.SearchHistory(w.t.Context(), q, func(h HistoryHit) bool { out = append(out, h); return true }); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// toldRuns writes hits in short.
func toldRuns(hits []HistoryHit) (out []string) {
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %d-%d %v", h.Last.Memory, h.First.Number, h.Last.Number, h.Stands))
	}
	return out
}

// naiveRuns goes through all versions of all memories.
func naiveRuns(t *testing.T, s *Store, memories []MemoryID, query string) []string {
	t.Helper()
	type run struct {
		told   string
		change int64
	}
	var runs []run
	for _, m := range memories {
		vs, err := s.History(t.Context(), m, 0, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		answers := make([]bool, len(vs)+1)
		for i, v := range vs {
			if v.Operation == Deleted || !v.Redacted.IsZero() {
				continue
			}
			text, err := s.Content(t.Context(), v.ID)
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
	for range 2 {
		w := newWorld(t)
		var memories []MemoryID
		texts := map[string][]string{}
		for i := range 5 {
			p := fmt.Sprint("m", i)
			w.write(alice, p, "start\n")
			memories = append(memories, w.entry(p).Memory)
		}
		for range 150 {
			i := r.Intn(5)
			vs, err := w.store.History(t.Context(), memories[i], 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			p := vs[0].Path.Rel()
			switch {
			case vs[0].Operation == Deleted:
				c := vs[0].Change
				_, err = w.store.Do(t.Context(), alice, UndoChange(c))
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
				got, want := toldRuns(w.past(Query{Text: query})), naiveRuns(t, w.store, memories, query)
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
	hs := w.past(Query{Text: "secret"})
	if len(hs) != 2 || !hs[0].Stands || hs[1].Stands {
		t.Fatalf("hits %+v", hs)
	}
	h := hs[1]
	if h.First.Number != 2 || h.Last.Number != 3 || h.First.Actor != robot.Actor || h.Last.Path != mustPath("a") || h.Count != 1 ||
		len(h.Lines) != 1 || h.Lines[0].Number != 2 || h.Lines[0].Text != "the secret" || !slices.Equal(h.Lines[0].Spans, []match.Span{{Start: 4, End: 10}}) {
		t.Errorf("hit %+v", h)
	}
	if hs := w.past(Query{Text: "secret", In: mustPath("d")}); len(hs) != 1 || hs[0].Last.Path != mustPath("d/b") {
		t.Errorf("in a folder: %+v", hs)
	}
	if hs := w.past(Query{Text: "secret", Limit: 1}); len(hs) != 1 {
		t.Errorf("%d hits, limited to 1", len(hs))
	}
	n := 0
	if err := w.store.SearchHistory(t.Context(), Query{Text: "secret"}, func(HistoryHit) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d hits after no, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.store.SearchHistory(ctx, Query{Text: "secret"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSearchHistory_HoldsNoSnapshotWhileItsCallerIsBusy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "needle\n")
	err := w.store.SearchHistory(t.Context(), Query{Text: "needle"}, func(HistoryHit) bool {
		var busy, log, moved int
		if err := w.trail.db.W.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil || busy != 0 {
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
	err := w.store.SearchHistory(t.Context(), Query{Text: "needle"}, func(h HistoryHit) bool { found += h.Last.Path.String(); return true })
	if !errors.Is(err, ErrDamaged) || found != "/b" {
		t.Errorf("a damaged content: found %q, %v", found, err)
	}
	w.exec(`UPDATE blob SET data=(SELECT data FROM kept WHERE id=blob.id)`)
	w.exec(`DROP TABLE kept`)
}

// benchPast writes versions of 2 KB into the trail alone.
func benchPast(b *testing.B, s *Store, total int) {
	b.Helper()
	x, err := s.begin(b.Context())
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
	c, err := x.newChange(alice, request{kind: KindEdit})
	fail(err)
	for n := 0; n < total; {
		m, err := x.newMemory()
		fail(err)
		text := benchProse(r, 2048)
		for k := range 20 {
			text = append(text[:len(text):len(text)], fmt.Sprintf("edit %d of %d\n", k, n)...)
			v := versionRow{memory: m, op: Modified, path: mustPath(fmt.Sprint("m", n)), blob: 0}
			v.blob, err = blobs.Put(x.Tx, text, sum(text))
			fail(err)
			fail(x.addVersion(c, &v))
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
				if err := s.SearchHistory(b.Context(), Query{Text: q, Lines: 3}, func(HistoryHit) bool { hits++; return true }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1e6/20_000, "us/version")
		})
	}
}
