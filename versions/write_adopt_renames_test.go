package versions

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Two short texts, or two empty ones, are equal by chance.
func TestAdopt_TakesNoShortFileForARenameOfAnother(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a text that nobody writes twice\n", 2)
	for _, c := range []struct {
		name, text string
		moved      bool // by rename, not made anew
		same       bool // it is the same memory
	}{
		{"an empty file", "", false, false},
		{"an empty file that was moved", "", true, true},
		{"a short one", "todo\n", false, false},
		{"a short one that was moved", "todo\n", true, true},
		{"a long one", long, false, true},
		{"a long one that was moved", long, true, true},
	} {
		w := newWorld(t)
		w.outside("old.md", c.text)
		w.sync()
		id := w.entry("old.md").Memory
		if c.moved {
			must(w, os.Rename(w.host("old.md"), w.host("new.md")))
		} else {
			must(w, os.Remove(w.host("old.md")))
			w.outside("new.md", c.text) // its inode may be that of the old one
			later := time.Now().Add(time.Second)
			must(w, os.Chtimes(w.host("new.md"), later, later))
		}
		w.sync()
		if got := w.entry("new.md").Memory; (got == id) != c.same {
			t.Errorf("%s: the same memory %v, want %v", c.name, got == id, c.same)
		}
	}
}
