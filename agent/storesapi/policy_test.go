package storesapi

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// What the policy of a store holds or denies is forbidden to a client, and it is told why.
func TestAHeldWriteIsForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Erase = true })
	at := w.store()
	m := w.post(at+"/memories", object{"path": "/a.md", "content": "one"}).ok()
	v := m.str("memory_version_id")
	w.post(m.place(), object{"content": "two"}).ok()
	info, err := w.trail.FindStore(t.Context(), strings.TrimPrefix(at, storesPath+"/"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	mira := versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}
	for rules, want := range map[string]string{"hold actor:agent": "held for review as #", "deny actor:agent": "denied: line 1 of the store's policy"} {
		if err := review.SetPolicy(t.Context(), s, mira, "", rules); err != nil {
			t.Fatal(err)
		}
		for what, r := range map[string]reply{
			"create": w.post(at+"/memories", object{"path": "/new.md", "content": "x"}),
			"update": w.post(m.place(), object{"content": "three"}),
			"delete": w.delete(m.place()),
		} {
			if got := r.is(403, "permission_error").str("error", "message"); !strings.Contains(got, want) {
				t.Errorf("%s, %s: %q", rules, what, got)
			}
		}
		for what, r := range map[string]reply{
			"redact":       w.post(at+"/memory_versions/"+v+"/redact", nil),
			"archive":      w.post(at+"/archive", nil),
			"settings":     w.post(at, object{"description": "x"}),
			"delete store": w.delete(at),
		} {
			if got := r.is(403, "permission_error").str("error", "message"); !strings.Contains(got, "denied") {
				t.Errorf("%s, %s: %q", rules, what, got)
			}
		}
	}
	w.get(m.place()).has("content", "two")
}
