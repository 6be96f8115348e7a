package references

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project makes a project, with a store in the folder memory of it.
func project(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range append(files, "memory/MEMORY.md", "memory/team/refunds.md") {
		name, text, _ := strings.Cut(f, "|")
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checked(t *testing.T, dir, source string) (out []string) {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "notes", "toolrc"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Open(t.Context(), dir, home)
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "memory")
	if dir == "" {
		root = t.TempDir()
	}
	for _, b := range p.Check([]byte(source), filepath.Join(root, "team"), root) {
		out = append(out, fmt.Sprintf("%d %s %s: %s", b.Line, b.Kind, b.Text, b.Why))
	}
	return out
}

var files = []string{
	"src/api/handler.go", "cmd/tool/main.go", "scripts/build.sh", "docs/setup.md", "web/package.json|{\"scripts\":{\"lint\":\"x\"}}", "package.json|{\"scripts\":{\"test\":\"x\"}}",
	"Makefile|all: build\n\nbuild test:\n\tgo build ./...\nX := 1\n.PHONY: all\n", "justfile|default:\n  echo\n\ndeploy env='x':\n  echo {{env}}\n",
	"node_modules/left/gone.js", ".gitignore|/dist/\n*.log\n",
}

func TestCheck_FindsWhatIsGone(t *testing.T) {
	t.Parallel()
	dir := project(t, files...)
	for source, want := range map[string]string{
		"see `src/api/router.go`":                         "1 path src/api/router.go: the project has no such file",
		"# A\n\nsee `src/api/router.go:12-14`":            "3 path src/api/router.go:12-14: the project has no such file",
		"`./scripts/gone.sh` and `tools/setup.py`":        "1 path ./scripts/gone.sh: the project has no such file; 1 path tools/setup.py: the project has no such file",
		"the folder `src/removed/`":                       "1 path src/removed/: the project has no such file",
		"`~/notes/gone`":                                  "1 path ~/notes/gone: there is no such file",
		"`/memories/team/gone.md`":                        "1 path /memories/team/gone.md: there is no such memory",
		"[setup](../../docs/gone.md#first)":               "1 link ../../docs/gone.md#first: there is no such file",
		"see @gone.md and\n@../docs/gone.md, not `@x.md`": "1 import @gone.md: there is no such file; 2 import @../docs/gone.md: there is no such file",
		"@~/notes/gone.md":                                "1 import @~/notes/gone.md: there is no such file",
		"text\n[a](gone.md) ![b](pic%20ture.png)":         "2 link gone.md: there is no such file; 2 link pic%20ture.png: there is no such file",
		"run `make release`":                              "1 command make release: the Makefile has no target release",
		"```sh\n$ make build && make gone\nls\n```":       "2 command make gone: the Makefile has no target gone",
		"```\nnpm run test\nCI=1 npm run e2e -- -x\n```":  "3 command CI=1 npm run e2e -- -x: no package.json has a script e2e",
		"    just ship\n    just deploy prod":             "1 command just ship: the justfile has no recipe ship",
		"`python tools/gone.py --all`":                    "1 command python tools/gone.py --all: the project has no such file: tools/gone.py",
		"`go run ./cmd/gone`":                             "1 command go run ./cmd/gone: the project has no such file: ./cmd/gone",
		"`./scripts/gone.sh --fast`":                      "1 command ./scripts/gone.sh --fast: the project has no such file: ./scripts/gone.sh",
	} {
		if got := strings.Join(checked(t, dir, source), "; "); got != want {
			t.Errorf("%q: %s\nwant %s", source, got, want)
		}
	}
}

func TestCheck_LeavesAloneWhatExistsOrIsNoReference(t *testing.T) {
	t.Parallel()
	dir := project(t, files...)
	for _, source := range []string{
		"`src/api/handler.go` `handler.go:3` `api/handler.go` `src/api` `./scripts/build.sh` `~/notes/toolrc` `~/.npmrc` `~/.config/x/y.toml` `/memories/team/refunds.md`",
		"`/etc` `/v1/memory_stores` `origin/main` `application/json` `and/or` `a/b/c` `os.Open` `user.name` `1.2.3` `.env` `//host/share.txt`",
		"`src/**/*.go` `src/<name>.go` `$HOME/x.sh` `{a,b}/x.go` `cmd/...` `feature/x.y` `report.json` `.test.js` `dist/all.js` `src/dist/all.js`",
		"[a](refunds.md) [b](/team/refunds.md) [c](team/refunds.md) [d](docs/setup.md) [e](https://example.com/gone.md) [f](#part) [g](mailto:a@b.c) [h](//host/x) [i](/memories/MEMORY.md)",
		"`make` `make build` `make -j4 all` `make X=1 test` `make sure that` but make sure",
		"```sh\nnpm run lint\nnpm test\nyarn add left\njust default\nbash scripts/build.sh\ngo run ./cmd/tool\ncp a.go b.go\n# ./gone.sh\nnode -e 1\n./scripts/build.sh | tee out.txt\n```",
		"```go\nmake(gone)\n./gone.sh\n```",
		"@refunds.md @../../docs/setup.md. @docs/setup.md @~/notes/toolrc @somebody @jane.doe @scope/package a@gone.md",
		"prose about src/api/router.go is not looked at",
		"\x00\xff`\xff/x.go`",
	} {
		got := checked(t, dir, source)
		got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "make sure that") }) // text has no grammar
		if len(got) > 0 {
			t.Errorf("%q: %q", source, got)
		}
	}
}

func TestCheck_WithoutAProjectOnlyLooksAtTheStoreAndTheMachine(t *testing.T) {
	t.Parallel()
	got := checked(t, "", "`src/gone.go` `make gone` `./gone.sh` `~/notes/gone` [a](gone.md)")
	if want := []string{"1 path ~/notes/gone: there is no such file", "1 link gone.md: there is no such file"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestOpen_SaysThatTheProjectIsGone(t *testing.T) {
	t.Parallel()
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "gone"), ""); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// A Makefile that includes others, or has rules for patterns, may define any target.
func TestCheck_DoesNotGuessAtTargetsFromElsewhere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"include other.mk\nall:\n", "%.o: %.c\n", "$(X): y\n", "-include x\n"} {
		if got := checked(t, project(t, "Makefile|"+text), "`make gone`"); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("see `src/api/router.go` [a](b%zz) ```sh\nmake x\n```")
	f.Add("[a]()![](x)\n\n\t./x\n`` ` ``")
	p := &Project{dir: f.TempDir(), home: f.TempDir(), whole: true, targets: map[string]bool{}, recipes: map[string]bool{}, scripts: map[string]bool{}}
	f.Fuzz(func(t *testing.T, source string) {
		lines := 1 + strings.Count(source, "\n")
		for _, b := range p.Check([]byte(source), p.dir, p.dir) {
			if b.Line < 1 || b.Line > lines || b.Text == "" || b.Why == "" {
				t.Errorf("%+v in %q", b, source)
			}
		}
	})
}
