package outside

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"a/notes", "a/deep/inner", "ab", "elsewhere"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(top, "elsewhere", "x.md"), "x")
	link := func(to, at string) {
		if err := os.Symlink(filepath.Join(top, to), filepath.Join(top, at)); err != nil {
			t.Fatal(err)
		}
	}
	link("a", "link")
	link("elsewhere", "a/out")
	link("nowhere", "a/broken")
	in := Stores{Memory: "m", All: []versions.StoreInfo{{ID: "a", Folder: filepath.Join(top, "a")}, {ID: "inner", Folder: filepath.Join(top, "a/deep/inner")}, {ID: "m", Folder: filepath.Join(top, "m")}}}
	for path, want := range map[string]string{
		"/a/x.md":                     "a /x.md",
		"/a/notes/new/x.md":           "a /notes/new/x.md",
		"/a/deep/inner/x.md":          "inner /x.md",
		"/ab/x.md":                    "",
		"/a":                          "",
		"/":                           "",
		"/a/../a/x.md":                "a /x.md",
		"/a/../ab/x.md":               "",
		"/a/../../../../etc/passwd":   "",
		"/link/x.md":                  "a /x.md",
		"/link/notes/../x.md":         "a /x.md",
		"/a/out/x.md":                 "",
		"/a/broken/x.md":              "a /broken/x.md", // a link that leads nowhere: what it says, and the engine judges
		"/a/.git/config":              "",
		"/a/notes/.hidden.md":         "",
		"/a/x\x00.md":                 "",
		"memory:/memories/x.md":       "m /x.md",
		"memory:/memories":            "",
		"memory:/memories/../etc":     "",
		"memory:/etc/passwd":          "",
		"memory:/memories/.hidden.md": "",
	} {
		c := Call{Agent: "x", Session: "S", Op: versions.CallWrote, Path: filepath.Join(top, "a") + "/.." + path}
		if len(path) > 7 && path[:7] == "memory:" {
			c.Path, c.Memory = path[7:], true
		}
		got := ""
		for _, p := range in.Place(c) {
			got = string(p.Store) + " " + p.Evidence.Path.String()
		}
		if got != want {
			t.Errorf("%q is at %q, want %q", path, got, want)
		}
	}
	for _, c := range []Call{{Agent: "x", Session: "S", Path: "a/x.md"}, {Agent: "x", Path: filepath.Join(top, "a/x.md")}, {Session: "S", Path: filepath.Join(top, "a/x.md")},
		{Agent: "x", Session: "S", Op: versions.CallMoved, Path: filepath.Join(top, "a/x.md"), From: filepath.Join(top, "a/deep/inner/x.md")}} {
		for _, p := range in.Place(c) {
			t.Errorf("%+v is at %+v", c, p)
		}
	}
}
