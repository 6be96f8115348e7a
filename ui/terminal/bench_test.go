package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// BenchmarkFrame draws frames of two panes in which all rows have changed.
func BenchmarkFrame(b *testing.B) {
	var frames [2]tea.View
	for i := range frames {
		rows := []string{"── tree " + strings.Repeat("─", 31) + "┬" + strings.Repeat("─", 80)}
		for y := range 39 {
			rows = append(rows, fmt.Sprintf("  \x1b[1m%-30s\x1b[m  %4d │ %-78s", fmt.Sprintf("note-%04d.md", i*7+y), i+y, strings.Repeat(fmt.Sprint("word", i+y, " "), 8)))
		}
		frames[i] = tea.NewView(strings.Join(rows, "\n"))
	}
	s := newScreen()
	var dst []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		dst = s.frame(dst[:0], target{view: frames[i%2], w: 120, h: 40, profile: colorprofile.TrueColor})
	}
}
