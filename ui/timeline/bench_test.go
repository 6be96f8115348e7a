package timeline

import (
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

func BenchmarkMarks_AMillionChanges(b *testing.B) {
	page := make([]versions.Change, 5000)
	for b.Loop() {
		var m marks
		for top := int64(1_000_000); top > 0; top -= int64(len(page)) {
			for i := range page {
				page[i] = versions.Change{Number: top - int64(i), Time: time.UnixMicro(top), Versions: 1, Session: "s"}
			}
			m.add(page)
		}
		if len(m.all) != 1_000_000 {
			b.Fatal(len(m.all))
		}
	}
}
