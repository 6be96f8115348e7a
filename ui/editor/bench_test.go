package editor

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

func benchmarkKey(b *testing.B, content []byte, names ...string) {
	e := New(screentest.Env(b.Context()), content, versions.Hash{}, nil)
	e.SetSize(120, 40)
	e.GoTo(len(e.text.lines) / 2)
	var msgs []tea.Msg
	for _, n := range names {
		msgs = append(msgs, keyMsg(n))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		e.Update(msgs[i%len(msgs)])
		_ = e.View()
		i++
	}
}

func lines(n int) []byte {
	var b []byte
	r := rand.New(rand.NewSource(1))
	for i := range n {
		b = fmt.Appendf(b, "%d %s\n", i, strings.Repeat("word ", r.Intn(18)))
	}
	return b
}

func BenchmarkKey(b *testing.B) {
	for _, n := range []int{100, 2_000, 160_000} {
		content := lines(n)
		b.Run(fmt.Sprintf("type_in_%d_lines", n), func(b *testing.B) {
			benchmarkKey(b, content, "a", "b", "space", "enter", "backspace")
		})
		b.Run(fmt.Sprintf("move_in_%d_lines", n), func(b *testing.B) { benchmarkKey(b, content, "down", "right", "pgdown", "pgup", "up") })
	}
	b.Run("type_in_a_1MB_line", func(b *testing.B) {
		benchmarkKey(b, bytes.Repeat([]byte("0123456789 "), 100_000), "end", "a", "b", "left")
	})
}

func BenchmarkNew_8MB(b *testing.B) {
	content := lines(160_000)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		New(screentest.Env(b.Context()), content, versions.Hash{}, nil)
	}
}
