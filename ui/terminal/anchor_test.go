package terminal

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/memend/memend/ui/text"
)

// What follows a cluster is where the frame says, no matter how many columns the terminal
// counts for the cluster, and nothing wraps at the right edge.
func TestFrame_PlacesTextAfterClustersOfUncertainWidth(t *testing.T) {
	t.Parallel()
	const w = 24
	for _, cluster := range []string{"👨‍👩‍👧‍👦", "🇩🇪", "❤️", "1️⃣", "👍🏽", "🏳️‍🌈", "हि", "กำ", "⚠️", "🫩"} {
		_, cols := text.Cluster(cluster)
		for counted := range 2*utf8.RuneCountInString(cluster) + 1 {
			for _, before := range []int{0, 3, w - cols - 1} {
				s, e := newScreen(), emulator(w, 3)
				row := strings.Repeat("x", before) + cluster + strings.Repeat("y", w-before-cols-1) + "|"
				sent := s.frame(nil, target{w: w, h: 3, profile: colorprofile.TrueColor, view: tea.NewView("above\n" + row + "\nbelow")})
				_, _ = e.Write(bytes.ReplaceAll(sent, []byte(cluster), bytes.Repeat([]byte("#"), counted)))
				for x := range w {
					want := "y"
					switch {
					case x == w-1:
						want = "|"
					case x < before:
						want = "x"
					case x < before+cols:
						continue // the cluster
					}
					if got := e.CellAt(x, 1); got == nil || got.Content != want {
						t.Fatalf("%q at %d, counted as %d columns: column %d is %+v and not %q", cluster, before, counted, x, got, want)
					}
				}
				for y, want := range map[int]string{0: "a", 2: "b"} {
					if got := e.CellAt(0, y); got.Content != want {
						t.Errorf("%q at %d, counted as %d columns: row %d begins with %q", cluster, before, counted, y, got.Content)
					}
				}
			}
		}
	}
}

func TestAnchor_LeavesCertainCharactersAlone(t *testing.T) {
	t.Parallel()
	for _, row := range []string{"plain", "naïve — ✓", "記憶 한글", "Привет"} {
		s := newScreen()
		s.frame(nil, target{w: 30, h: 2, view: tea.NewView("\n")})
		if got := string(s.frame(nil, target{w: 30, h: 2, view: tea.NewView(row + "\n")})); strings.Count(got, "G") > 1 {
			t.Errorf("%q is drawn with %q", row, got)
		}
	}
}
