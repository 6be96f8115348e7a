package outside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestPlace_FindsPathsInShellCommands(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(top, "home", "notes")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	in := Stores{Home: filepath.Join(top, "home"), All: []versions.StoreInfo{{ID: "n", Folder: folder}}}
	for line, want := range map[string]string{
		"printf x > FOLDER/a.md":                              "/a.md",
		"cat /etc/passwd | tee 'FOLDER/new.md' FOLDER/b/c.md": "/new.md /b/c.md",
		"rm -rf FOLDER":                                       "/",
		"sed -i s/a/b/ FOLDER/b/*.md":                         "/b",
		"sed -i s/a/b/ FOLDER/*.md":                           "/",
		"echo x>~/notes/a.md; echo x>$HOME/notes/b.md":        "/a.md /b.md",
		"cp x ${HOME}/notes/{a,b}.md":                         "/",
		"cd FOLDER && mv a.md z.md":                           "/a.md /z.md",
		"cd home && sort -o notes/a.md notes/a.md":            "/a.md",
		"ls -la":                     "",
		"make test":                  "",
		"echo FOLDERS/a.md ../notes": "",
		"rm FOLDER/.git/config":      "",
		"rm -f FOLDER/a.md FOLDER/b.md; cat FOLDER/c.md": "/a.md deleted /b.md deleted",
		"cd FOLDER && rm -r b/c.md && unlink a.md":       "/b/c.md deleted /a.md deleted",
		"rm FOLDER/a.md && echo x > FOLDER/a.md":         "/a.md",
		"echo x > FOLDER/a.md; rm FOLDER/a.md":           "/a.md",
		"rm FOLDER/*.md":                                 "/",
		"cd FOLDER && make":                              "",
	} {
		c := Call{Agent: "x", Session: "S", Op: versions.CallRan, Shell: strings.ReplaceAll(line, "FOLDER", folder), Directory: top}
		var got []string
		for _, p := range in.Place(c) {
			got = append(got, p.Evidence.Path.String())
			if p.Evidence.Op == versions.CallDeleted {
				got = append(got, "deleted")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %v, want %s", line, got, want)
		}
	}
	broken := Call{Agent: "x", Session: "S", Op: versions.CallRan, Shell: "rm " + folder + "/a.md", Directory: top, ShellFailed: true}
	if got := in.Place(broken); len(got) != 1 || got[0].Evidence.Op != versions.CallRan {
		t.Errorf("a command that failed deleted something: %+v", got)
	}
}
