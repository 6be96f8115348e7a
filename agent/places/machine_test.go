package places

import (
	"crypto/sha256"
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
	"github.com/memend/memend/versions/engine"
)

// machine is a made-up home with tools in it.
type machine struct {
	t     *testing.T
	home  string
	roots Roots
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t, home, Roots{Home: home, Claude: filepath.Join(home, ".claude"), Code: []string{filepath.Join(home, "Code", "User")}}}
}

// path is a path below home, with slashes.
func (m *machine) path(rel string) string { return filepath.Join(m.home, filepath.FromSlash(rel)) }

func (m *machine) write(rel, text string) string {
	m.t.Helper()
	file := m.path(rel)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
	return file
}

// worked makes a project that Claude Code worked in, and gives its folder there.
func (m *machine) worked(rel string) string {
	m.t.Helper()
	dir := m.path(rel)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		m.t.Fatal(err)
	}
	folder := ".claude/projects/" + outside.Slug(dir)
	m.write(folder+"/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa.jsonl",
		`{"type":"mode","mode":"default"}`+"\n"+fmt.Sprintf(`{"parentUuid":null,"cwd":%q,"sessionId":"S","type":"user","message":{"role":"user","content":"hi"}}`, dir)+"\n")
	return folder
}

// autoMemory is what Claude Code keeps of a project, as it writes it.
func (m *machine) autoMemory(folder string) {
	m.write(folder+"/MEMORY.md", "- [Prefers tabs](prefers-tabs.md) — indent with tabs\n- [Release](release.md) — how it is done\n")
	m.write(folder+"/prefers-tabs.md", "---\nname: prefers-tabs\ndescription: indent with tabs\nmetadata:\n  type: user\n---\n\nTabs.\n\n**Why:** they said so. See [[release]].\n")
	m.write(folder+"/release.md", "---\nname: release\ndescription: how it is done\nmetadata:\n  type: project\n---\n\nTag it.\n")
	m.write(folder+"/team/on-call.md", "---\nname: on-call\nmetadata:\n  type: reference\n---\n\nAsk lee.\n")
}

// full is a machine with everything that is known.
func full(t *testing.T) *machine {
	m := newMachine(t)
	m.autoMemory(m.worked("src/app") + "/memory")
	m.worked("src/quiet")
	m.write(".claude/agent-memory/reviewer/MEMORY.md", "- be kind\n")
	m.write("src/app/.claude/agent-memory/tester/MEMORY.md", "- flaky tests\n")
	m.write("src/app/.claude/agent-memory-local/tester/MEMORY.md", "- my laptop\n")
	m.write("src/quiet/.serena/memories/overview.md", "what it is\n")
	m.write("src/quiet/.serena/memories/.hidden.md", "not a memory\n")
	m.write("src/opened/memory-bank/progress.md", "works\n")
	m.write("Code/User/globalStorage/github.copilot-chat/memory-tool/memories/prefs.md", "short answers\n")
	m.write("Code/User/workspaceStorage/abc/workspace.json", `{"folder":"file://`+filepath.ToSlash(m.path("src/opened"))+`"}`)
	m.write("Code/User/workspaceStorage/abc/GitHub.copilot-chat/memory-tool/memories/repo/build.md", "make\n")
	return m
}

func (m *machine) discover(stores ...versions.StoreInfo) Found {
	m.t.Helper()
	f, err := Discover(m.t.Context(), m.roots, stores)
	if err != nil {
		m.t.Fatal(err)
	}
	return f
}

// brief are places in few words: kind, folder below home, project below home, memories.
func (m *machine) brief(places []Place) []string {
	var out []string
	for _, p := range places {
		about := strings.TrimPrefix(p.Project, m.home+string(filepath.Separator))
		if p.Shared {
			about = "*"
		}
		out = append(out, fmt.Sprintf("%s %s [%s] %d", string(p.Kind), strings.TrimPrefix(filepath.ToSlash(p.Folder), filepath.ToSlash(m.home)+"/"), filepath.ToSlash(about), p.Memories))
	}
	return out
}

func (m *machine) want(f Found, want ...string) {
	m.t.Helper()
	if got := m.brief(f.Places); !slices.Equal(got, want) {
		m.t.Errorf("found\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// state is everything below a folder: names, modes, times and contents.
func state(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, p, info.Mode(), info.ModTime().Format(time.RFC3339Nano), info.Size())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum.Write(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func openTrail(t *testing.T) *engine.Trail {
	t.Helper()
	trail, err := engine.Open(t.Context(), filepath.Join(t.TempDir(), "home"), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	return trail
}
