package places

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/versions"
)

func slug(m *machine, rel string) string { return outside.Slug(m.path(rel)) }

func TestDiscover_FindsTheMemoriesOfEachTool(t *testing.T) {
	m := full(t)
	newest := time.Date(2099, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(m.path(".claude/projects/"+slug(m, "src/app")+"/memory/team/on-call.md"), newest, newest); err != nil {
		t.Fatal(err)
	}
	f := m.discover()
	m.want(f,
		"claude-agent .claude/agent-memory/reviewer [*] 1",
		"copilot Code/User/globalStorage/github.copilot-chat/memory-tool/memories [*] 1",
		"claude-auto .claude/projects/"+slug(m, "src/app")+"/memory [src/app] 4",
		"claude-agent src/app/.claude/agent-memory/tester [src/app] 1",
		"claude-agent src/app/.claude/agent-memory-local/tester [src/app] 1",
		"memory-bank src/opened/memory-bank [src/opened] 1",
		"copilot Code/User/workspaceStorage/abc/GitHub.copilot-chat/memory-tool/memories [src/opened] 1",
		"serena src/quiet/.serena/memories [src/quiet] 1",
	)
	if len(f.Problems) > 0 || f.Cut {
		t.Errorf("%v, %v", f.Problems, f.Cut)
	}
	var names, texts []string
	for _, p := range f.Places {
		names, texts = append(names, p.Name()), append(texts, strings.ReplaceAll(p.Description(), m.home, "~"))
		if p.Bytes == 0 || p.Newest.IsZero() || p.More || !p.CanBeAdded() {
			t.Errorf("%+v", p)
		}
	}
	if auto := f.Places[2]; !auto.Newest.Equal(newest) {
		t.Errorf("newest at %v", auto.Newest)
	}
	wantNames := []string{"claude-reviewer", "copilot", "app-claude", "app-claude-tester", "app-claude-tester-local", "opened-memory-bank", "opened-copilot", "quiet-serena"}
	if !slices.Equal(names, wantNames) {
		t.Errorf("%q", names)
	}
	wantTexts := []string{"memory of Claude Code's agent reviewer for every project", "memory of Copilot in VS Code for every project",
		"auto memory of Claude Code for ~/src/app", "memory of Claude Code's agent tester for ~/src/app", "memory of Claude Code's agent tester for ~/src/app, of this machine only",
		"memory bank for ~/src/opened", "memory of Copilot in VS Code for ~/src/opened", "memories of Serena for ~/src/quiet"}
	if !slices.Equal(texts, wantTexts) {
		t.Errorf("%q", texts)
	}
}

func TestDiscover_FindsNothingOnANewMachine(t *testing.T) {
	m := newMachine(t)
	if f := m.discover(); len(f.Places) > 0 || len(f.Problems) > 0 || f.Cut {
		t.Errorf("%+v", f)
	}
	if f, err := Discover(t.Context(), Roots{}, nil); err != nil || len(f.Places) > 0 || len(f.Problems) > 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestDiscover_SearchesAroundTheWorkingDirectory(t *testing.T) {
	m := newMachine(t)
	m.write("src/app/.git/HEAD", "x")
	m.write("src/app/memory-bank/a.md", "a")
	m.write("src/app/web/.serena/memories/b.md", "b")
	m.write("src/memory-bank/outside.md", "of the folder of all repositories")
	m.roots.Here = m.path("src/app/web/deep")
	m.write("src/app/web/deep/x", "")
	m.want(m.discover(), "memory-bank src/app/memory-bank [src/app] 1", "serena src/app/web/.serena/memories [src/app/web] 1")

	// Outside of a repository, up to the home.
	if err := os.RemoveAll(m.path("src/app/.git")); err != nil {
		t.Fatal(err)
	}
	m.write("memory-bank/of-home.md", "")
	m.want(m.discover(), "memory-bank src/memory-bank [src] 1", "memory-bank src/app/memory-bank [src/app] 1", "serena src/app/web/.serena/memories [src/app/web] 1")
}

func TestDiscover_SearchesNamedDirectories(t *testing.T) {
	m := newMachine(t)
	m.write("src/one/memory-bank/a.md", "a")
	m.write("src/two/.serena/memories/b.md", "b")
	m.write("src/two/deep/memory-bank/c.md", "c")
	m.write("src/.three/memory-bank/d.md", "d")
	m.roots.Dirs = []string{m.path("src")}
	m.want(m.discover(), "memory-bank src/one/memory-bank [src/one] 1", "serena src/two/.serena/memories [src/two] 1")
	m.roots.Dirs = []string{m.path("src/two/.serena/memories")} // the folder itself
	m.want(m.discover(), "serena src/two/.serena/memories [src/two] 1")
	m.roots.Dirs = []string{m.path("nowhere")}
	if f := m.discover(); len(f.Places) > 0 || len(f.Problems) > 0 {
		t.Errorf("%+v", f)
	}
}

func TestDiscover_RespectsSettingsOfTheUser(t *testing.T) {
	m := newMachine(t)
	m.worked("src/app")
	m.worked("src/web")
	m.write("notes/MEMORY.md", "- all\n")
	m.write("policy.json", `{"autoMemoryDirectory":"`+filepath.ToSlash(m.path("corporate"))+`"}`)
	m.write("corporate/MEMORY.md", "- work\n")
	m.roots.Policy = []string{m.path("policy.json"), m.path("none.json")}
	m.write("own/MEMORY.md", "- app\n")
	m.write("both/MEMORY.md", "- both\n")
	m.write("trap/id_rsa", "secret")
	m.write(".claude/settings.json", `{"autoMemoryEnabled":false,"autoMemoryDirectory":"~/notes","hooks":{}}`)
	m.write("src/app/.claude/settings.local.json", `{"autoMemoryDirectory":"~/own"}`)
	m.write("src/app/.claude/settings.json", `{"autoMemoryDirectory":"~/trap"}`) // from whoever wrote the repository
	f := m.discover()
	m.want(f, "claude-auto corporate [*] 1", "claude-auto notes [*] 1", "claude-auto own [src/app] 1")
	if names := []string{f.Places[0].Name(), f.Places[2].Name()}; !slices.Equal(names, []string{"claude", "app-claude"}) {
		t.Errorf("%q", names)
	}

	// One folder for two projects is of none of them; a relative one is no folder.
	t.Chdir(m.home)
	m.write(".claude/settings.json", `{"autoMemoryDirectory":"notes"}`)
	m.roots.Policy = nil
	for _, project := range []string{"src/app", "src/web"} {
		m.write(project+"/.claude/settings.local.json", `{"autoMemoryDirectory":"~/both"}`)
	}
	m.want(m.discover(), "claude-auto both [*] 1")
}

func TestDiscover_ReportsBrokenSettingsAndContinues(t *testing.T) {
	m := full(t)
	for _, text := range []string{`{"autoMemoryDirectory":`, `[]`, `{"autoMemoryDirectory":7}`, "\x00\xff"} {
		m.write(".claude/settings.json", text)
		f := m.discover()
		if len(f.Problems) != 1 || !strings.HasPrefix(f.Problems[0].Error(), m.path(".claude/settings.json")+": ") || len(f.Places) != 8 {
			t.Errorf("%q: %d places, %v", text, len(f.Places), f.Problems)
		}
	}
	m.write(".claude/settings.json", "{}"+strings.Repeat(" ", settingsMax))
	if f := m.discover(); len(f.Problems) != 1 || len(f.Places) != 8 {
		t.Errorf("%d places, %v", len(f.Places), f.Problems)
	}
	for _, text := range []string{`{`, `{"folder":"vscode-remote://ssh-remote%2Bx/src"}`, `{"folder":"file:///%zz"}`, `{"folder":"file://host` + filepath.ToSlash(m.path("src/opened")) + `"}`, `{"workspace":"file:///nowhere/x.code-workspace"}`, ``} {
		m.write("Code/User/workspaceStorage/abc/workspace.json", text)
		m.write(".claude/settings.json", "{}")
		if f := m.discover(); len(f.Problems) != 0 || len(f.Places) != 7 {
			t.Errorf("%q: %d places, %v", text, len(f.Places), f.Problems)
		}
	}
}

func TestDiscover_TellsOfWhatCannotBeReadAndGoesOn(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	m := full(t)
	for _, rel := range []string{"src/quiet/.serena", "src/app/.claude/agent-memory", ".claude/agent-memory/reviewer"} {
		if err := os.Chmod(m.path(rel), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(m.path(rel), 0o755) })
	}
	f := m.discover()
	if len(f.Problems) != 3 || len(f.Places) != 6 {
		t.Errorf("%d places, %v", len(f.Places), f.Problems)
	}
	for _, err := range f.Problems {
		if !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	}
}

func TestDiscover_FollowsLinksToFoldersButNoLoops(t *testing.T) {
	m := newMachine(t)
	folder := m.worked("src/app")
	m.write("dotfiles/memory/MEMORY.md", "- x\n")
	for name, target := range map[string]string{
		folder + "/memory":                    m.path("dotfiles/memory"),
		"src/app/.serena/memories":            "memories", // itself
		"src/app/memory-bank":                 m.path("dotfiles/memory"),
		"src/app/.claude/agent-memory/up":     "../../..",
		"src/app/.claude/agent-memory/nobody": "nowhere",
		"dotfiles/memory/back":                "..",
	} {
		if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, m.path(name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	f := m.discover()
	m.want(f, "claude-auto dotfiles/memory [src/app] 1", "claude-agent src [src/app] 0")
	if len(f.Problems) > 0 {
		t.Error(f.Problems)
	}
}

func TestDiscover_RecognisesStores(t *testing.T) {
	m := full(t)
	f := m.discover(
		versions.StoreInfo{ID: "memstore_1", Name: "mine", Folder: m.path("src/quiet/.serena/memories")},
		versions.StoreInfo{ID: "memstore_2", Name: "all", Folder: m.path("src")},
		versions.StoreInfo{ID: "memstore_3", Name: "opened", Folder: m.path("src/opened")},
		versions.StoreInfo{ID: "memstore_4", Name: "below", Folder: m.path("Code/User/globalStorage/github.copilot-chat/memory-tool/memories/x")},
	)
	var got []string
	for _, p := range f.Places {
		got = append(got, fmt.Sprint(p.Store.Name, "/", p.Within.Name, "/", p.IsStore(), p.CanBeAdded()))
	}
	want := []string{"//false true", "//false true", "//false true", "//false true", "//false true", "/opened/false false", "//false true", "mine//true false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestDiscover_DoesNotWalkHugeTrees(t *testing.T) {
	m := newMachine(t)
	m.worked("src/app")
	for i := range 60 {
		m.write(fmt.Sprintf("src/app/d%d/e/f/memory-bank/x.md", i), "") // what a walk would meet
		m.write(fmt.Sprintf("src/app/memory-bank/d%d/x.md", i), "")
	}
	f := newFinder(t.Context(), m.roots)
	f.room = 50
	if err := f.find(nil); err != nil || len(f.places) != 1 || !f.places[0].More || f.places[0].Memories > 50 || f.cut {
		t.Errorf("%q, %v, cut %v", m.brief(f.places), err, f.cut)
	}
	if found := budget - f.left; found > 100 {
		t.Errorf("%d looks for one project", found)
	}

	// Once the budget is used up, nothing more is looked at, and that is said.
	m.roots.Dirs = []string{m.path("src/app")}
	for left := range 120 {
		f := newFinder(t.Context(), m.roots)
		f.left = left
		if err := f.find(nil); err != nil || !f.cut || f.left < 0 {
			t.Fatalf("with %d: %v, cut %v, %d left", left, err, f.cut, f.left)
		}
	}
}

func TestDiscover_StopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Discover(ctx, full(t).roots, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDiscover_ChangesNothing(t *testing.T) {
	m := full(t)
	m.roots.Here, m.roots.Dirs = m.path("src/app"), []string{m.path("src")}
	before := state(t, m.home)
	m.discover()
	if state(t, m.home) != before {
		t.Error("something is different")
	}
}

func TestCodeFolders_DependOnTheSystem(t *testing.T) {
	none := func(string) string { return "" }
	for system, want := range map[string]string{
		"linux":  filepath.FromSlash("/h/.config/Code/User"),
		"darwin": filepath.FromSlash("/h/Library/Application Support/Code/User"),
	} {
		if got := codeFolders(system, filepath.FromSlash("/h"), none); got[0] != want || !slices.Contains(got, filepath.FromSlash("/h/.vscode-server/data/User")) {
			t.Errorf("%s: %q", system, got)
		}
	}
	env := map[string]string{"APPDATA": "/roaming", "XDG_CONFIG_HOME": filepath.FromSlash("/xdg"), "VSCODE_PORTABLE": "/portable"}
	getenv := func(k string) string { return env[k] }
	got := append(codeFolders("windows", "", getenv), codeFolders("linux", "", getenv)...)
	for _, want := range []string{"/roaming/Code/User", "/xdg/Code/User", "/portable/user-data/User"} {
		if !slices.Contains(got, filepath.FromSlash(want)) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
	if got := codeFolders("linux", "", none); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
