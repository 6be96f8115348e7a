package versions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func noteOf(session, toolUse string) By {
	return By{Actor: Actor{Kind: Agent, Name: "claude-code/reviewer"}, Session: SessionID(session), ToolUse: toolUse}
}

func TestANoteOfACallIsFoundByItsToolUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, id := range []string{"toolu_1", "../toolu", strings.Repeat("x", 200)} {
		want := noteOf(fmt.Sprint("S", i), id)
		must(w, NoteCall(w.home, want))
		if got, ok := w.trail.NotedCall(id); !ok || got != want {
			t.Errorf("%s: %+v, %v", id, got, ok)
		}
	}
	for _, id := range []string{"", "toolu_2"} {
		if got, ok := w.trail.NotedCall(id); ok {
			t.Errorf("%q: %+v", id, got)
		}
	}
	for _, by := range []By{noteOf("", "t"), noteOf("S", ""), noteOf("S", strings.Repeat("x", 10_000))} {
		if err := NoteCall(w.home, by); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", by, err)
		}
	}
	if NoteCall(filepath.Join(t.TempDir(), "gone"), noteOf("S", "t")) == nil {
		t.Error("a home was made for a note")
	}
}

func TestNotesOfCallsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := time.Now().Add(-time.Hour)
	for i := range maxNotes {
		id := fmt.Sprint("t", i)
		must(w, NoteCall(w.home, noteOf("S", id)))
		must(w, os.Chtimes(filepath.Join(w.home, spoolFolder, noteName(id)), old, old.Add(time.Duration(i)*time.Second)))
	}
	must(w, NoteCall(w.home, noteOf("S", "new")))
	if n := w.waiting(); n != maxNotes/2 {
		t.Errorf("%d notes are left", n)
	}
	for id, want := range map[string]bool{"new": true, fmt.Sprint("t", maxNotes-1): true, "t0": false} {
		if _, ok := w.trail.NotedCall(id); ok != want {
			t.Errorf("%s is found: %v", id, ok)
		}
	}
}

func TestARedactionErasesNotesOfCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(w, NoteCall(w.home, noteOf("S", "toolu_secret")))
	if unknown := w.trail.eraseSpool(""); len(unknown) > 0 {
		t.Error(unknown)
	}
	if _, ok := w.trail.NotedCall("toolu_secret"); ok {
		t.Error("it is still there")
	}
}
