package versions

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions/chain"
)

// The chain's part of a write, in one run: writes with it and without it take turns. The medians are compared.
//
//	go test ./versions -run '^$' -bench WriteWithTheChain
func BenchmarkWriteWithTheChain(b *testing.B) {
	with, without := benchStore(b), benchStore(b)
	without.t.extend = func(x *txn) error {
		if err := x.Exec(`UPDATE change SET versions=1 WHERE id=?`, x.made[0].id); err != nil {
			return err
		}
		return x.Exec(`UPDATE store SET changes=? WHERE id=?`, x.number, x.s.id)
	}
	stores, took := []*Store{with, without}, [2][]float64{}
	for i := 0; b.Loop(); i++ {
		for j := range stores {
			j = (i + j) % len(stores)
			began := time.Now()
			if _, err := stores[j].Write(context.Background(), robot, mustPath(fmt.Sprintf("d/%d", i%20)), savedContent(i), Pre{}); err != nil {
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

// Verifying the chains of a big trail, and computing them where there were none. Run it with
// -benchtime 1x, and -big.versions for more.
func BenchmarkBigChain(b *testing.B) {
	s := bigTrail(b, *bigVersions)
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if err := s.t.view(b.Context(), func(q reader) error {
				r, err := chain.Verify(q, s.id, nil)
				if len(r.Problems) > 0 {
					b.Error(r.Problems)
				}
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compute", func(b *testing.B) {
		for b.Loop() {
			x, err := s.t.beginWrite(b.Context(), true)
			if err != nil {
				b.Fatal(err)
			}
			defer x.Rollback()
			if err := chain.Begin(x, 0); err != nil {
				b.Fatal(err)
			}
			if err := x.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
