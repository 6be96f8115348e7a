package engine_test

import (
	"fmt"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

// BenchmarkHistory reads each of 2,000 changes, and the history of each of 200 memories.
func BenchmarkHistory(b *testing.B) {
	s := benchStore(b)
	for i := range 2000 {
		if _, err := s.Write(b.Context(), robot, mustPath(fmt.Sprintf("d/%d", i%200)), fmt.Appendf(nil, "one\ntwo\n%d\n", i), versions.Pre{}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("2000 changes", func(b *testing.B) {
		for b.Loop() {
			for n := range int64(2000) {
				if _, _, err := vhistory.Change(b.Context(), s, n+1); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("200 histories", func(b *testing.B) {
		for b.Loop() {
			for i := range 200 {
				id, err := vhistory.MemoryAt(b.Context(), s, mustPath(fmt.Sprintf("d/%d", i)))
				if err == nil {
					_, err = vhistory.Of(b.Context(), s, id, 0, 50)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
