package guard

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

// A text of 100 KB: recorded memories where $MEMEND_CORPUS has them.
func BenchmarkCheck(b *testing.B) {
	var text []byte
	for _, memory := range memories(b) {
		if text = append(text, memory...); len(text) > 100_000 {
			break
		}
	}
	text = bytes.ToValidUTF8(text[:100_000], nil)
	began := time.Now()
	Check("/memories/a.md", text)
	first := time.Since(began)
	var took []time.Duration
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		began := time.Now()
		Check("/memories/a.md", text)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
	b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
}
