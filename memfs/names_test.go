package memfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func names(t *testing.T, patterns ...string) Names {
	t.Helper()
	n, err := ParseNames(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPatternsThatNamesRefuses(t *testing.T) {
	for pattern, why := range map[string]string{
		"":                             "is empty",
		"/etc/passwd":                  "must be relative",
		"~/.claude/CLAUDE.md":          "must be relative",
		"../CLAUDE.md":                 ErrEscape.Error(),
		"a/../../b":                    ErrEscape.Error(),
		"a/%2e%2e/b":                   ErrEscape.Error(),
		"**":                           "names every file",
		"*":                            "names every file",
		"**/*":                         "names every file",
		"*/?*":                         "names every file",
		".":                            "names the folder of the store itself",
		"rules/":                       "write the folder with /**",
		"a**/b.md":                     "** must stand alone",
		".git/config":                  "version control",
		".GIT/hooks/x":                 "version control",
		"**/.git/config":               "version control",
		".g*/config":                   "version control",
		".*":                           "version control",
		".hg/hgrc":                     "version control",
		".git./config":                 "version control",
		"[ab].md":                      "only *, ? and ** are wildcards",
		`a\b`:                          "only *, ? and ** are wildcards",
		"a\nb":                         ErrControlInPath.Error(),
		"a\xff":                        ErrNotUTF8Path.Error(),
		strings.Repeat("a/", 40) + "x": ErrNameTooLong.Error(),
	} {
		if _, err := ParseNames([]string{"CLAUDE.md", pattern}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", pattern, err, why)
		}
	}
	if _, err := ParseNames(make([]string, maxPatterns+1)); err == nil {
		t.Error("too many patterns are accepted")
	}
}

func TestNamesMatchAndLead(t *testing.T) {
	n := names(t, "CLAUDE.md", "./AGENTS.md", ".claude/rules/**/*.md", "docs/*.md", ".clinerules/**", "pkg/**/AGENTS.md", "?.txt", "CLAUDE.md")
	if got := n.String(); got != "CLAUDE.md, AGENTS.md, .claude/rules/**/*.md, docs/*.md, .clinerules/**, pkg/**/AGENTS.md, ?.txt" {
		t.Error(got)
	}
	for path, want := range map[string]string{
		"CLAUDE.md":                  "file",
		"AGENTS.md":                  "file",
		"README.md":                  "",
		"claude.md":                  "",
		"sub/CLAUDE.md":              "",
		".claude":                    "folder",
		".claude/settings.json":      "",
		".claude/rules":              "folder",
		".claude/rules/a.md":         "both", // a folder may have any name
		".claude/rules/a/b/c.md":     "both",
		".claude/rules/a.txt":        "folder",
		".claude/rules/.a.md":        "",
		".claude/rules/.h/a.md":      "",
		"docs":                       "folder",
		"docs/a.md":                  "file",
		"docs/.a.md":                 "",
		"docs/a/b.md":                "",
		".clinerules":                "folder",
		".clinerules/x":              "both",
		".clinerules/x/y":            "both",
		"pkg/AGENTS.md":              "both",
		"pkg/a/b/AGENTS.md":          "both",
		"pkg/node_modules/AGENTS.md": "",
		"é.txt":                      "file",
		"ab.txt":                     "",
		".clinerules/" + stagingName("0123456789abcdef"): "",
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		got := map[[2]bool]string{{true, false}: "file", {false, true}: "folder", {true, true}: "both"}[[2]bool{n.Match(p), n.Leads(p)}]
		if got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if !n.Leads(Root) || n.Match(Root) {
		t.Error("the folder itself leads to files and is none")
	}
}

func TestNamesMeet(t *testing.T) {
	for _, c := range []struct {
		a, at, b string
		want     bool
	}{
		{"CLAUDE.md", "", "CLAUDE.md", true},
		{"CLAUDE.md", "", "AGENTS.md", false},
		{"*.md", "", "CLAUDE.*", true},
		{"*.md", "", "*.txt", false},
		{"a*.md", "", "*b.md", true},
		{"**/*.md", "", "docs/a.md", true},
		{"**/*.md", "", ".claude/rules/a.md", false},
		{".claude/rules/**", "", ".claude/**/*.md", true},
		{".claude/rules/**", "", ".claude/skills/**", false},
		{"sub/CLAUDE.md", "sub", "CLAUDE.md", true},
		{"sub/CLAUDE.md", "other", "CLAUDE.md", false},
		{"**/CLAUDE.md", "a/b", "CLAUDE.md", true},
		{"*/CLAUDE.md", "a/b", "CLAUDE.md", false},
		{"?.md", "", "ab.md", false},
		{"?.md", "", "é.md", true},
		{"**/x/**/y", "", "x/**/z/y", true},
	} {
		at, err := ParsePath(c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, c.a).Meets(at, names(t, c.b)); got != c.want {
			t.Errorf("%s and %s in %q: %t", c.a, c.b, c.at, got)
		}
	}
}

// project returns a folder with named files and others.
func project(t *testing.T) (folder string, d *Dir) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{
		"CLAUDE.md": "claude", "README.md": "readme", "src/main.go": "package main", "src/CLAUDE.md": "not named",
		".claude/settings.json": "{}", ".claude/rules/a.md": "a", ".claude/rules/sub/b.md": "b", ".claude/rules/c.txt": "c", ".env": "secret",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenNamed(folder, names(t, "CLAUDE.md", "AGENTS.md", ".claude/rules/**/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return folder, d
}

func TestNamedFilesAreAllThatExists(t *testing.T) {
	_, d := project(t)
	var found []string
	err := d.Scan(t.Context(), func(f Found) error {
		found = append(found, f.Path.Rel())
		return f.Err
	})
	slices.Sort(found)
	if got := strings.Join(found, " "); err != nil || got != ".claude/rules/a.md .claude/rules/sub/b.md CLAUDE.md" {
		t.Errorf("scan: %s, %v", got, err)
	}
	texts := make(chan string, 10)
	err = d.ReadAll(t.Context(), Root, 0, func(Path) bool { return true }, func(_ int, x Text) error {
		texts <- string(x.Content)
		return x.Err
	})
	if err != nil || len(texts) != 3 {
		t.Errorf("read all: %d texts, %v", len(texts), err)
	}
	for _, name := range []string{"README.md", "src", "src/CLAUDE.md", ".claude/settings.json", ".claude/rules/c.txt", ".env"} {
		p, err := ParsePath(name)
		if err != nil {
			t.Fatal(err)
		}
		_, lerr := d.Lstat(p)
		_, _, rerr := d.Read(p, 0)
		_, oerr := d.Open(p)
		_, derr := d.ReadDir(p)
		for _, err := range []error{lerr, rerr, oerr, derr} {
			if !errors.Is(err, ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	res, err := func() (Result, error) { _, r, err := Apply(d, View{Path: "/memories"}, Options{}); return r, err }()
	if err != nil || !strings.Contains(res.Text, "/memories/.claude/rules/\n") || strings.Contains(res.Text, "README") || strings.Contains(res.Text, "settings") {
		t.Errorf("%s, %v", res.Text, err)
	}
}

func TestOnlyNamedFilesAreWritten(t *testing.T) {
	folder, d := project(t)
	before := treeOf(t, folder)
	path := func(s string) Path {
		p, err := ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	put := func(name string, how func(*Staged, Path) error) error {
		s, err := d.Stage([]byte("x"), 0, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		return how(s, path(name))
	}
	_, mkdir := d.MkdirAll(path("docs"))
	for what, err := range map[string]error{
		"replace a file":        put("README.md", (*Staged).Replace),
		"create a file":         put("docs.md", (*Staged).Create),
		"remove a file":         d.Remove(path("README.md")),
		"remove a folder":       d.Remove(path(".claude/rules")),
		"rename away":           d.Rename(path("CLAUDE.md"), path("NOTES.md")),
		"rename a file over":    d.Rename(path("README.md"), path("AGENTS.md")),
		"make a folder":         mkdir,
		"rename a whole folder": d.Rename(path(".claude/rules"), path(".claude/rules2")),
	} {
		if !errors.Is(err, ErrUnnamed) && !errors.Is(err, ErrNamedOnly) && !errors.Is(err, ErrNotExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after := treeOf(t, folder); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if err := put("AGENTS.md", (*Staged).Create); err != nil {
		t.Error(err)
	}
	if err := d.Rename(path("AGENTS.md"), path(".claude/rules/agents.md")); err != nil {
		t.Error(err)
	}
	plan, err := PlanDelete(d, path(".claude"))
	if err != nil || len(plan.Ops) != 3 {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := PlanRename(d, path(".claude/rules"), path(".claude/rules/new")); !errors.Is(err, ErrIntoItself) && !errors.Is(err, ErrNamedOnly) {
		t.Error(err)
	}
	if err := put("x.md", (*Staged).Create); err == nil || !strings.Contains(err.Error(), "write /memories/x.md: is not one of the files of this store, which are CLAUDE.md, AGENTS.md, .claude/rules/**/*.md") {
		t.Error(err)
	}
}

// treeOf lists all files of a folder with their texts.
func treeOf(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(name + "\n")
		if e.Type().IsRegular() {
			text, err := os.ReadFile(name)
			b.Write(append(text, '\n'))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A link, or a folder, of a named file's name is no memory, and what a link leads to is not read
// unless it is named itself.
func TestNamedFilesThatAreSomethingElse(t *testing.T) {
	folder, _ := project(t)
	for name, target := range map[string]string{"GEMINI.md": "README.md", "QWEN.md": "CLAUDE.md", "OUT.md": "/etc/passwd", "rules": "src"} {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := OpenNamed(folder, names(t, "AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "OUT.md", "rules/**"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	kinds := map[string]Kind{}
	if err := d.Scan(context.Background(), func(f Found) error { kinds[f.Path.Rel()] = f.Kind; return f.Err }); err != nil {
		t.Fatal(err)
	}
	if len(kinds) != 5 || kinds["CLAUDE.md"] != File || kinds["GEMINI.md"] != Link || kinds["QWEN.md"] != Link || kinds["OUT.md"] != Link || kinds["rules"] != Link {
		t.Errorf("%v", kinds)
	}
	for name, want := range map[string]error{"GEMINI.md": ErrLinkOut, "QWEN.md": nil, "OUT.md": ErrLinkOut, "rules/main.go": ErrLinkOut, "AGENTS.md": ErrIsFolder} {
		p, err := ParsePath(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := d.Open(p)
		if !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", name, err, want)
		}
		if err == nil {
			_ = f.Close()
		}
	}
	if _, err := PlanWrite(d, Path{"AGENTS.md"}, nil); !errors.Is(err, ErrIsFolder) {
		t.Error(err)
	}
}

// A link to a file that the Dir doesn't know is a link that leaves it, never an empty file.
func TestANamedLinkToAnUnnamedFileLeavesTheStore(t *testing.T) {
	folder := t.TempDir()
	for _, err := range []error{os.WriteFile(filepath.Join(folder, "AGENTS.md"), []byte("agents"), 0o600),
		os.Symlink("AGENTS.md", filepath.Join(folder, "CLAUDE.md"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	at, err := ParsePath("/CLAUDE.md")
	if err != nil {
		t.Fatal(err)
	}
	for want, patterns := range map[error][]string{ErrLinkOut: {"CLAUDE.md"}, nil: {"CLAUDE.md", "AGENTS.md"}} {
		d, err := OpenNamed(folder, names(t, patterns...))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Open(at); !errors.Is(err, want) {
			t.Errorf("open with %q: %v", patterns, err)
		}
		if _, err := PlanWrite(d, at, []byte("x")); !errors.Is(err, want) {
			t.Errorf("write with %q: %v", patterns, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
