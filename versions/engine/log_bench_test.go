package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/journal"
)

// The log's part of a write, in one run: writes with it and without it take turns. The medians are compared.
//
//	go test ./versions/engine -run '^$' -bench WriteWithTheLog
func BenchmarkWriteWithTheLog(b *testing.B) {
	with, without := benchStore(b), benchStoreWith(b, versions.Options{Unlogged: true})
	stores, took := []*core.Store{with, without}, [2][]float64{}
	for i := 0; b.Loop(); i++ {
		for j := range stores {
			j = (i + j) % len(stores)
			began := time.Now()
			if _, err := stores[j].Write(context.Background(), robot, mustPath(fmt.Sprintf("d/%d", i%20)), savedContent(i), versions.Pre{}); err != nil {
				b.Fatal(err)
			}
			took[j] = append(took[j], float64(time.Since(began).Nanoseconds()))
		}
	}
	var median [2]float64
	for j := range took {
		slices.Sort(took[j])
		median[j] = took[j][len(took[j])/2]
	}
	b.ReportMetric(median[0], "ns/with")
	b.ReportMetric(median[1], "ns/without")
	b.ReportMetric(100*(median[0]/median[1]-1), "%more")
}

// Verifying the log of a big trail, writing it where there was none, and the tables anew from it. Run it with
// -benchtime 1x, and -big.versions for more.
func BenchmarkBigLog(b *testing.B) {
	s := bigTrail(b, *bigVersions)
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if err := core.View(b.Context(), s.Trail, func(q tables.Reader) error {
				problems, err := journal.Verify(q)
				if len(problems) > 0 {
					b.Error(problems)
				}
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	in := func(b *testing.B, do func(x *db.Tx) error) {
		for b.Loop() {
			x, err := s.Trail.DB.Begin(b.Context(), true)
			if err == nil {
				x.Unwatched()
				err = do(x)
			}
			if err != nil {
				b.Fatal(err)
			}
			x.Rollback()
		}
	}
	b.Run("write", func(b *testing.B) {
		in(b, func(x *db.Tx) error {
			x.Exec(`DELETE FROM log`)
			return journal.Begin(x, 0, func(int, int) {})
		})
	})
	b.Run("replay", func(b *testing.B) {
		in(b, func(x *db.Tx) error {
			b.StopTimer()
			defer b.StartTimer()
			for _, text := range []string{`PRAGMA defer_foreign_keys=ON`, `DELETE FROM version`, `DELETE FROM change`} {
				x.Exec(text)
			}
			b.StartTimer()
			_, err := journal.Replay(x, func(int, int) {})
			b.StopTimer()
			return err
		})
	})
}
