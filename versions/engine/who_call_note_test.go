package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/calls"
	vengine "github.com/memend/memend/versions/engine"
)

func noteOf(session, toolUse string) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code/reviewer"}, Session: versions.SessionID(session), ToolUse: toolUse}
}

func TestANoteOfACallIsFoundByItsToolUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, id := range []string{"toolu_1", "../toolu", strings.Repeat("x", 200)} {
		want := noteOf(fmt.Sprint("S", i), id)
		must(w, vengine.NoteCall(w.home, want))
		if got, ok := w.trail.NotedCall(id); !ok || got != want {
			t.Errorf("%s: %+v, %v", id, got, ok)
		}
	}
	for _, id := range []string{"", "toolu_2"} {
		if got, ok := w.trail.NotedCall(id); ok {
			t.Errorf("%q: %+v", id, got)
		}
	}
	for _, by := range []versions.By{noteOf("", "t"), noteOf("S", ""), noteOf("S", strings.Repeat("x", 10_000))} {
		if err := vengine.NoteCall(w.home, by); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%+v: %v", by, err)
		}
	}
	if vengine.NoteCall(filepath.Join(t.TempDir(), "gone"), noteOf("S", "t")) == nil {
		t.Error("a home was made for a note")
	}
}

func TestARedactionErasesNotesOfCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must(w, vengine.NoteCall(w.home, noteOf("S", "toolu_secret")))
	if unknown := calls.Erase(w.home, ""); len(unknown) > 0 {
		t.Error(unknown)
	}
	if _, ok := w.trail.NotedCall("toolu_secret"); ok {
		t.Error("it is still there")
	}
}
