package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

// A version whose file was written over since tells no exact time: of a call that says
// nothing of the content only the one that stands can be its.
func TestACallOfUnknownContent_ExplainsOnlyWhatStillStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "one")
	w.sync()
	w.outside("a.md", "two, longer")
	w.sync()
	w.tell(wrote("S", "t1", "a.md", "", time.Now()))
	vs := w.history("a.md")
	if a, b := writerName(vs[0]), writerName(vs[1]); a != "S/t1" || b != "outside" {
		t.Errorf("what stands is by %s, what was before by %s", a, b)
	}
}

func TestADeletionThatEndedWhileTheFileStood_IsNotWhatTookItAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now().Add(-time.Second)
	w.outside("a.md", "a")
	w.sync()
	e := wrote("S", "t1", "a.md", "", before)
	e.Op = versions.CallDeleted
	w.tell(e)
	if err := os.Remove(filepath.Join(w.folder, "a.md")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("deleted by %s", by)
	}
}

// A command that names a file may have done anything while it ran, and nothing after. A call that
// deletes explains that a file is gone whenever somebody looks.
func TestADeletionIsExplainedHoweverLateTheLook(t *testing.T) {
	t.Parallel()
	for op, want := range map[versions.EvidenceOp]string{versions.CallDeleted: "S/t1", versions.CallRan: "outside"} {
		w := newWorld(t)
		w.outside("a.md", "a")
		w.sync()
		began := time.Now()
		if err := os.Remove(filepath.Join(w.folder, "a.md")); err != nil {
			t.Fatal(err)
		}
		e := ran("S", "t1", "a.md", began, time.Now())
		e.Op = op
		w.trail.Near.Window = 0
		time.Sleep(2 * w.trail.Near.Slack)
		w.sync()
		w.tell(e)
		if by := w.by("a.md"); by != want {
			t.Errorf("with %s, deleted by %s, want %s", op, by, want)
		}
	}
}

func TestAMoveIsExplainedWhereTheTextChangedWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a\n")
	w.sync()
	if err := os.Remove(filepath.Join(w.folder, "a.md")); err != nil {
		t.Fatal(err)
	}
	w.outside("b.md", "another text\n")
	e := wrote("S", "t1", "b.md", "", time.Now())
	e.Op, e.From = versions.CallMoved, mustPath("a.md")
	w.tell(e)
	if a, b := w.by("a.md"), w.by("b.md"); a != "S/t1" || b != "S/t1" {
		t.Errorf("gone by %s, there by %s", a, b)
	}
}

func TestAWrite_DoesNotExplainThatAFileWasMovedThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a text that is long enough\n")
	w.sync()
	if err := os.Rename(filepath.Join(w.folder, "a.md"), filepath.Join(w.folder, "b.md")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	w.tell(wrote("S", "t1", "b.md", "a text that is long enough\n", time.Now()))
	if by := w.by("b.md"); by != "outside" {
		t.Errorf("moved by %s", by)
	}
}

func TestWhatIsNoCallOfAnAgent_IsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	for name, spoil := range map[string]func(*versions.Evidence){
		"a person's":           func(e *versions.Evidence) { e.By.Actor.Kind = versions.Person },
		"without an agent":     func(e *versions.Evidence) { e.By.Actor.Name = "" },
		"without a session":    func(e *versions.Evidence) { e.By.Session = "" },
		"an agent, too long":   func(e *versions.Evidence) { e.By.Actor.Name = strings.Repeat("x", 1<<20) },
		"a session, no text":   func(e *versions.Evidence) { e.By.Session = "\xff" },
		"a call, no text":      func(e *versions.Evidence) { e.By.ToolUse = "\xff" },
		"at the root":          func(e *versions.Evidence) { e.Path = mustPath("") },
		"a write from a place": func(e *versions.Evidence) { e.From = mustPath("b.md") },
		"a move from nowhere":  func(e *versions.Evidence) { e.Op = versions.CallMoved },
		"of another kind":      func(e *versions.Evidence) { e.Op = "burnt" },
	} {
		e := wrote("S", "t1", "a.md", "a", time.Now())
		spoil(&e)
		if err := w.store.Report(t.Context(), e); err == nil {
			t.Errorf("%s: it is taken in", name)
		}
		if err := w.trail.Spool(w.store.Info().ID, e); err == nil {
			t.Errorf("%s: it is put down", name)
		}
	}
	if c, err := w.store.LastChange(t.Context()); err != nil || c != 0 {
		t.Errorf("%d changes, %v", c, err)
	}
}

// An agent may write by a server of memend, and somebody tell of that very call: it
// wrote nothing past memend, and explains nothing that is found in the folder.
func TestACallThatCameThroughMemend_IsPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "sesn_mcp", ToolUse: "toolu_1"}
	w.write(by, "a.md", "by the server")
	by.ToolUse = "toolu_2"
	w.view(by, "a.md")
	w.flush()
	now := time.Now()
	read := wrote("S", "toolu_2", "a.md", "", now)
	read.Op = versions.CallRead
	w.tell(wrote("S", "toolu_1", "a.md", "", now), read)
	if rs := w.reads("a.md"); len(rs) != 1 || rs[0].Session != "sesn_mcp" {
		t.Errorf("it was read %d times, %+v", len(rs), rs)
	}
	w.outside("a.md", "by a person, at once")
	w.sync()
	if by := w.by("a.md"); by != "outside" {
		t.Errorf("by %s", by)
	}
	w.tell(wrote("S", "toolu_3", "a.md", "by a person, at once", time.Now())) // another call is heard
	if by := w.by("a.md"); by != "S/toolu_3" {
		t.Errorf("by %s", by)
	}
}
