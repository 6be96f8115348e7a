package talk

import (
	"fmt"
	"testing"

	"github.com/memend/memend/agent"
)

// A key or a delta costs what it draws and, for each block, a look at the height that it has already.
func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n*2, " blocks"), func(b *testing.B) {
			s := newSim(b, 120, 36)
			s.many(n)
			s.keys("g g")
			for i := 0; b.Loop(); i++ {
				s.v.blocks.scroll(1 - 2*(i/200%2))
				s.v.draw()
			}
		})
	}
}

func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprint(n*2, " blocks before"), func(b *testing.B) {
			s := newSim(b, 120, 36)
			s.many(n)
			s.setState(sent(), began(0, "text"))
			ev := added(0, "text", "some more words ")
			ev.Seq = s.seq
			for b.Loop() {
				s.v.batch([]agent.Event{ev}, nil)
			}
		})
	}
}
