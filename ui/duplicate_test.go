package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
)

func TestDuplicate_WritesACopyUnderAFreeName(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("C")
	s.shows("duplicate as: /people/dana-copy.md")
	s.keys("enter")
	s.deliver()
	s.shows("duplicated /people/dana.md as /people/dana-copy.md", "u undoes")
	if got := content(s, "people/dana-copy.md"); got != content(s, "people/dana.md") || got == "" {
		t.Errorf("the copy holds %q", got)
	}
	s.on("people/dana.md").keys("C")
	s.shows("duplicate as: /people/dana-copy-2.md")
	s.keys("ctrl+u")
	s.typed("/people/lee.md")
	was := content(s, "people/lee.md")
	s.keys("enter")
	s.shows("already exists")
	if got := content(s, "people/lee.md"); got != was {
		t.Errorf("what stood there holds %q", got)
	}
	s.on("people/dana.md").keys("C ctrl+u")
	s.typed("/people/")
	s.keys("enter")
	s.shows("a name is missing")
}

func TestDuplicate_IsDisabledInReadOnlyMode(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.ReadOnly = true })
	s.on("people/dana.md").keys("C")
	s.shows("read-only")
}

func TestTree_MarksUnsavedMemories(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Drafts = newDrafts(t) })
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	marked := func(want bool) {
		t.Helper()
		for _, row := range strings.Split(s.screen(), "\n") {
			if i := strings.Index(row, "dana.md"); i >= 0 && strings.HasPrefix(strings.TrimLeft(row, " ▌›●✓"), "dana.md") {
				if name, _, _ := strings.Cut(row, "│"); strings.Contains(name, " *") != want {
					t.Errorf("marked is %t: %q", !want, row)
				}
				return
			}
		}
		t.Fatalf("no row of dana.md:\n%s", s.screen())
	}
	marked(false)
	s.typed("mine ")
	marked(true) // before the draft is stored
	s.keys("ctrl+s")
	marked(false)
	s.typed("again ")
	s.keys("esc l") // closed, and kept for later
	marked(true)
	s.send(screen.Edit{Path: at("people/dana.md")})
	s.keys("d") // the draft is discarded
	marked(false)
}
