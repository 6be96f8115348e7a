package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/redact"
)

func (w *world) begin(id versions.SessionID) *conversations.Conversation {
	w.t.Helper()
	c, err := w.trail.Conversations().Begin(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) said(c *conversations.Conversation, objects ...any) {
	w.t.Helper()
	for _, o := range objects {
		b, err := json.Marshal(o)
		if err == nil {
			err = c.Append(b)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// What a redaction erases is nowhere in a conversation either, however it was
// written there, and all else stays, at its place.
func TestRedact_MasksConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := "door: \"9-4-1\" <b>\n☃ alarm is off\nshort\n" // no line is as long as a piece
	w.write(robot, "a", secret)
	w.write(robot, "b", "nobody needs to hide this line of text, nobody at all\n")
	var viewed strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(secret, "\n"), "\n") {
		fmt.Fprintf(&viewed, "%6d\t%s", i+1, line)
	}
	running, ended := w.begin(versions.NewSession()), w.begin(versions.NewSession())
	talk := func(c *conversations.Conversation) {
		w.said(c,
			map[string]any{"type": "prompt", "text": "what do you know?"},
			map[string]any{"type": "block", "block": map[string]any{"input": map[string]any{"command": "create", "file_text": secret, "path": "/memories/a"}}},
			map[string]any{"type": "result", "text": viewed.String()},
			map[string]any{"type": "result", "text": "nobody needs to hide this line of text, nobody at all"})
	}
	talk(running)
	talk(ended)
	if err := ended.Close(); err != nil {
		t.Fatal(err)
	}
	sizes := func() (n int64) {
		list, err := w.trail.Conversations().List()
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range list {
			n += info.Bytes
		}
		return n
	}
	before := sizes()
	w.write(robot, "a", "now something harmless stands here\n")
	plan, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: w.versionOf("a", 1).ID})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), w.store, alice, plan, versions.RedactChoice{Scrub: versions.Scrub{Wait: time.Second}})
	if err != nil || r.Outcome != versions.OutcomeGone || r.Masked != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.said(running, map[string]any{"type": "idle"})
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.home, conversations.FolderName, "*"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, gone := range []string{"door:", "9-4-1", "alarm", "short"} {
			if bytes.Contains(b, []byte(gone)) {
				t.Errorf("%q is still in %s", gone, b)
			}
		}
		if !bytes.Contains(b, []byte("nobody needs to hide")) || !bytes.Contains(b, []byte("[redacted]")) || !bytes.Contains(b, []byte("what do you know?")) {
			t.Errorf("%s", b)
		}
		for line := range bytes.Lines(b) {
			if !json.Valid(line) {
				t.Errorf("%s is no JSON any more", line)
			}
		}
	}
	if after := sizes(); after != before+int64(len(`{"type":"idle"}`)+1) {
		t.Errorf("%d bytes became %d", before, after)
	}
}

// A text that somebody named is masked wherever it stands, short as it may be, also
// in a line that a killed program left.
func TestRedact_MasksANamedTextInConversations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "pin 1984\n")
	id := versions.NewSession()
	c := w.begin(id)
	w.said(c, map[string]string{"path": "/1984"}, map[string]string{"text": "pin 1984?"})
	file := w.trail.Conversations().File(id)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(`{"text":"it was 1984, I th`)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	w.write(robot, "a", "pin\n")
	plan, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte("1984")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), w.store, alice, plan, versions.RedactChoice{Scrub: versions.Scrub{Wait: time.Second}})
	if err != nil || r.Masked != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	b, err := os.ReadFile(file)
	if err != nil || bytes.Contains(b, []byte("1984")) || !strings.HasPrefix(string(b), `{"path":"     "}`) {
		t.Errorf("%s, %v", b, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
