package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/stores"
)

func TestWhatIsSaidOfAStoreChangesAsAPatch(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	id := w.store.Info().ID
	c.pass(1e9)
	text := func(s string) *string { return &s }
	hostile := "\x1b[2J\u202e\x00\u200b\nline \"quoted\" \\ é漢🙂"
	info, err := stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Name: text("renamed"), Description: text(hostile),
		Metadata: map[string]*string{"user": text("u1"), hostile: text(hostile), "empty": text("")}})
	if err != nil || info.Name != "renamed" || info.Description != hostile || !info.Updated.Equal(c.now()) ||
		!maps.Equal(info.Metadata, map[string]string{"user": "u1", hostile: hostile, "empty": ""}) {
		t.Fatalf("%+v, %v", info, err)
	}
	info, err = stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Metadata: map[string]*string{"user": text("u2"), "empty": nil, "none": nil}})
	if err != nil || info.Name != "renamed" || info.Description != hostile || !maps.Equal(info.Metadata, map[string]string{"user": "u2", hostile: hostile}) {
		t.Fatalf("%+v, %v", info, err)
	}
	if found, err := w.trail.FindStore(t.Context(), "renamed"); err != nil || found.ID != id || found.Folder != w.store.Info().Folder {
		t.Errorf("%+v, %v", found, err)
	}
	if info, err = stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Name: text("renamed"), Description: text("")}); err != nil || info.Description != "" {
		t.Errorf("its own name again: %+v, %v", info, err)
	}
}

func TestWhatNoStoreCanHaveIsRefusedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.store.Info().ID
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, "taken", "", ""); err != nil {
		t.Fatal(err)
	}
	text := func(s string) *string { return &s }
	pairs := func(n int) map[string]*string {
		m := map[string]*string{}
		for i := range n {
			m[fmt.Sprint("k", i)] = text("v")
		}
		return m
	}
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, u := range map[string]versions.StoreUpdate{
		"a taken name":          {Name: text("taken")},
		"an empty name":         {Name: text("")},
		"a name of controls":    {Name: text("a\x1b[2Jb")},
		"a name with C1":        {Name: text("a\u009bb")},
		"a name that climbs":    {Name: text("../x")},
		"a hidden name":         {Name: text(".x")},
		"a name like an id":     {Name: text("memstore_x")},
		"a long name":           {Name: text(long(256))},
		"a name that's no text": {Name: text("\xff")},
		"a long description":    {Description: text(long(1025))},
		"no UTF-8":              {Description: text("\xff")},
		"17 pairs":              {Metadata: pairs(17)},
		"an empty key":          {Metadata: map[string]*string{"": text("v")}},
		"a long key":            {Metadata: map[string]*string{long(65): text("v")}},
		"a long value":          {Metadata: map[string]*string{"k": text(long(513))}},
		"a key not UTF-8":       {Metadata: map[string]*string{"\xff": text("v")}},
		"a value not UTF-8":     {Metadata: map[string]*string{"k": text("\xff")}},
	} {
		if u.Description == nil {
			u.Description = text("must not be kept")
		}
		if _, err := stores.Update(t.Context(), w.trail, alice, id, u); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	info, err := stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Description: text(long(1024)),
		Metadata: map[string]*string{long(64): text(long(512))}})
	if err != nil || len(info.Metadata) != 1 {
		t.Fatalf("the largest there may be: %v", err)
	}
	if info, err = stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Metadata: pairs(15)}); err != nil || len(info.Metadata) != 16 {
		t.Errorf("16 pairs: %v", err)
	}
	if _, err := stores.Update(t.Context(), w.trail, alice, id, versions.StoreUpdate{Metadata: map[string]*string{"one more": text("v")}}); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("17 in the end: %v", err)
	}
	if _, err := stores.Update(t.Context(), w.trail, alice, "memstore_none", versions.StoreUpdate{}); !errors.Is(err, versions.ErrNoStore) {
		t.Error(err)
	}
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, "described", long(1025), ""); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("create with a long description: %v", err)
	}
}
