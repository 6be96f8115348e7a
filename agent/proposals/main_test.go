package proposals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/versions"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Tests(m).Run()) }

var alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

// machine is a person's home with tools in it, and a store of one tool's folder.
type machine struct {
	t     *testing.T
	home  string
	roots Roots
	store *versions.Store
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, home: home, roots: rootsOf("linux", home, func(string) string { return "" })}
}

func (m *machine) path(rel string) string { return filepath.Join(m.home, filepath.FromSlash(rel)) }

func (m *machine) write(rel, text string) {
	m.t.Helper()
	file := m.path(rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		m.t.Fatal(err)
	}
	m.roots = rootsOf("linux", m.home, func(string) string { return "" })
}

func (m *machine) read(rel string) string {
	m.t.Helper()
	b, err := os.ReadFile(m.path(rel))
	if errors.Is(err, os.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// open makes a store of a folder.
func (m *machine) open(rel string) {
	m.t.Helper()
	if err := os.MkdirAll(m.path(rel), 0o755); err != nil {
		m.t.Fatal(err)
	}
	trail, err := versions.Open(m.t.Context(), m.t.TempDir(), versions.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = trail.Close() })
	info, err := trail.MakeStore(m.t.Context(), alice, versions.NewStore{Name: "s", Folder: m.path(rel)})
	if err != nil {
		m.t.Fatal(err)
	}
	if m.store, err = trail.OpenStore(m.t.Context(), info.ID); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = m.store.Close() })
}

func (m *machine) list() []Waiting {
	m.t.Helper()
	out, err := List(m.t.Context(), m.roots, m.store)
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}

// names lists the proposals of the store; those that can't be accepted end with their reason.
func (m *machine) names() string {
	m.t.Helper()
	var out []string
	for _, w := range m.list() {
		s := w.Name
		if w.Err != nil {
			s += " ! " + strings.ReplaceAll(w.Err.Error(), m.home, "~")
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func (m *machine) want(names ...string) {
	m.t.Helper()
	if got, want := m.names(), strings.Join(names, "\n"); got != want {
		m.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func (m *machine) one() Waiting {
	m.t.Helper()
	all := m.list()
	if len(all) != 1 {
		m.t.Fatalf("%d proposals: %+v", len(all), all)
	}
	return all[0]
}

func (m *machine) accept() versions.Change {
	m.t.Helper()
	c, err := Accept(m.t.Context(), m.store, alice, m.one())
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

const inboxOf = ".gemini/tmp/shop/memory/.inbox/"

// gemini is a project that Gemini CLI knows, with its memories.
func gemini(t *testing.T) *machine {
	m := newMachine(t)
	m.write(".gemini/projects.json", fmt.Sprintf(`{"projects":{%q:"shop"}}`, m.path("src/shop")))
	m.write(".gemini/tmp/shop/.project_root", m.path("src/shop"))
	m.write(".gemini/GEMINI.md", "- Answer briefly.\n")
	m.write(".gemini/tmp/shop/memory/MEMORY.md", "# Project Memory\n\n- Tests: `make test`.\n- Deploys on Fridays.\n")
	m.open(".gemini/tmp/shop/memory")
	return m
}

// patch is a patch of one file as the extraction agent is told to write it.
func (m *machine) patch(rel, hunks string) string {
	at := m.path(rel)
	return "--- " + at + "\n+++ " + at + "\n" + hunks
}

func (m *machine) creates(rel string, lines ...string) string {
	return fmt.Sprintf("--- /dev/null\n+++ %s\n@@ -0,0 +1,%d @@\n+%s\n", m.path(rel), len(lines), strings.Join(lines, "\n+"))
}

const friday = "@@ -3,2 +3,2 @@\n - Tests: `make test`.\n-- Deploys on Fridays.\n+- Deploys on Mondays.\n"

// onlyThese is a filter that fails the test if a file of the tool was touched.
func (m *machine) stays(rel string, do func()) {
	m.t.Helper()
	before := m.read(rel)
	do()
	if after := m.read(rel); after != before {
		m.t.Errorf("%s: %q, was %q", rel, after, before)
	}
}

var _ Store = (*versions.Store)(nil)

func entry(t *testing.T, s *versions.Store, rel string) versions.Entry {
	t.Helper()
	p, err := memfs.ParsePath(rel)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Tree(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Path == p {
			return e
		}
	}
	t.Fatalf("no %s", rel)
	return versions.Entry{}
}

func ago(d time.Duration) float64 { return float64(time.Now().Add(-d).UnixMicro()) / 1e6 }
