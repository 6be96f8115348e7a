package versions

import (
	"fmt"
	"testing"
)

// BenchmarkHistory reads each of 2,000 changes, and the history of each of 200 memories.
func BenchmarkHistory(b *testing.B) {
	s := benchStore(b)
	for i := range 2000 {
		if _, err := s.Write(b.Context(), robot, mustPath(fmt.Sprintf("d/%d", i%200)), fmt.Appendf(nil, "one\ntwo\n%d\n", i), Pre{}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("2000 changes", func(b *testing.B) {
		for b.Loop() {
			for n := range int64(2000) {
				if _, _, err := s.Change(b.Context(), n+1); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("200 histories", func(b *testing.B) {
		for b.Loop() {
			for i := range 200 {
				id, err := s.MemoryAt(b.Context(), mustPath(fmt.Sprintf("d/%d", i)))
				if err == nil {
					_, err = s.History(b.Context(), id, 0, 50)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
