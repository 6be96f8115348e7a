package outside

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestSlug_ReplacesEachUnitByADash(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/w/app":                 "-w-app",
		"/home/u/my.proj_1":      "-home-u-my-proj-1",
		"/w/ü/☃":                 "-w----",
		"/w/🙂":                   "-w---", // two units
		`C:\Users\u\app`:         "C--Users-u-app",
		"":                       "",
		"/w/.hidden/a-b c":       "-w--hidden-a-b-c",
		"/w/\xff":                "-w--",
		strings.Repeat("a", 200): strings.Repeat("a", 200),
		strings.Repeat("a", 250): strings.Repeat("a", 200),
	} {
		if got := Slug(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestHasSlug_ComparesLongNamesByPrefix(t *testing.T) {
	t.Parallel()
	long := "/w/" + strings.Repeat("long-name_ü/", 22) + "app"
	for _, c := range []struct {
		name, path string
		want       bool
	}{
		{"-w-app", "/w/app", true},
		{"-w-app", "/w-app", true}, // what a slug can't tell apart
		{"-w-app", "/w/app/x", false},
		{"-w-app-x", "/w/app", false},
		{Slug(long) + "-1x2y3z", long, true},
		{Slug(long) + "-other", long, true},
		{Slug(long), long, false},
		{Slug(long) + "x1x2y3z", long, false},
		{Slug(long) + "-1x2y3z", long[:150], false},
		{strings.Repeat("a", 200), strings.Repeat("a", 200), true},
		{strings.Repeat("a", 200), strings.Repeat("a", 201), false},
		{strings.Repeat("a", 200) + "-h", strings.Repeat("a", 200), false},
	} {
		if got := HasSlug(c.name, c.path); got != c.want {
			t.Errorf("%q of %q: %v", c.name, c.path, got)
		}
	}
}

// What holds of every slug: it is of plain characters, of the length of the path in
// units, cut at 200, and one slug more changes nothing.
func FuzzSlug(f *testing.F) {
	for _, s := range []string{"/w/app", "/w/ü☃🙂", "\xff\xfe", strings.Repeat("é/", 300), `C:\x`} {
		f.Add(s, "sub")
	}
	f.Fuzz(func(t *testing.T, path, below string) {
		slug := Slug(path)
		units := len(utf16.Encode([]rune(path)))
		if len(slug) != min(units, 200) || strings.ContainsFunc(slug, func(r rune) bool {
			return r != '-' && !(r < 128 && alphanumeric(uint16(r)))
		}) {
			t.Fatalf("%q: %q", path, slug)
		}
		if Slug(slug) != slug {
			t.Fatalf("%q: again: %q", slug, Slug(slug))
		}
		name := slug
		if units > 200 {
			name += "-hash"
		}
		if !HasSlug(name, path) {
			t.Fatalf("%q is not the name of %q", name, path)
		}
		if strings.HasPrefix(path, "/") && filepath.Clean(path) == path {
			k := known{}
			k.add(filepath.Join(path, filepath.Base(filepath.Clean("/"+below))))
			if got := k.of(name); !HasSlug(name, got) {
				t.Fatalf("below %q: %q", path, got)
			}
		}
	})
}
