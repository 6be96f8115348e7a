package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

func TestNotes_AreOfferedForACorrectionThatCodexWouldLose(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 30)
	q.app.info.Metadata = map[string]string{places.Profile: "codex"}
	q.on("safe.md").keys("enter e")
	q.typed("never ")
	q.keys("ctrl+s")
	q.shows("write a note too?", "extensions/ad_hoc/notes.")
	q.keys("enter") // the default
	count := func() (n int) {
		all, err := history.Tree(t.Context(), q.versions)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if strings.HasPrefix(e.Path.String(), "/extensions/ad_hoc/notes/") {
				n++
			}
		}
		return n
	}
	if n := count(); n != 0 {
		t.Fatalf("%d notes without an answer", n)
	}
	q.typed("ever ")
	q.keys("ctrl+s y")
	q.shows("wrote the note")
	if n := count(); n != 1 {
		t.Errorf("%d notes", n)
	}
	q.app.info.Metadata = map[string]string{places.Profile: "serena"}
	q.typed("again ")
	q.keys("ctrl+s")
	q.hides("write a note too?")
	if c, err := history.Changes(t.Context(), q.versions, versions.Filter{}, 0, 1); err != nil || c[0].Actor != reviewer.Actor {
		t.Errorf("%+v, %v", c, err)
	}
}
