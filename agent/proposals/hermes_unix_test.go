//go:build unix

package proposals

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hermes is a home of Hermes with memories and one proposal for each payload.
func hermes(t *testing.T, memory string, payloads ...map[string]any) *machine {
	m := newMachine(t)
	m.write(".hermes/config.yaml", "model: x\nmemory:\n  write_approval: true\n")
	m.write(".hermes/memories/MEMORY.md", memory)
	for i, p := range payloads {
		m.pending(fmt.Sprintf("0000000%d", i), time.Duration(100-i)*time.Minute, p)
	}
	m.open(".hermes/memories")
	return m
}

// pending stages a write as Hermes does.
func (m *machine) pending(id string, age time.Duration, payload map[string]any) {
	m.t.Helper()
	b, err := json.MarshalIndent(map[string]any{"id": id, "subsystem": "memory", "action": payload["action"], "summary": "add to memory: …", "origin": "background_review",
		"created_at": ago(age), "payload": payload}, "", "  ")
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(".hermes/pending/memory/"+id+".json", string(b))
}

func op(action, content, old string) map[string]any {
	return map[string]any{"action": action, "target": "memory", "content": content, "old_text": old}
}

const twoEntries = "The user prefers tabs.\n§\nShop uses Postgres 15.\nIn Docker."

func TestHermesWritesAreApplied(t *testing.T) {
	batch := map[string]any{"action": "batch", "target": "memory", "operations": []any{op("remove", "", "tabs"), op("add", "One more.", ""), op("replace", "Shop uses MySQL.", "Postgres")}}
	for _, c := range []struct {
		name    string
		payload map[string]any
		want    string
	}{
		{"add", op("add", "  One more. \n", ""), twoEntries + "\n§\nOne more."},
		{"replace by a part", op("replace", "Shop uses MySQL.", "Postgres"), "The user prefers tabs.\n§\nShop uses MySQL."},
		{"remove", op("remove", "", "tabs"), "Shop uses Postgres 15.\nIn Docker."},
		{"batch", batch, "Shop uses MySQL.\n§\nOne more."},
	} {
		m := hermes(t, twoEntries, c.payload)
		if w := m.one(); w.Name != "hermes:00000000" || w.Note == "" || time.Since(w.Time) < time.Hour {
			t.Errorf("%s: %+v", c.name, w)
		}
		change := m.accept()
		if got := m.read(".hermes/memories/MEMORY.md"); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
		if m.read(".hermes/pending/memory/00000000.json") != "(none)" || change.Actor.Name != "hermes" {
			t.Errorf("%s: %+v", c.name, change)
		}
	}
}

func TestAHermesWriteWithoutAFileCreatesIt(t *testing.T) {
	m := hermes(t, twoEntries, map[string]any{"action": "add", "target": "user", "content": "Lee, in Oslo."})
	m.accept()
	if got := m.read(".hermes/memories/USER.md"); got != "Lee, in Oslo." {
		t.Errorf("%q", got)
	}
	if e := entry(t, m.store, "USER.md"); e.Actor.Name != "hermes" {
		t.Errorf("%+v", e)
	}
}

func TestAnEntryThatExistsIsAcceptedWithoutAChange(t *testing.T) {
	m := hermes(t, twoEntries, op("add", "The user prefers tabs.", ""))
	if c := m.accept(); c.Number != 0 {
		t.Errorf("%+v", c)
	}
	m.want()
}

func TestHermesWritesThatCanNotBeAppliedSayWhy(t *testing.T) {
	m := hermes(t, twoEntries,
		op("replace", "x", "no such"), op("remove", "", "s"), op("replace", "x", ""), op("add", " ", ""), op("forget", "x", ""), op("add", strings.Repeat("é", 2200-len([]rune(twoEntries))-2), ""))
	m.want(`hermes:00000000 ! no entry contains "no such" any more`, `hermes:00000001 ! more than one entry contains "s"`, "hermes:00000002 ! it does not say which entry to replace",
		"hermes:00000003 ! it contains no text", `hermes:00000004 ! it asks for an unknown action: "forget"`, "hermes:00000005 ! the file would have 2201 characters of at most 2200")
	for _, w := range m.list() {
		if err := Reject(t.Context(), m.store, alice, w, "old"); err != nil {
			t.Error(err)
		}
	}
	m.want()
}

func TestHermesLimitsAreThoseOfItsSettings(t *testing.T) {
	m := hermes(t, twoEntries, op("add", strings.Repeat("x", 2500), ""))
	m.write(".hermes/config.yaml", "memory:\n  memory_char_limit: 9000 # more\n")
	m.want("hermes:00000000")
	m.write(".hermes/config.yaml", "memory: [broken\n")
	m.want("hermes:00000000 ! the file would have 2561 characters of at most 2200")
}

func TestTextThatIsNoEntryStopsAllButAnAddition(t *testing.T) {
	m := hermes(t, twoEntries+"\n§\n\n§\n", op("remove", "", "tabs"), op("add", "One more.", ""))
	if got := m.names(); !strings.Contains(got, "00000000 ! the file contains text that is not an entry") || !strings.HasSuffix(got, "hermes:00000001") {
		t.Error(got)
	}
}

func TestWhatHermesCanNotReadIsNotListed(t *testing.T) {
	m := hermes(t, twoEntries)
	m.write(".hermes/pending/memory/x.json", "{")
	m.write(".hermes/pending/memory/x.json.tmp", "{}")
	m.write(".hermes/pending/skills/y.json", `{"payload":{"action":"add","content":"x"}}`)
	m.want()
}

func TestEachProfileOfHermesHasItsOwn(t *testing.T) {
	m := hermes(t, twoEntries, op("add", "x", ""))
	m.write(".hermes/profiles/team/memories/MEMORY.md", "a")
	m.write(".hermes/profiles/team/pending/memory/00000009.json", `{"payload":{"action":"add","content":"b"}}`)
	m.want("hermes:00000000")
	m.open(".hermes/profiles/team/memories")
	m.want("hermes:00000009")
	m.accept()
	if got := m.read(".hermes/profiles/team/memories/MEMORY.md"); got != "a\n§\nb" {
		t.Errorf("%q", got)
	}
}

func TestAcceptWaitsForHermesToFinishAWrite(t *testing.T) {
	m := hermes(t, twoEntries, op("add", "x", ""))
	m.write(".hermes/memories/MEMORY.md.lock", "")
	f, err := os.Open(m.path(".hermes/memories/MEMORY.md.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	w := m.one()
	if _, err := Accept(t.Context(), m.store, alice, w); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Fatalf("%v", err)
	}
	unlocked := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() {
		defer close(unlocked)
		_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	})
	_, err = Accept(t.Context(), m.store, alice, w)
	<-unlocked // before f is closed
	if err != nil {
		t.Fatal(err)
	}
}
