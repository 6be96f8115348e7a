package outside

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPrompt_IsTheFirstLineThatAPersonWrote(t *testing.T) {
	config := t.TempDir()
	project := filepath.Join(config, "projects", "-work-shop")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	lines := `{"type":"summary","summary":"x"}
{"type":"user","isMeta":true,"message":{"role":"user","content":"a caveat"},"timestamp":"2026-11-20T10:00:00Z"}
{"type":"user","message":{"role":"user","content":"Fix the refund rules\nand say why"},"timestamp":"2026-11-20T10:00:01Z"}
{"type":"user","message":{"role":"user","content":"Now the other file"},"timestamp":"2026-11-20T10:00:02Z"}
`
	if err := os.WriteFile(filepath.Join(project, "s1.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]string{"s1": "Fix the refund rules", "s2": "", "../s1": "", "": "", "*": ""} {
		if got := Prompt(t.Context(), config, session); got != want {
			t.Errorf("session %q was asked %q, want %q", session, got, want)
		}
	}
}
