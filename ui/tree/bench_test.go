package tree

import (
	"fmt"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

// crowd returns n memories in a thousand folders.
func crowd(n int) *fakeStore {
	f := &fakeStore{entries: make([]versions.Entry, n), reviewed: versions.ReviewState{}}
	for i := range f.entries {
		area, topic := i*40/n, i*1000/n%25
		p := at(fmt.Sprintf("area%02d/topic%02d/note-%06d.md", area, topic, i))
		f.entries[i] = versions.Entry{Kind: versions.Memory, Path: p, Memory: versions.MemoryID(fmt.Sprintf("mem_%d", i)), Change: int64(i + 1),
			Actor: claude, Time: clock.Add(-time.Duration(i) * time.Minute), Size: int64(i % 9000)}
	}
	return f
}

func perSize(b *testing.B, do func(b *testing.B, n int)) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { do(b, n) })
	}
}

func BenchmarkCursor(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		t := newSim(b, crowd(n))
		t.foldAll(true)
		for b.Loop() {
			t.move(1)
			if t.at.Cur == len(t.rows)-1 {
				t.move(-len(t.rows))
			}
			_ = t.View()
		}
	})
}

func BenchmarkFold(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		t := newSim(b, crowd(n))
		t.foldAll(true)
		for b.Loop() {
			t.enter(0)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		f := crowd(n)
		from := &source{entries: f.entries, reviewed: &f.reviewed}
		for b.Loop() {
			a := Request{}
			a.arrange(from)
		}
	})
}

func BenchmarkSortFlatByAge(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		f := crowd(n)
		from := &source{entries: f.entries, reviewed: &f.reviewed}
		for b.Loop() {
			a := Request{order: order{by: byAge, flat: true}}
			a.arrange(from)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		t := newSim(b, crowd(n))
		for b.Loop() {
			a := t.Ask()
			a.filter = parseFilter("topic1 99 is:changed", time.Time{})
			a.arrange(t.data.from)
		}
	})
}

// BenchmarkTakeFiltered measures what Update itself does with the result of a filter.
func BenchmarkTakeFiltered(b *testing.B) {
	perSize(b, func(b *testing.B, n int) {
		t := newSim(b, crowd(n))
		t.filter.filter = parseFilter("note", time.Time{})
		r := &Reading{asked: t.Ask()}
		r.data, r.shown = r.asked.arrange(t.data.from)
		for b.Loop() {
			t.arranged(r)
		}
	})
}
