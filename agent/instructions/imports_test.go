package instructions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestImports_AreNotInCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@a.md":                                     "1 a.md",
		"see @README and\n\n- @docs/b.md":           "1 README, 3 docs/b.md",
		"@~/x.md @/abs.md @./y @../z":               "1 ~/x.md, 1 /abs.md, 1 ./y, 1 ../z",
		`@Design\ Docs/api.md x`:                    "1 Design Docs/api.md",
		`@"quoted.md" @'q' @@x @ y @~name @{a}`:     "",
		"a@b.md (@c.md) x,@d.md":                    "",
		"`@a.md` ``x ` @b.md`` @c.md":               "1 c.md",
		"an odd ` and @a.md\n\nanother ` @b.md":     "1 a.md, 3 b.md",
		"a span `over\n@a.md` lines":                "",
		"```\n@a.md\n```\n@b.md":                    "4 b.md",
		"~~~~ text\n@a.md\n~~~\n@b.md\n~~~~\n@c.md": "6 c.md",
		"- ```sh\n  @a.md\n  ```\n- @b.md":          "4 b.md",
		"> ```\n> @a.md\n> ```\n> @b.md":            "4 b.md",
		"```\n@a.md without an end":                 "",
		"```not a fence``` @a.md":                   "1 a.md",
		"<!-- @a.md\n@b.md -->\n@c.md":              "3 c.md",
		"":                                          "",
	} {
		var got []string
		for _, r := range Imports([]byte(text)) {
			got = append(got, fmt.Sprintf("%d %s", r.Line, r.Path))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMeant_LeavesPeopleAndPackagesAlone(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"a.md": true, "./x": true, "~/y": true, "docs/x.txt": true, "somebody": false, "jane.doe": false, "src/x.go": true, "package.json": true, "scope/package": false, "me,": false, "x.": false, "a.md.": true, "docs/x.txt),": true, "types/node@1.2-beta": false} {
		if got := (Reference{Path: path}).Meant(); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestGlob_MatchesAbsolutePaths(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"/a/b/CLAUDE.md": true, "**/CLAUDE.md": true, "/a/**": true, "/a/*/CLAUDE.md": true, "/a/{b,c}/*.md": true, "/a/[bc]/*": true, "/a/[!b]/*": false,
		"/a/*.md": false, "CLAUDE.md": false, "/a/b/CLAUDE?md": true, "/a/(b": false, "/a/[b": false, `/a/b/CLAUDE\.md`: true, "{": false,
	} {
		p := glob(pattern)
		if got := p != nil && p.MatchString("/a/b/CLAUDE.md"); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
}

func FuzzImports(f *testing.F) {
	for _, s := range []string{"@a.md `@b` ```\n@c\n```", "<!-- @x\n--> @y", "> ~~~\n@z\\ \n~~~", "---\npaths: [a, b]\n---\n@x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		skip := code([]byte(s))
		if !slices.IsSortedFunc(skip, func(a, b span) int { return a.start - b.start }) {
			t.Fatalf("%q: %v", s, skip)
		}
		at := 0
		for _, r := range Imports([]byte(s)) {
			if r.Start < at || r.End <= r.Start || r.End > len(s) || s[r.Start] != '@' || r.Line != 1+strings.Count(s[:r.Start], "\n") {
				t.Fatalf("%q: %+v", s, r)
			}
			at = r.End
		}
		frontOf([]byte(s))
		glob(s)
	})
}
