package places

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMemoriesOf_FindsWhatASessionInADirectoryHas(t *testing.T) {
	m := full(t)
	long := "src/" + strings.Repeat("long/", 50) + "app"
	m.write(long+"/x", "")
	hashed := slug(m, long) + "-abc123"
	m.write(".claude/projects/"+hashed+"/memory/MEMORY.md", "x")
	m.write(".claude/projects/shared/memory/MEMORY.md", "x")
	m.write(".claude/shared/memory/MEMORY.md", "x")
	variables := map[string]string{}
	m.roots.Getenv = func(name string) string { return variables[name] }
	want := func(dir, folder string) {
		t.Helper()
		got := ""
		for _, p := range MemoriesOf(t.Context(), m.roots, ClaudeAuto, m.path(dir)) {
			got = strings.TrimPrefix(filepath.ToSlash(p.Folder), filepath.ToSlash(m.home)+"/")
		}
		if got != folder {
			t.Errorf("%s: %q, want %q", dir, got, folder)
		}
	}
	want("src/app", ".claude/projects/"+slug(m, "src/app")+"/memory")
	want(long, ".claude/projects/"+hashed+"/memory")
	want("src/quiet", "")
	variables["CLAUDE_CODE_PROJECT_DIR_NAME"] = "shared" // without CLAUDE_CONFIG_DIR, it is ignored
	want("src/quiet", "")
	variables["CLAUDE_CONFIG_DIR"] = m.path(".claude")
	want("src/quiet", ".claude/projects/shared/memory")
	variables["CLAUDE_CODE_PROJECT_DIR_NAME"] = "../elsewhere"
	want("src/quiet", "")
	m.write("src/quiet/.claude/settings.local.json", `{"autoMemoryDirectory":"`+filepath.ToSlash(m.path(".claude/shared/memory"))+`"}`)
	want("src/quiet", ".claude/shared/memory")
	if got := MemoriesOf(t.Context(), Roots{}, ClaudeAuto, m.path("src/app")); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
