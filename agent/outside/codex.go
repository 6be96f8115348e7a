package outside

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions/disk"
)

// CodexHome returns the folder in which Codex keeps a person's data. It may not exist.
func CodexHome() (string, error) {
	if dir := strings.TrimSpace(os.Getenv("CODEX_HOME")); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".codex"), nil
}

// CodexRecord returns the file in which Codex keeps a session, or "".
func CodexRecord(home, session string) string {
	if session == "" || session != filepath.Base(session) || strings.ContainsAny(home+session, `*?[\`) {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*-"+session+".jsonl"))
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// codexHead is how much of a record is searched for the first prompt. Instructions precede it.
const codexHead = 4 << 20

// codexRequest precedes what a person typed, if an editor adds what is open in it.
const codexRequest = "## My request for Codex:"

// CodexPrompt returns the first line of the first prompt of a session of Codex, or "" if it is
// unknown.
func CodexPrompt(ctx context.Context, home, session string) string {
	f, err := disk.OpenRegular(CodexRecord(home, session))
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewReader(io.LimitReader(f, codexHead))
	for ctx.Err() == nil {
		line, err := lines.ReadBytes('\n')
		if text := codexPrompt(line); text != "" {
			return text
		}
		if err != nil {
			break
		}
	}
	return ""
}

// codexPrompt returns the first line of the prompt that a line of a record holds, or "". Codex
// also records the model's input, which begins with instructions that nobody typed.
func codexPrompt(line []byte) string {
	if !bytes.Contains(line, []byte("user_message")) {
		return ""
	}
	var l struct {
		Type    string
		Payload struct{ Type, Message string }
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "event_msg" || l.Payload.Type != "user_message" {
		return ""
	}
	text := l.Payload.Message
	if i := strings.Index(text, codexRequest); i >= 0 {
		text = text[i+len(codexRequest):]
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}
