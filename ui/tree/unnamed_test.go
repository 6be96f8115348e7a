package tree

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/versions"
)

// A file whose name no path can hold is listed under its escaped name, and no action uses the
// path of its folder.
func TestUnnamed_IsListedAndLeftAlone(t *testing.T) {
	f := sample()
	f.entries = append(f.entries, []versions.Entry{
		{Kind: versions.Unreadable, Path: memfs.Root, Note: `"tab\there.md": a name that no memory can have`},
		{Kind: versions.Unreadable, Path: memfs.Root, Note: `"new\nline.md": a name that no memory can have`},
		{Kind: versions.Unreadable, Path: at("people"), Note: `"evil\x1b[31m.md": a name that no memory can have`},
	}...)
	s := newSim(t, f)
	s.SetSize(80, 30)
	for _, flat := range []bool{false, true} {
		if flat {
			s.keys("`")
			shows(t, s, `people/"evil\x1b[31m.md"`)
		}
		shows(t, s, `"tab\there.md"`, `"new\nline.md"`, `evil\x1b[31m.md"`, "name")
		for i, n := range s.rows {
			if _, unnamed := n.unnamed(); !unnamed {
				continue
			}
			s.move(i - s.at.Cur)
			for _, e := range s.Entries() {
				for _, id := range []string{"tree.delete", "tree.rename", "tree.move", "tree.restore-at", "tree.export", "copy.path", "tree.choose"} {
					if e.ID == id && e.Why == "" {
						t.Errorf("%s acts on %s", id, n.name())
					}
				}
			}
			if _, r := s.Press([]string{"space"}, 0); r != keys.Done || s.Chosen.count() > 0 {
				t.Errorf("%s is chosen: %v", n.name(), s.Chosen.paths)
			}
			if about := s.Describe(s.Under()); len(about) == 0 || about[0] != n.name() {
				t.Errorf("about %s it says %q", n.name(), about)
			}
		}
	}
}

func shows(t *testing.T, s *sim, want ...string) {
	t.Helper()
	v := ansi.Strip(s.View())
	for _, w := range want {
		if !strings.Contains(v, w) {
			t.Fatalf("it does not show %q:\n%s", w, v)
		}
	}
}
