package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
)

// The memory-stores API lets two stores have one name, of nearly any characters.
func TestATitleMayBeAnyTextAndTakenTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for title, name := range map[string]string{
		"User Preferences": "user-preferences", "../..": "store", "日本": "store", "a/b\\c": "a-b-c",
		strings.Repeat("long ", 51): strings.TrimRight(strings.Repeat("long-", 12), "-"),
	} {
		first, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{Title: title, Metadata: map[string]string{"user": "u1"}, Upstream: versions.Remote{URL: "https://x.test", Store: "memstore_1"}})
		if err != nil || !strings.HasPrefix(first.Name, name) || first.Title != title || first.Metadata["user"] != "u1" || first.Upstream.Store != "memstore_1" {
			t.Errorf("%q: %+v, %v", title, first, err)
			continue
		}
		second, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{Title: title})
		if err != nil || second.Name == first.Name || second.Title != title || second.Upstream != (versions.Remote{}) {
			t.Errorf("%q again: %+v, %v", title, second, err)
		}
	}
	for _, title := range []string{"a\nb", strings.Repeat("x", 256), "\xff"} {
		if s, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{Title: title}); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%q made %+v, %v", title, s, err)
		}
	}
	if _, err := w.trail.MakeStore(t.Context(), alice, versions.NewStore{}); err == nil {
		t.Error("a store of nothing was made")
	}
}

func TestForeignIDsAreKeptAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"mem_011CZkZ9X2dpNyB6YbtxvB6e", "mem_1", "mem_abcdefghijklmn1", "mem_a-b_c", "mem_" + strings.Repeat("z", 64), ids.Format(ids.MemoryPrefix, ids.New()),
		"mem-00000001-aa", "0b5e0f1c-6d1e-4c55-9a5b-2f5d9f5a7c11", "x", "fourteenbytes-"} {
		if uid := ids.Parse(ids.MemoryPrefix, id); uid == nil || ids.Format(ids.MemoryPrefix, uid) != id {
			t.Errorf("%s became %s", id, ids.Format(ids.MemoryPrefix, uid))
		}
	}
	for _, id := range []string{"mem_", "mem_a b", "mem_../x", "mem_\x00", "mem_" + strings.Repeat("z", 65), "memver_1", "sesn_1", "a b", "=x", "", strings.Repeat("z", 65)} {
		if uid := ids.Parse(ids.MemoryPrefix, id); uid != nil {
			t.Errorf("%q was taken for an id", id)
		}
	}
	if ids.Parse(ids.SessionPrefix, "sesn_../x") != nil || ids.Parse(ids.StorePrefix, "memstore_1") != nil || ids.Parse(ids.StorePrefix, "store-1") != nil {
		t.Error("ids of stores and sessions are ours alone")
	}
}
