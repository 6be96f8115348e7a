package places

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/watch"
)

var owner = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

func TestAdd_CreatesStoresAndDoesNotChangeTheirFolders(t *testing.T) {
	m := full(t)
	trail := openTrail(t)
	before := state(t, m.home)
	var made []string
	for _, p := range m.discover().Places {
		info, err := Add(t.Context(), trail, owner, p)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, info.Name)
		want := map[string]string{Profile: string(p.Kind)}
		if p.Project != "" {
			want[Project] = p.Project
		}
		if info.Folder != p.Folder || info.Name != p.Name() || info.Description != p.Description() || !maps.Equal(info.Metadata, want) || KindOf(info) != p.Kind {
			t.Errorf("%+v", info)
		}
		if z, err := history.Sizes(t.Context(), trail); err != nil || z[info.ID].Memories != p.Memories || z[info.ID].Bytes != p.Bytes {
			t.Errorf("%s: %+v, %v; found %d of %d bytes", info.Name, z[info.ID], err, p.Memories, p.Bytes)
		}
	}
	if state(t, m.home) != before {
		t.Error("a folder is different")
	}
	all, err := trail.Stores(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range m.discover(all...).Places {
		if !p.IsStore() || p.CanBeAdded() || !slices.Contains(made, p.Store.Name) {
			t.Errorf("%+v", p)
		}
		if _, err := Add(t.Context(), trail, owner, p); !errors.Is(err, versions.ErrNested) {
			t.Errorf("once more: %v", err)
		}
	}
}

func TestAdd_DistinguishesStoresWithTheSameName(t *testing.T) {
	m := newMachine(t)
	trail := openTrail(t)
	var names []string
	for _, rel := range []string{"work/api", "play/api", "old/api"} {
		m.write(rel+"/memory-bank/x.md", "x")
		m.roots.Here = m.path(rel)
		info, err := Add(t.Context(), trail, owner, m.discover().Places[0])
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.Name)
	}
	if !slices.Equal(names, []string{"api-memory-bank", "api-memory-bank-2", "api-memory-bank-3"}) {
		t.Errorf("%q", names)
	}

	// A store's project is looked in from then on, wherever one is.
	m.write("old/api/.serena/memories/x.md", "x")
	m.roots.Here = ""
	all, err := trail.Stores(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.want(m.discover(all...), "serena old/api/.serena/memories [old/api] 1", "memory-bank old/api/memory-bank [old/api] 1",
		"memory-bank play/api/memory-bank [play/api] 1", "memory-bank work/api/memory-bank [work/api] 1")
}

// A folder of another tool is hidden as a rule. What is hidden in it is passed over,
// what isn't is a memory like any other, and a repository around it is nobody's.
func TestAdd_WorksInAHiddenFolderOfARepository(t *testing.T) {
	m := newMachine(t)
	m.write("app/.git/config", "[core]\n")
	m.write("app/.gitignore", ".serena\n")
	m.write("app/.serena/project.yml", "name: app\n")
	m.write("app/.serena/memories/.cache/x.md", "hidden")
	m.write("app/.serena/memories/.draft.md", "hidden")
	m.write("app/.serena/memories/overview.md", "what it is\n")
	m.write("app/.serena/memories/auth/login.md", "how it works\n")
	m.roots.Here = m.path("app")
	trail := openTrail(t)
	before := state(t, m.home)
	info, err := Add(t.Context(), trail, owner, m.discover().Places[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list := func() (out []string) {
		t.Helper()
		tree, err := history.Tree(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range tree {
			if e.Kind == versions.Memory {
				out = append(out, e.Path.String())
			}
		}
		return out
	}
	if got := list(); !slices.Equal(got, []string{"/auth/login.md", "/overview.md"}) {
		t.Errorf("%q", got)
	}
	if state(t, m.home) != before {
		t.Error("a folder is different")
	}

	// What the tool writes is adopted, what is written here is where the tool looks.
	m.write("app/.serena/memories/overview.md", "what it is now\n")
	m.write("app/.serena/memories/.draft.md", "hidden still")
	if _, err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	past, err := history.Of(t.Context(), s, entry(t, s, "/overview.md").Memory, 0, 10)
	if err != nil || len(past) != 2 || past[0].Actor.Kind != versions.Outside {
		t.Errorf("%+v, %v", past, err)
	}
	if got := list(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events, _, err := watch.SyncAndWatch(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	m.write("app/.serena/memories/seen.md", "at once\n")
	m.write("app/.serena/memories/.unseen.md", "never\n")
	select {
	case e := <-events:
		if e.Err != nil || len(e.Changes) != 1 || e.Changes[0].Path.String() != "/seen.md" {
			t.Errorf("%+v", e)
		}
	case <-time.After(10 * time.Second):
		t.Error("nobody looks at the folder")
	}
	cancel()
	for range events { // until nobody looks any more: the store closes
	}
	if _, err := trail.FindStore(t.Context(), m.path("app/.serena/memories/auth")); err != nil {
		t.Error(err)
	}
	if _, err := trail.FindStore(t.Context(), m.path("app")); !errors.Is(err, versions.ErrNoStore) {
		t.Errorf("the repository is a store: %v", err)
	}
}

func entry(t *testing.T, s *engine.Store, path string) versions.Entry {
	t.Helper()
	p, err := memfs.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := history.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tree {
		if e.Path == p {
			return e
		}
	}
	t.Fatalf("no %s", path)
	return versions.Entry{}
}

// Whatever a project and an agent are called, a store of them can be made.
func FuzzPlace(f *testing.F) {
	for _, s := range []string{"app", ".dotfiles", "memstore_x", "a/b\\c", "\xff\x00", strings.Repeat("é", 400), "\u202e\x1b[31m", "..", " ", "中文"} {
		f.Add("/w/"+s, s, uint8(1), false)
		f.Add("", s, uint8(0), true)
	}
	f.Fuzz(func(t *testing.T, project, agent string, kind uint8, shared bool) {
		p := Place{Kind: anyKind(kind), Folder: "/x/" + agent + "/memory", Project: project, Agent: agent, Shared: shared, Local: shared}
		name, about := p.Name(), p.Description()
		set := map[string]*string{}
		for k, v := range p.metadata() {
			set[k] = &v
		}
		u := versions.StoreUpdate{Name: &name, Description: &about, Metadata: set}
		if err := u.Check(); err != nil && name != "" {
			t.Errorf("%+v: %v", p, err)
		}
		if n := name + " 999"; utf8.RuneCountInString(n) > 100 {
			t.Errorf("%q is long", n)
		}
	})
}

// anyKind returns one of the kinds, or an unknown one.
func anyKind(n byte) Kind {
	if i := int(n) % (len(rows) + 1); i < len(rows) {
		return rows[i].kind
	}
	return "other"
}

func TestACorrectionOfCodexGetsANote(t *testing.T) {
	m := newMachine(t)
	m.write(".codex/memories/memory_summary.md", "v1\n")
	m.write(".codex/memories/MEMORY.md", "# Task Group: shop\n- Deploys on Fridays.\n")
	trail := openTrail(t)
	info, err := Add(t.Context(), trail, owner, m.discover().Places[0])
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	write := func(by versions.By, rel, text string) versions.Change {
		t.Helper()
		p, err := memfs.ParsePath(rel)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Write(t.Context(), by, p, []byte(text), versions.Pre{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := write(owner, "MEMORY.md", "# Task Group: shop\n- Deploys on Mondays.\n")
	if !NeedsNote(info, c) {
		t.Fatalf("%+v", c)
	}
	at, text, err := NoteFor(t.Context(), noteStore{s}, info, c, time.Date(2026, 9, 18, 0, 30, 1, 0, time.UTC))
	want := "The user corrected the memories by hand, in MEMORY.md.\n\nNo longer true, forget it:\n\n- Deploys on Fridays.\n\nTrue, remember it:\n\n- Deploys on Mondays.\n"
	if err != nil || at.String() != "/extensions/ad_hoc/notes/2026-09-18T00-30-01-correct-memory.md" || string(text) != want {
		t.Errorf("%v %q, %v", at, text, err)
	}
	// The name is one that Codex accepts.
	if !regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-[a-z0-9][a-z0-9-]{0,79}\.md$`).MatchString(at.Base()) {
		t.Error(at.Base())
	}
	robot := versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}}
	for what, c := range map[string]versions.Change{"an agent's": write(robot, "MEMORY.md", "x\n"), "a note": write(owner, at.String(), string(text)), "none": {}} {
		if NeedsNote(info, c) {
			t.Errorf("%s needs a note", what)
		}
	}
	if info.Metadata = map[string]string{Profile: "serena"}; NeedsNote(info, write(owner, "MEMORY.md", "y\n")) {
		t.Error("another tool needs a note")
	}
}

// noteStore is a store as NoteFor reads it.
type noteStore struct{ *engine.Store }

func (s noteStore) History(ctx context.Context, m versions.MemoryID, before, limit int) ([]versions.Version, error) {
	return history.Of(ctx, s.Store, m, before, limit)
}

func (s noteStore) Content(ctx context.Context, v versions.VersionID) ([]byte, error) {
	return history.Content(ctx, s.Store, v)
}
