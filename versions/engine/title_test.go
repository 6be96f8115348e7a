package engine_test

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

// Whatever shows who did something shows the title of the actor as its client sent it
// last. A title makes no other actor.
func TestTheTitleOfAnActorIsTheLastOneThatItsClientSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "my-agent 1.2"}, Session: "S"}
	titled := func(title string) versions.By {
		by := by
		by.Actor.Title = title
		return by
	}
	for i, c := range []struct{ send, want string }{
		{"", ""}, {"My Agent 1.2", "My Agent 1.2"}, {"", "My Agent 1.2"}, {"Mine 1.2", "Mine 1.2"}, {strings.Repeat("x", versions.MaxWordBytes+1), "Mine 1.2"}, {"\xff", "Mine 1.2"},
	} {
		w.write(titled(c.send), "a.md", strings.Repeat("x", i+1))
		w.store.NoteRead(titled(c.send), mustPath("a.md"))
		w.flush()
		want := by.Actor
		want.Title = c.want
		e := w.entry("a.md")
		cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 1)
		must(w, err)
		ss, _, err := vhistory.Sessions(t.Context(), w.store, versions.SessionFilter{}, "", 10)
		must(w, err)
		as, _, err := vhistory.Activity(t.Context(), w.store, versions.ActivityFilter{}, "", 2)
		must(w, err)
		tree, err := vhistory.Tree(t.Context(), w.store)
		must(w, err)
		rs, _, err := vhistory.Reads(t.Context(), w.store, e.Memory, "", 1)
		must(w, err)
		for what, got := range map[string]versions.Actor{"entry": e.Actor, "version": w.history("a.md")[0].Actor, "change": cs[0].Actor, "session": ss[0].Actor, "activity": as[0].Actor,
			"activity before": as[1].Actor, "tree": tree[0].Actor, "read": rs[0].Actor} {
			if got != want {
				t.Errorf("%d, %s: %+v, want %+v", i, what, got, want)
			}
		}
		if len(ss) != 1 {
			t.Errorf("%d sessions", len(ss))
		}
	}
	w.check()
}
