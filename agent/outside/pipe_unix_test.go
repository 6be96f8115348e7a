//go:build unix

package outside

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A named pipe blocks who opens it, until somebody writes to it.
func TestNothingWaitsForANamedPipe(t *testing.T) {
	t.Parallel()
	pipe := func(t *testing.T, file string) {
		t.Helper()
		_ = os.Remove(file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	within := func(t *testing.T, do func()) {
		t.Helper()
		done := make(chan bool)
		go func() { do(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.Fatal("it waits")
		}
	}
	const line = `{"cwd":"/w/app"}` + "\n"
	t.Run("for the projects", func(t *testing.T) {
		t.Parallel()
		config := t.TempDir()
		pipe(t, filepath.Join(config, "projects"))
		within(t, func() { _, _ = Projects(t.Context(), config) })
	})
	t.Run("for the transcripts of subagents", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		pipe(t, filepath.Join(folder, "one", "subagents"))
		within(t, func() { _, _ = Transcripts(folder) })
	})
	t.Run("for what a subagent is", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "agent-1.jsonl")
		pipe(t, file[:len(file)-len(".jsonl")]+".meta.json")
		within(t, func() { subagentOf(Transcript{File: file, Agent: "1"}) })
	})
	t.Run("for a transcript that is followed, or read", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "one.jsonl")
		put(t, file, line)
		x := tailFrom(file, 0)
		pipe(t, file)
		within(t, func() { _ = x.read(func([]byte) {}); _, _ = directories(file) })
	})
	t.Run("for a record of Codex", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		pipe(t, filepath.Join(home, "sessions", "2026", "11", "30", "rollout-1-s.jsonl"))
		within(t, func() { CodexPrompt(context.Background(), home, "s") })
	})
}
