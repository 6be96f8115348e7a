package memfs

import (
	"slices"
	"strings"
	"testing"
)

func TestOccupied_AFileBlocksItsPathThePathsBelowAndTheFoldersAbove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		occupied string
		from, to string
		free     bool
	}{
		{"", "/", "/a", true},
		{"/a", "/", "/a", false},
		{"/a", "/", "/b", true},
		{"/a", "/", "/ab", true},
		{"/ab", "/", "/a", true},
		{"/a", "/", "/a/b", false},
		{"/a", "/", "/a/b/c", false},
		{"/a/b", "/", "/a", false},
		{"/a/b/c", "/", "/a", false},
		{"/a/b", "/", "/a/c", true},
		{"/a/b", "/", "/a/b/c", false},
		{"/A", "/", "/a", true}, // only a disk knows whether it ignores case
		{"/a", "/a", "/a", true},
		{"/a", "/a", "/b", true},
		{"/a", "/a", "/a/b", true},
		{"/a/b", "/a/b", "/a", true},
		{"/a/b /a/c", "/a/b", "/a", false},
		{"/a/b /c", "/a/b", "/c", false},
		{"/a/b /c", "/a/b", "/c/d", false},
		{"/a /b", "/nothing", "/c", true},
		{"/a/b", "/a/nothing", "/a", false},
	} {
		var o Occupied[Path, string]
		for _, p := range strings.Fields(c.occupied) {
			o.Put(pathAt(t, p), &p)
		}
		if got := o.Free(pathAt(t, c.to), pathAt(t, c.from)); got != c.free {
			t.Errorf("with %q occupied, what is at %s may be at %s: %v", c.occupied, c.from, c.to, got)
		}
		if at, blocked := o.Blocker(pathAt(t, c.to), pathAt(t, c.from)); blocked && (o.At(at) == nil || at == pathAt(t, c.from)) {
			t.Errorf("with %q occupied, %s is said to block %s", c.occupied, at, c.to)
		}
	}
}

func TestOccupied_ReportsWhatBlocksAPath(t *testing.T) {
	t.Parallel()
	var o Occupied[Path, string]
	for _, p := range []string{"/a", "/d/x", "/d/e/y", "/d/e/y", "/dd"} {
		o.Put(pathAt(t, p), &p)
	}
	for _, c := range []struct {
		at, self, above string
		below           bool
		in              string
	}{
		{"/a", "/a", "", false, "/a"},
		{"/a/b/c", "", "/a", false, ""},
		{"/d", "", "", true, "/d/e/y /d/x"},
		{"/d/e", "", "", true, "/d/e/y"},
		{"/e", "", "", false, ""},
		{"/", "", "", false, "/a /d/e/y /d/x /dd"},
	} {
		p := pathAt(t, c.at)
		var in []string
		for q, who := range o.In(p) {
			if in = append(in, *who); q.String() != *who {
				t.Errorf("%s is at %s", *who, q)
			}
		}
		slices.Sort(in)
		if text(o.At(p)) != c.self || text(o.Above(p)) != c.above || o.Below(p) != c.below || strings.Join(in, " ") != c.in {
			t.Errorf("%s: at %q, above %q, below %v, in %q", c.at, text(o.At(p)), text(o.Above(p)), o.Below(p), in)
		}
	}
	for _, p := range []string{"/d/e/y", "/d/e/y", "/nothing"} {
		o.Remove(pathAt(t, p))
	}
	if o.Below(pathAt(t, "/d/e")) || !o.Below(pathAt(t, "/d")) || o.At(pathAt(t, "/d/e/y")) != nil {
		t.Error("a path that was emptied still counts")
	}
}

func pathAt(t *testing.T, s string) Path {
	t.Helper()
	p, err := ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
