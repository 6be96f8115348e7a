package wording

import (
	"fmt"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// The screens write "/a.md" for what the memory tool writes as "/memories/a.md".
func TestWhy_NamesPathsAsTheScreensDo(t *testing.T) {
	p, err := memfs.ParsePath("/people/lee.md")
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"remove /people/lee.md: permission denied":                            &memfs.OpError{Op: "remove", Path: p, Err: memfs.ErrNoPermission},
		"write in the store's folder: permission denied":                      &memfs.OpError{Op: "write", Path: memfs.Root, Err: memfs.ErrNoPermission},
		"change 4: rename /memories/people/lee.md: no space left on the disk": fmt.Errorf("change 4: %w", &memfs.OpError{Op: "rename", Path: p, Err: memfs.ErrNoSpace}),
		"/people/lee.md already exists: choose another name":                  &memfs.OpError{Op: "create", Path: p, Err: memfs.ErrExist},
		"denied: /people/lee.md is pinned for agents":                         versions.PinnedError(p, versions.Pin{Path: p, For: versions.PinAgents}),
		"denied: /people/lee.md is pinned for all: unpin it first":            versions.PinnedError(p, versions.Pin{Path: p, For: versions.PinAll}),
		"/people/lee.md: denied: / is pinned for all: unpin it first":         versions.PinnedError(p, versions.Pin{For: versions.PinAll}),
		`/people/lee.md: denied: line 3 of the store's policy says "deny"`:    &versions.DeniedError{Path: p, Why: `line 3 of the store's policy says "deny"`},
	} {
		if got := Why(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
