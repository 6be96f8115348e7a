package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func (w *world) begin(id SessionID) *Conversation {
	w.t.Helper()
	c, err := w.trail.Conversations().Begin(id)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) said(c *Conversation, objects ...any) {
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

func TestConversation_IsReadForwardsAndBackwardsInPages(t *testing.T) {
	w := newWorld(t)
	id := NewSession()
	c := w.begin(id)
	const n = 3000
	for i := range n {
		size := 50 + i%500
		if i == 1500 {
			size = 3 * pageBytes // longer than a page
		}
		w.said(c, map[string]any{"n": i, "text": strings.Repeat("x", size)})
	}
	all := w.trail.Conversations()
	var forwards, backwards []int
	number := func(b []byte) int {
		var o struct{ N int }
		if err := json.Unmarshal(b, &o); err != nil {
			t.Fatal(err)
		}
		return o.N
	}
	for at := int64(0); ; {
		objects, next, err := all.Read(id, at)
		if err != nil {
			t.Fatal(err)
		}
		if next == at {
			break
		}
		for _, o := range objects {
			forwards = append(forwards, number(o))
		}
		at = next
	}
	for at := int64(-1); at != 0; {
		objects, start, err := all.ReadBack(id, at)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(objects) - 1; i >= 0; i-- {
			backwards = append(backwards, number(objects[i]))
		}
		at = start
	}
	for i := range n {
		if len(forwards) != n || len(backwards) != n || forwards[i] != i || backwards[i] != n-1-i {
			t.Fatalf("%d forwards, %d backwards; at %d", len(forwards), len(backwards), i)
		}
	}
}

func TestConversation_OfAProgramThatRunsIsToldFromOneThatWasKilled(t *testing.T) {
	w := newWorld(t)
	id, all := NewSession(), w.trail.Conversations()
	c := w.begin(id)
	w.said(c, map[string]int{"n": 1})
	if info, err := all.Info(id); err != nil || !info.Running {
		t.Fatalf("%+v, %v", info, err)
	}
	if _, err := all.Begin(id); !errors.Is(err, ErrRunning) {
		t.Errorf("begun twice: %v", err)
	}
	if err := all.Delete(id); !errors.Is(err, ErrRunning) {
		t.Errorf("deleted while it runs: %v", err)
	}
	if _, err := c.file.WriteString(`{"n": 2, "half`); err != nil { // and killed
		t.Fatal(err)
	}
	_ = c.file.Close()
	_ = c.lock.Close()
	if info, err := all.Info(id); err != nil || info.Running {
		t.Fatalf("after its death %+v, %v", info, err)
	}

	again := w.begin(id)
	w.said(again, map[string]int{"n": 3})
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	objects, _, err := all.Read(id, 0)
	if err != nil || len(objects) != 2 || string(objects[0]) != `{"n":1}` || string(objects[1]) != `{"n":3}` {
		t.Errorf("%q, %v", objects, err)
	}
	if list, err := all.List(); err != nil || len(list) != 1 || list[0].Running || list[0].Session != id {
		t.Errorf("%+v, %v", list, err)
	}
	if err := all.Delete(id); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(all.dir); err != nil || len(entries) != 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

func TestConversation_IsKeptOfSessionsWithIdsOfOursOnly(t *testing.T) {
	w := newWorld(t)
	for _, id := range []SessionID{"", "run-42", "../../x", SessionID("sesn_" + strings.Repeat("/", 20))} {
		if _, err := w.trail.Conversations().Begin(id); !errors.Is(err, ErrInvalid) {
			t.Errorf("%q: %v", id, err)
		}
	}
	c := w.begin(NewSession())
	if err := c.Append([]byte("{\n}")); !errors.Is(err, ErrInvalid) {
		t.Errorf("two lines: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestConversations_TellWhoseGrows(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	grown := w.trail.Conversations().Watch(ctx)
	if _, err := os.Stat(w.trail.Conversations().dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("to watch makes the folder: %v", err)
	}
	id := NewSession()
	c := w.begin(id)
	w.said(c, map[string]int{"n": 1})
	if got := <-grown; got != id && got != "" {
		t.Errorf("%q", got)
	}
	for range 2 { // of those that come when the folder is there, too
		id = NewSession()
		other := w.begin(id)
		w.said(other, map[string]int{"n": 1})
		for got := range grown {
			if got == id {
				break
			}
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := ctx.Err(); err != nil {
		t.Fatalf("nobody told of it: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	for range grown { // it is closed
	}
}

// What a redaction erases is nowhere in a conversation either, however it was
// written there, and all else stays, at its place.
func TestRedact_MasksConversations(t *testing.T) {
	w := newWorld(t)
	secret := "door: \"9-4-1\" <b>\n☃ alarm is off\nshort\n" // no line is as long as a piece
	w.write(robot, "a", secret)
	w.write(robot, "b", "nobody needs to hide this line of text, nobody at all\n")
	var viewed strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(secret, "\n"), "\n") {
		fmt.Fprintf(&viewed, "%6d\t%s", i+1, line)
	}
	running, ended := w.begin(NewSession()), w.begin(NewSession())
	talk := func(c *Conversation) {
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
	plan, err := w.store.PlanRedact(t.Context(), RedactTarget{Version: w.versionOf("a", 1).ID})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.store.Redact(t.Context(), alice, plan, RedactChoice{Scrub: Scrub{Wait: time.Second}})
	if err != nil || r.Outcome != OutcomeGone || r.Masked != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.said(running, map[string]any{"type": "idle"})
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.home, conversationFolder, "*"))
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
	w := newWorld(t)
	w.write(robot, "a", "pin 1984\n")
	c := w.begin(NewSession())
	w.said(c, map[string]string{"path": "/1984"}, map[string]string{"text": "pin 1984?"})
	if _, err := c.file.WriteString(`{"text":"it was 1984, I th`); err != nil {
		t.Fatal(err)
	}
	w.write(robot, "a", "pin\n")
	plan, err := w.store.PlanRedact(t.Context(), RedactTarget{Match: []byte("1984")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.store.Redact(t.Context(), alice, plan, RedactChoice{Scrub: Scrub{Wait: time.Second}})
	if err != nil || r.Masked != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	b, err := os.ReadFile(c.file.Name())
	if err != nil || bytes.Contains(b, []byte("1984")) || !strings.HasPrefix(string(b), `{"path":"     "}`) {
		t.Errorf("%s, %v", b, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
