package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

// A person got a bad answer. Five keys lead from the session that gave it to a store without what misled it, and
// without what else followed from that.
func TestTrace_LeadsFromABadAnswerToACleanStoreInFiveKeys(t *testing.T) {
	t.Parallel()
	q := newQueue(t, 120, 36)
	q.policy("open")
	agentOf := func(session string) versions.By {
		return versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: session}, Session: versions.SessionID(session)}
	}
	reads := func(session, path string) {
		t.Helper()
		if r, _, err := q.versions.Tool(t.Context(), agentOf(session), memfs.View{Path: "/memories/" + path}, memfs.Options{}); err != nil || r.IsError {
			t.Fatal(r, err)
		}
	}
	q.writes(reviewer, "rules.md", "ask first\n")
	q.writes(versions.By{Actor: versions.Actor{Kind: versions.Outside}}, "note.md", "never ask\n")
	reads("writer", "note.md")
	q.writes(agentOf("writer"), "rules.md", "ask first\nor never\n")
	q.writes(agentOf("writer"), "more.md", "never ask\n")
	q.writes(agentOf("apart"), "apart.md", "fine\n")
	reads("answerer", "rules.md")
	if err := q.app.cfg.Trail.(local.Home).Trail.FlushReads(t.Context()); err != nil {
		t.Fatal(err)
	}
	q.arrives()

	for i, key := range []string{"A", "T", "f", "u", "a"} {
		q.keys(key)
		if want := []string{"answerer", "comes from · /rules.md", "may come from it · /note.md", "undo 3 changes", ""}[i]; !strings.Contains(q.screen(), want) {
			t.Fatalf("after %s the screen does not show %q:\n%s", key, want, q.screen())
		}
	}
	q.arrives()
	got := map[string]string{}
	entries, err := history.Tree(t.Context(), q.versions)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		paths = append(paths, e.Path.String())
		got[e.Path.String()] = q.content(e.Path.String()[1:])
	}
	if got["/rules.md"] != "ask first\n" || got["/apart.md"] != "fine\n" || slices.Contains(paths, "/note.md") || slices.Contains(paths, "/more.md") {
		t.Errorf("%q", got)
	}
}
