package memfs

import "testing"

func TestLeftoversAreKnownByTheirNames(t *testing.T) {
	for _, name := range []string{"a.md~", "~", "#a.md#", "4913", "a.sync-conflict-20261128-101112-ABCDEFG.md", "a (conflicted copy 2026-11-28).md", "a (Ann's conflicted copy 2026-11-28).md"} {
		if Leftover(name) == "" {
			t.Errorf("%q is a memory", name)
		}
	}
	for _, name := range []string{"a.md", "~a.md", "#a.md", "a.md#", "#", "##", "4914", "14913", "4913.md", "sync-conflict.md", "conflicted copy.md", "notes (copy).md"} {
		if why := Leftover(name); why != "" {
			t.Errorf("%q is %s", name, why)
		}
	}
}
