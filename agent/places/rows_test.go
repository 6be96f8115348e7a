package places

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// fixtures make a tree by the rules of each tool, and say what is found in it.
var fixtures = []struct {
	kind Kind
	make func(*machine)
	want []string
	name string // of the store of the first
}{
	{"claude-auto", func(m *machine) { m.autoMemory(m.worked("src/app") + "/memory") }, []string{"claude-auto .claude/projects/SLUG/memory [src/app] 4"}, "app-claude"},
	{"claude-agent", func(m *machine) { m.write(".claude/agent-memory/reviewer/MEMORY.md", "- be kind\n") },
		[]string{"claude-agent .claude/agent-memory/reviewer [*] 1"}, "claude-reviewer"},
	{"serena", func(m *machine) {
		m.write(".serena/memories/global/style.md", "tabs\n")
		m.write("src/app/.serena/memories/auth/login.md", "OAuth\n")
		m.roots.Here = m.path("src/app")
	}, []string{"serena .serena/memories/global [*] 1", "serena src/app/.serena/memories [src/app] 1"}, "serena"},
	{"memory-bank", func(m *machine) { m.write("src/app/memory-bank/progress.md", "x"); m.roots.Here = m.path("src/app") },
		[]string{"memory-bank src/app/memory-bank [src/app] 1"}, "app-memory-bank"},
	{"copilot", func(m *machine) {
		m.write("Code/User/globalStorage/github.copilot-chat/memory-tool/memories/prefs.md", "short\n")
	}, []string{"copilot Code/User/globalStorage/github.copilot-chat/memory-tool/memories [*] 1"}, "copilot"},
	{"codex", func(m *machine) {
		m.write(".codex/memories/memory_summary.md", "v1\n\n## User Profile\n")
		m.write(".codex/memories/MEMORY.md", "# Task Group: shop\n\nscope: the shop\n")
		m.write(".codex/memories/raw_memories.md", "# Raw Memories\n")
		m.write(".codex/memories/rollout_summaries/2026-05-01T10-00-00-abcd-fix_tests.md", "thread_id: 1\n")
		m.write(".codex/memories/extensions/ad_hoc/instructions.md", "# Ad-hoc notes\n")
		m.write(".codex/memories/.git/HEAD", "ref: refs/heads/main\n")
	}, []string{"codex .codex/memories [*] 5"}, "codex"},
	{"gemini", func(m *machine) {
		m.write(".gemini/projects.json", fmt.Sprintf(`{"projects":{%q:"app"}}`, m.path("src/app")))
		m.write("src/app/x", "")
		m.write(".gemini/tmp/app/.project_root", m.path("src/app"))
		m.write(".gemini/tmp/app/memory/MEMORY.md", "# Project Memory\n")
		m.write(".gemini/tmp/app/memory/.inbox/private/a.patch", "")
		m.write(".gemini/tmp/app/chats/session.json", "{}")
	}, []string{"gemini .gemini/tmp/app/memory [src/app] 1"}, "app-gemini"},
	{"qwen", func(m *machine) {
		m.write("src/app/.git/HEAD", "x")
		m.write("src/app/.qwen/team-memory/MEMORY.md", "- ours\n")
		m.write(".qwen/projects/"+slug(m, "src/app")+"/memory/MEMORY.md", "- [tabs](user.md)\n")
		m.write(".qwen/projects/"+slug(m, "src/app")+"/memory/user.md", "tabs\n")
		m.write(".qwen/projects/"+slug(m, "src/app")+"/meta.json", `{"version":1}`)
		m.write(".qwen/projects/-elsewhere-web/memory/MEMORY.md", "x\n")
		m.write(".qwen/memories/MEMORY.md", "- me\n")
		m.roots.Here = m.path("src/app")
	}, []string{"qwen .qwen/memories [*] 1", "qwen .qwen/projects/SLUG/memory [src/app] 2", "qwen src/app/.qwen/team-memory [src/app] 1", "qwen .qwen/projects/-elsewhere-web/memory [] 1"}, "qwen"},
	{"hermes", func(m *machine) {
		m.write(".hermes/memories/MEMORY.md", "one\n§\ntwo")
		m.write(".hermes/memories/USER.md", "Lee")
		m.write(".hermes/pending/memory/0a1b2c3d.json", "{}")
		m.write(".hermes/profiles/team/memories/MEMORY.md", "x")
	}, []string{"hermes .hermes/memories [*] 2", "hermes .hermes/profiles/team/memories [*] 1"}, "hermes"},
	{"openclaw", func(m *machine) {
		m.write(".openclaw/workspace/MEMORY.md", "long term\n")
		m.write(".openclaw/workspace/memory/2026-05-01.md", "today\n")
	}, []string{"openclaw .openclaw/workspace/memory [*] 1"}, "openclaw"},
	{"goose", func(m *machine) {
		m.write(".config/goose/memory/style.txt", "# go tabs\nuse tabs\n\n")
		m.write("src/app/.goose/memory/build.txt", "make\n\n")
		m.roots.Here = m.path("src/app")
	}, []string{"goose .config/goose/memory [*] 1", "goose src/app/.goose/memory [src/app] 1"}, "goose"},
	{"letta", func(m *machine) {
		m.write(".letta/agents/agent-1/memory/system/persona.md", "---\ndescription: who I am\n---\n\nx\n")
		m.write(".letta/agents/agent-1/memory/.git/HEAD", "x")
		m.write(".letta/lc-local-backend/memfs/agent-2/memory/system/human.md", "x\n")
	}, []string{"letta .letta/agents/agent-1/memory [*] 1", "letta .letta/lc-local-backend/memfs/agent-2/memory [*] 1"}, "letta-agent-1"},
	{"deepagents", func(m *machine) {
		m.write(".deepagents/backend-dev/memories/api-conventions.md", "snake_case\n")
		m.write(".deepagents/backend-dev/AGENTS.md", "x")
		m.write(".deepagents/.state/memories/x.md", "x")
	}, []string{"deepagents .deepagents/backend-dev/memories [*] 1"}, "deepagents-backend-dev"},
	{"basic-memory", func(m *machine) {
		m.write("basic-memory/note.md", "x\n")
		m.write("work-notes/a.md", "x\n")
		m.write(".basic-memory/config.json", fmt.Sprintf(`{"projects":{"main":%q,"work":{"path":%q},"gone":%q},"default_project":"main"}`, m.path("basic-memory"), m.path("work-notes"), m.path("nowhere")))
	}, []string{"basic-memory basic-memory [*] 1", "basic-memory work-notes [*] 1"}, "basic-memory"},
	{"kiro", func(m *machine) {
		m.write(".kiro/steering/style.md", "---\ninclusion: always\n---\n")
		m.write("src/app/.kiro/steering/tech.md", "Go\n")
		m.roots.Here = m.path("src/app")
	}, []string{"kiro .kiro/steering [*] 1", "kiro src/app/.kiro/steering [src/app] 1"}, "kiro"},
	{"instructions", func(m *machine) {
		for _, name := range []string{".claude/CLAUDE.md", ".claude/rules/go/style.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", ".qwen/QWEN.md",
			".config/opencode/AGENTS.md", ".codeium/windsurf/memories/global_rules.md", ".factory/memories.md"} {
			m.write(name, "be brief\n")
		}
		m.write(".claude/settings.json", "{}")
		m.write("CLAUDE.md", "not read by anybody")
		for _, name := range []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md", ".claude/CLAUDE.md", ".claude/rules/a/b.md", ".cursor/rules/x.mdc",
			".github/copilot-instructions.md", ".github/instructions/go.instructions.md", ".windsurf/rules/x.md", ".clinerules/x.md", ".rules", ".junie/guidelines.md"} {
			m.write("src/app/"+name, "use tabs\n")
		}
		for _, name := range []string{"README.md", ".claude/settings.json", ".cursor/rules/x.txt", ".github/workflows/ci.yml", "sub/CLAUDE.md", ".git/HEAD"} {
			m.write("src/app/"+name, "x")
		}
		m.write("src/other/README.md", "x")
		m.roots.Here = m.path("src/app")
		m.roots.Dirs = []string{m.path("src")}
	}, []string{"instructions HOME [*] 8", "instructions src/app [src/app] 14"}, "instructions"},
}

func TestRows_FindWhatEachToolKeeps(t *testing.T) {
	for _, f := range fixtures {
		m := newMachine(t)
		f.make(m)
		found := m.discover()
		got := m.brief(found.Places)
		for i := range got {
			got[i] = strings.ReplaceAll(strings.ReplaceAll(got[i], slug(m, "src/app"), "SLUG"), m.home, "HOME")
		}
		if !slices.Equal(got, f.want) {
			t.Errorf("%s: found\n\t%s\nwant\n\t%s", f.kind, strings.Join(got, "\n\t"), strings.Join(f.want, "\n\t"))
			continue
		}
		if name := found.Places[0].Name(); name != f.name || len(found.Problems) > 0 || found.Places[0].Kind.String() == string(f.kind) {
			t.Errorf("%s: %q, %q, %v", f.kind, name, found.Places[0].Kind, found.Problems)
		}
	}
	for i, r := range rows {
		if i >= len(fixtures) || fixtures[i].kind != r.kind {
			t.Fatalf("%s has no fixture in its place", r.kind)
		}
	}
}

func TestRows_FollowTheVariablesThatMoveAFolder(t *testing.T) {
	m := newMachine(t)
	m.write("elsewhere/memories/MEMORY.md", "x")
	m.write("gem/.gemini/tmp/app/memory/MEMORY.md", "x")
	m.write("qwen/memories/MEMORY.md", "x")
	m.write("run/projects/-src-app/memory/MEMORY.md", "x")
	env := map[string]string{"QWEN_HOME": m.path("qwen"), "CODEX_HOME": m.path("elsewhere"), "HERMES_HOME": m.path("elsewhere"), "GEMINI_CLI_HOME": m.path("gem")}
	m.roots.Getenv = func(name string) string { return env[name] }
	f := m.discover()
	m.want(f, "codex elsewhere/memories [*] 1", "qwen qwen/memories [*] 1", "gemini gem/.gemini/tmp/app/memory [] 1") // a folder is listed once
	if name := f.Places[2].Name(); name != "app-gemini" {
		t.Error(name)
	}
	env = map[string]string{"QWEN_HOME": m.path("qwen"), "QWEN_RUNTIME_DIR": m.path("run")} // which has the memories then
	m.want(m.discover(), "qwen run/projects/-src-app/memory [] 1")
}

func TestInstructions_FollowTheVariablesThatMoveAFolder(t *testing.T) {
	m := newMachine(t)
	env := map[string]string{}
	m.roots.Getenv = func(name string) string { return env[name] }
	m.write(".codex/AGENTS.md", "read without the variable")
	m.write("mine/claude/CLAUDE.md", "be brief\n")
	m.write("mine/claude/rules/go.md", "use tabs\n")
	m.write("mine/claude/settings.json", "{}")
	m.write("mine/codex/AGENTS.md", "be kind\n")
	m.write("mine/.gemini/GEMINI.md", "be quick\n")
	m.write("mine/config/opencode/AGENTS.md", "be calm\n")
	m.write("mine/qwen/QWEN.md", "be bold\n")
	m.write("mine/.claude/CLAUDE.md", "not read by anybody")
	m.want(m.discover(), "instructions "+m.home+" [*] 1")
	m.roots.Claude = m.path("mine/claude")
	env["CODEX_HOME"], env["GEMINI_CLI_HOME"], env["XDG_CONFIG_HOME"], env["QWEN_HOME"] = m.path("mine/codex"), m.path("mine"), m.path("mine/config"), m.path("mine/qwen")
	f := m.discover()
	m.want(f, "instructions mine/claude [*] 2", "instructions mine/codex [*] 1", "instructions mine/.gemini [*] 1", "instructions "+m.home+" [*] 1", "instructions mine/config/opencode [*] 1", "instructions mine/qwen [*] 1")
	var names []string
	trail := openTrail(t)
	for _, p := range f.Places { // they share no file
		info, err := Add(t.Context(), trail, owner, p)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, info.Name)
		wantPinned(t, trail, info)
	}
	if want := []string{"claude-instructions", "codex-instructions", "gemini-instructions", "instructions", "opencode-instructions", "qwen-instructions"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	for _, c := range []struct {
		folder, pattern string
		want            bool
	}{
		{"mine/claude", "*.md", true}, {"mine/claude", "notes.md", false}, {"mine/claude/rules", "x.md", true}, {"mine", "codex/AGENTS.md", true},
		{"mine", "notes.md", false}, {"src", "CLAUDE.md", false}, {"nowhere", "AGENTS.md", false},
		{".", "notes.md", false}, {".codex", "AGENTS.md", true}, {".", ".qwen/QWEN.md", true},
	} {
		m.write("src/x", "")
		if got := InstructsEverywhere(t.Context(), m.roots, m.path(c.folder), parsed(c.pattern)); got != c.want {
			t.Errorf("%s in %s: %v", c.pattern, c.folder, got)
		}
	}
	// A variable that names the usual folder moves nothing, and one that names no absolute path is ignored.
	m.roots.Claude, env = m.path(".claude"), map[string]string{"CODEX_HOME": m.path(".codex") + "/", "QWEN_HOME": m.path(".qwen"), "GEMINI_CLI_HOME": m.home, "XDG_CONFIG_HOME": "mine/config"}
	m.want(m.discover(), "instructions "+m.home+" [*] 1")
}

func TestInstructions_ListsAToolsFolderThatIsARepositoryOnce(t *testing.T) {
	m := newMachine(t)
	m.roots.Claude = m.path("dotfiles/claude")
	m.write("dotfiles/claude/.git/HEAD", "x")
	m.write("dotfiles/claude/CLAUDE.md", "be brief\n")
	m.write("dotfiles/claude/AGENTS.md", "not Claude Code's\n")
	m.roots.Here = m.path("dotfiles/claude")
	m.roots.Dirs = []string{m.path("dotfiles")}
	m.want(m.discover(), "instructions dotfiles/claude [*] 1")
	if err := os.Remove(m.path("dotfiles/claude/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	m.want(m.discover(), "instructions dotfiles/claude [dotfiles/claude] 1") // of another tool, in this repository
}

// wantPinned checks that agents can't write a store.
func wantPinned(t *testing.T, trail *engine.Trail, info versions.StoreInfo) {
	t.Helper()
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	agent := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "s", Door: versions.DoorMCP}
	tree, err := history.Tree(t.Context(), s)
	if err != nil || len(tree) == 0 {
		t.Fatalf("%d memories, %v", len(tree), err)
	}
	for _, e := range tree {
		_, err := s.Write(t.Context(), agent, e.Path, []byte("x"), versions.Pre{})
		if !errors.As(err, new(*versions.DeniedError)) && !errors.Is(err, memfs.ErrControlFile) {
			t.Errorf("%s%s: %v", info.Name, e.Path, err)
		}
	}
}

func TestDiscover_TakesTheHomeForNoProject(t *testing.T) {
	m := newMachine(t)
	m.write(".serena/memories/global/style.md", "tabs\n")
	m.write(".kiro/steering/style.md", "x")
	m.roots.Here = m.home
	m.want(m.discover(), "serena .serena/memories/global [*] 1", "kiro .kiro/steering [*] 1")
}

func TestDiscover_MarksAPlaceWhoseProjectIsGone(t *testing.T) {
	m := full(t)
	m.write(".gemini/tmp/old/.project_root", m.path("src/old"))
	m.write(".gemini/tmp/old/memory/MEMORY.md", "x")
	m.write("src/quiet/.git/worktrees/fix/gitdir", m.path("src/quiet-fix/.git")+"\n") // another one
	if err := os.RemoveAll(m.path("src/app")); err != nil {
		t.Fatal(err)
	}
	var gone []string
	for _, p := range m.discover().Places {
		if p.Gone {
			gone = append(gone, string(p.Kind)+" "+filepath.Base(p.Project))
		}
		if p.Gone && (!p.CanBeAdded() || p.Living != "") {
			t.Errorf("%+v", p)
		}
	}
	if want := []string{"claude-auto app", "gemini old"}; !slices.Equal(gone, want) {
		t.Errorf("%q, want %q", gone, want)
	}
}

func TestDiscover_ChangesNothingOfAnUnknownVersion(t *testing.T) {
	m := newMachine(t)
	m.write(".codex/memories/memory_summary.md", "v2\nbinary\n")
	m.write(".qwen/projects/-src-app/memory/MEMORY.md", "x\n")
	m.write(".qwen/projects/-src-app/meta.json", `{"version":7}`)
	f := m.discover()
	var why []string
	for _, p := range f.Places {
		why = append(why, p.Unknown)
		if p.CanBeAdded() || p.Memories != 1 {
			t.Errorf("%+v", p)
		}
		if _, err := Add(t.Context(), openTrail(t), owner, p); err == nil || !strings.Contains(err.Error(), p.Unknown) {
			t.Errorf("%v", err)
		}
	}
	if want := []string{"its memory_summary.md has version 2, and memend knows v1", "its meta.json has version 7, and memend knows 1"}; !slices.Equal(why, want) {
		t.Errorf("%q", why)
	}
	m.write(".codex/memories/memory_summary.md", "Profile\n") // Codex writes it again
	if p := m.discover().Places[0]; p.Unknown != "" {
		t.Error(p.Unknown)
	}
}

// A removed worktree leaves its memories behind; git knows of it until it is pruned.
func TestDiscover_FindsTheRepositoryOfAWorktreeThatIsGone(t *testing.T) {
	m := newMachine(t)
	m.autoMemory(m.worked("src/app") + "/memory")
	m.write("src/app/.git/HEAD", "ref: refs/heads/main\n")
	m.write("src/app/.git/worktrees/fix/gitdir", m.path("src/app-fix/.git")+"\n")
	orphan := m.worked("src/app-fix") + "/memory"
	m.write(orphan+"/MEMORY.md", "- other\n")
	m.write(orphan+"/new.md", "new\n")
	m.write(orphan+"/.hidden", "no")
	m.write(orphan+"/binary", "\xff")
	if err := os.RemoveAll(m.path("src/app-fix")); err != nil {
		t.Fatal(err)
	}
	found := m.discover()
	i := slices.IndexFunc(found.Places, func(p Place) bool { return p.Gone })
	if i < 0 || found.Places[i].Living != m.path("src/app") {
		t.Fatalf("%+v", found.Places)
	}
	gone, trail := found.Places[i], openTrail(t)
	if heir := gone.Heir(nil); heir.ID != "" {
		t.Errorf("%+v", heir)
	}
	info, err := Add(t.Context(), trail, owner, found.Places[1-i])
	if err != nil {
		t.Fatal(err)
	}
	if heir := gone.Heir([]versions.StoreInfo{info, {ID: "memstore_2", Metadata: map[string]string{Project: m.path("src/app"), Profile: "serena"}}}); heir.ID != info.ID {
		t.Errorf("%+v", heir)
	}
	if heir := gone.Heir([]versions.StoreInfo{info, info}); heir.ID != "" { // which of them?
		t.Errorf("%+v", heir)
	}
	texts, err := gone.Texts()
	if len(texts) != 2 || texts[0].Path.Base() != "MEMORY.md" || string(texts[1].Text) != "new\n" || err == nil || !strings.Contains(err.Error(), "binary") {
		t.Errorf("%+v, %v", texts, err)
	}
}
