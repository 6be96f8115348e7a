package engine_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

var bigVersions = flag.Int("big.versions", 20_000, "versions of the trail that benchmarks of a big one make")

// notes is size bytes of made-up notes. They compress a little better than what
// people write: 2 KB to 0.85 KB, prose to 1 KB.
func notes(r *rand.Rand, size int) []byte {
	var b strings.Builder
	for col := 0; b.Len() < size; {
		word := noteWords[r.IntN(len(noteWords))]
		if r.IntN(12) == 0 {
			word += strconv.Itoa(r.IntN(10_000))
		}
		if col += len(word) + 1; col > 72 {
			word, col = word+"\n", 0
		} else {
			word += " "
		}
		b.WriteString(word)
	}
	return []byte(b.String()[:size])
}

var noteWords = strings.Fields(`the agent should never store a secret in memory and always ask before it deletes notes of
	this user who prefers short answers over long ones in review since release two build number deploy only from main
	after tests pass on both machines remember that customer invoices are due friday check region price then reply with
	ticket link until support closes cache index path version session diff journal folder rename restore point time`)

// bigTrail makes a trail of many lightly edited memories of 2 KB through the
// tables, as fast as they take it.
func bigTrail(b testing.TB, n int) *core.Store {
	b.Helper()
	s := benchStore(b)
	r := rand.New(rand.NewPCG(1, 2))
	memories := make([]struct {
		row  core.VersionRow
		text []byte
	}, max(1, n/10))
	for done := 0; done < n; {
		x, err := core.Begin(b.Context(), s)
		if err != nil {
			b.Fatal(err)
		}
		for range min(10_000, n-done) {
			m := &memories[done%len(memories)]
			by := versions.By{Actor: robot.Actor, Session: versions.SessionID(fmt.Sprintf("sesn_%d", done/200))}
			if err := bigVersion(x, by, done, r, &m.row, &m.text); err != nil {
				b.Fatal(err)
			}
			done++
		}
		if err := x.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

func bigVersion(x *core.Txn, by versions.By, n int, r *rand.Rand, v *core.VersionRow, text *[]byte) (err error) {
	kind := versions.KindEdit
	if *text == nil {
		kind, v.Op, v.Path = versions.KindCreate, versions.Created, mustPath(fmt.Sprintf("d%d/m%d.md", n%100, n))
		*text = notes(r, 2048)
		v.Memory = x.NewMemory()
	} else { // half a line is written anew
		v.Op = versions.Modified
		*text = slices.Clone(*text)
		copy((*text)[r.IntN(len(*text)-60):], notes(r, 40))
	}
	c, err := x.NewChange(by, core.Request{Kind: kind, Path: v.Path})
	if err != nil {
		return err
	}
	h := versions.Sum(*text)
	if v.Blob, err = blobs.Put(x.Tx, *text, h); err != nil {
		return err
	}
	v.Facts = tables.ContentFacts{SHA: h, Size: len(*text)}
	if err := x.AddVersion(c, v); err != nil {
		return err
	}
	x.Finish(c)
	x.MoveHeads(c, []core.VersionRow{*v})
	return x.Err()
}

// At most 1.5 KiB a version of a lightly edited memory of 2 KB.
func TestAVersionTakesLittleSpace(t *testing.T) {
	t.Parallel()
	const count = 1500
	s := bigTrail(t, count)
	if _, err := s.Trail.DB.W.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	empty, err := os.Stat(filepath.Join(newHome(t), "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	full, err := os.Stat(filepath.Join(s.Trail.Folder, "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	each := (full.Size() - empty.Size()) / count
	t.Logf("%d bytes a version, of %d versions", each, count)
	if each > 1500 {
		t.Errorf("%d bytes a version", each)
	}
}

// BenchmarkBigTrail opens a trail of many versions and turns its pages. Run with
// -big.versions=1000000 for the figures of a million.
func BenchmarkBigTrail(b *testing.B) {
	s := bigTrail(b, *bigVersions)
	ctx := context.Background()
	page := func(b *testing.B, before int64) {
		if cs, err := vhistory.Changes(ctx, s, versions.Filter{}, before, 50); err != nil || len(cs) != 50 {
			b.Fatal(len(cs), err)
		}
	}
	b.Run("open to first page", func(b *testing.B) {
		for b.Loop() {
			t, err := vengine.Open(ctx, s.Trail.Folder, versions.Options{})
			if err != nil {
				b.Fatal(err)
			}
			again, err := t.OpenStore(ctx, s.Opened.ID)
			if err != nil {
				b.Fatal(err)
			}
			if cs, err := vhistory.Changes(ctx, again, versions.Filter{}, 0, 50); err != nil || len(cs) != 50 {
				b.Fatal(len(cs), err)
			}
			b.StopTimer()
			_ = again.Close()
			_ = t.Close()
			b.StartTimer()
		}
	})
	b.Run("newest page", func(b *testing.B) {
		for b.Loop() {
			page(b, 0)
		}
	})
	b.Run("page in the middle", func(b *testing.B) {
		for b.Loop() {
			page(b, int64(*bigVersions/2))
		}
	})
	b.Run("a session", func(b *testing.B) {
		for b.Loop() {
			if cs, err := vhistory.Changes(ctx, s, versions.Filter{Session: "sesn_3"}, 0, 200); err != nil || len(cs) != 200 {
				b.Fatal(len(cs), err)
			}
		}
	})
	b.Run("history of a memory", func(b *testing.B) {
		id, err := vhistory.MemoryAt(ctx, s, mustPath("d7/m7.md"))
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if vs, err := vhistory.Of(ctx, s, id, 0, 50); err != nil || len(vs) != 10 {
				b.Fatal(len(vs), err)
			}
		}
	})
	b.Run("tree", func(b *testing.B) {
		for b.Loop() {
			if es, err := vhistory.Tree(ctx, s); err != nil || len(es) != *bigVersions/10 {
				b.Fatal(len(es), err)
			}
		}
	})
}
