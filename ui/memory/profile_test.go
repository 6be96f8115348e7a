package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

func TestIndex_FollowsTheToolsRules(t *testing.T) {
	long := "- [A](a.md) — `" + strings.Repeat("é", 150) + "`" // highlighted where it is too long
	f := newFake()
	f.write("MEMORY.md", long+"\n- [B](b.md) — short\n"+long[:40]+"\n"+numbered(230))
	f.write("team/MEMORY.md", long+"\n"+long+"\n"+strings.Repeat("x", 400)+"\n")
	f.write("a.md", long+"\n")
	for profile, want := range map[places.Kind]struct{ cut, hooks bool }{
		"":                 {cut: true},
		"mine":             {cut: true},
		places.ClaudeAuto:  {cut: true, hooks: true},
		places.ClaudeAgent: {cut: true},
		places.Serena:      {},
		places.MemoryBank:  {},
		places.Copilot:     {},
	} {
		f.info.Metadata = map[string]string{places.Profile: string(profile)}
		s := newSim(t, f, 160, 20)
		wantTitle := func(path, what string, want bool) {
			t.Helper()
			s.open(path)
			if _, info := s.pane.Title(); strings.Contains(info, what) != want {
				t.Errorf("%q, %s: %q", profile, path, info)
			}
		}
		wantTitle("MEMORY.md", "cut at line 201", want.cut)
		wantTitle("MEMORY.md", "1 line over 150", want.hooks)
		wantTitle("team/MEMORY.md", "2 lines over 150", want.hooks)
		wantTitle("a.md", " over ", false)
		s.open("MEMORY.md")
		warned := s.pane.env.Theme.Warn.On + strings.Repeat("é", 10)
		if got := strings.Contains(s.pane.View(), warned); got != want.hooks {
			t.Errorf("%q: what is too long is marked: %v\n%s", profile, got, s.pane.View())
		}
	}
}

func TestHookEnd_CountsCharacters(t *testing.T) {
	const hook = "- [A](a.md) "
	for _, c := range []struct {
		line string
		want int
	}{
		{"", -1}, {hook, -1}, {hook + strings.Repeat("x", 138), -1}, {hook + strings.Repeat("x", 139), 150},
		{hook + strings.Repeat("é", 138), -1}, {hook + strings.Repeat("é", 139), 12 + 2*138}, {strings.Repeat("x", 500), -1}, {"  " + hook + strings.Repeat("x", 300), -1},
		{hook + strings.Repeat("\xff", 200), 150},
	} {
		if got := hookEnd(c.line); got != c.want {
			t.Errorf("%q: %d, want %d", c.line, got, c.want)
		}
	}
}

// A folder as Claude Code leaves it: an index, facts with front matter that refer to each
// other, and those of the team.
func TestAutoMemory_LinksCanBeFollowed(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"MEMORY.md":        "- [Prefers tabs](prefers-tabs.md) — indent with tabs\n- [On call](team/on-call.md) — whom to ask\n",
		"prefers-tabs.md":  "---\nname: prefers-tabs\ndescription: indent with tabs\nmetadata:\n  type: user\n  pinned: true\nlicence: none\n---\n\nTabs, as [[release-steps]] has it.\n\n**Why:** they said so.\n",
		"release-steps.md": "---\nname: release-steps\ntype: project\n---\n\nAsk [[on-call]].\n",
		"team/on-call.md":  "---\nname: on-call\nmetadata:\n  type: reference\n---\n\nLee.\n",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	trail, err := engine.Open(t.Context(), filepath.Join(t.TempDir(), "home"), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	info, err := places.Add(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, places.Place{Kind: places.ClaudeAuto, Folder: folder, Project: "/w/app"})
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := newSim(t, local.Store{Store: store}, 120, 20)
	s.open("MEMORY.md")
	follow := func(keys string, want string) {
		t.Helper()
		s.keys(keys)
		s.goesTo()
		if got := s.pane.Path(); got != at(want) {
			t.Fatalf("%s leads to %s, want %s", keys, got, want)
		}
	}
	follow("} enter", "prefers-tabs.md")
	follow("} enter", "release-steps.md")
	follow("} enter", "team/on-call.md")
}
