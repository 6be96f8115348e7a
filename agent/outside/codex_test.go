package outside

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCodexPrompt_IsWhatThePersonTyped(t *testing.T) {
	const id = "01a2047c-d8d4-7de0-a672-1905a6a4cf99"
	meta := `{"timestamp":"2026-11-22T10:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/p","base_instructions":{"text":"` + strings.Repeat("be brief ", 9000) + `"}}}`
	given := `{"timestamp":"2026-11-22T10:00:00.100Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>user_message</environment_context>"}]}}`
	said := func(text string) string {
		return `{"timestamp":"2026-11-22T10:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"` + text + `","images":[]}}`
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"after instructions":  {[]string{meta, given, said(`Note the refund rules\nand who may change them`), said("And now this")}, "Note the refund rules"},
		"of an editor":        {[]string{meta, said(`# Context from my IDE setup:\n\n## Open tabs:\n- a.md\n\n## My request for Codex:\nFix a.md\n`)}, "Fix a.md"},
		"after half a line":   {[]string{`{"type":"event_msg","payload":{"type":"user_message","mess`, said("Go on")}, "Go on"},
		"nobody typed":        {[]string{meta, given}, ""},
		"of an empty message": {[]string{meta, said("  "), said("Second")}, "Second"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "sessions", "2026", "11", "22")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "rollout-2026-11-22T10-00-00-"+id+".jsonl")
			if err := os.WriteFile(file, []byte(strings.Join(c.lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := CodexPrompt(t.Context(), home, id); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, other := range []string{"", "*", "../x", "1905a6a4cf98"} {
				if got := CodexPrompt(t.Context(), home, other); got != "" {
					t.Errorf("session %q: %q", other, got)
				}
			}
		})
	}
}
