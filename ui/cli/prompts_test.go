package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions"
)

// The screens ask for the first prompt of a session whoever ran it.
func TestPromptElsewhere_KnowsClaudeCodeAndCodex(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(dir, "claude"))
	t.Setenv("CODEX_HOME", filepath.Join(dir, "codex"))
	put := func(text string, names ...string) {
		t.Helper()
		file := filepath.Join(append([]string{dir}, names...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"type":"user","message":{"role":"user","content":"Of Claude Code"},"timestamp":"2026-11-22T10:00:00Z"}`, "claude", "projects", "-p", "one.jsonl")
	put(`{"type":"event_msg","payload":{"type":"user_message","message":"Of Codex"}}`, "codex", "sessions", "2026", "11", "22", "rollout-2026-11-22T10-00-00-two.jsonl")
	for id, want := range map[versions.SessionID]string{"one": "Of Claude Code", "two": "Of Codex", "three": ""} {
		if got := promptElsewhere(id); got != want {
			t.Errorf("session %s: %q, want %q", id, got, want)
		}
	}
}
