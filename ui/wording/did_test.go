package wording

import (
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

func path(t *testing.T, s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDid_SaysWhatHappenedInOneWord(t *testing.T) {
	outside := versions.Actor{Kind: versions.Outside}
	for want, v := range map[string]versions.Version{
		"created": {Operation: versions.Created, Kind: versions.KindAdopt, Actor: outside},
		"found":   {Operation: versions.Created, Kind: versions.KindAdopt, Actor: outside, Found: true},
		"edited":  {Operation: versions.Modified, Kind: versions.KindAdopt, Actor: outside},
		"renamed": {Operation: versions.Modified, Kind: versions.KindRename, From: path(t, "/a")},
		"deleted": {Operation: versions.Deleted, Kind: versions.KindDelete},
		"forgot":  {Operation: versions.Deleted, Kind: versions.KindForget},
	} {
		if got := Did(v); got != want {
			t.Errorf("%+v: %s, want %s", v, got, want)
		}
	}
}

func TestSentence_NamesAChangeByWhatHappened(t *testing.T) {
	a, b, root := path(t, "/a"), path(t, "/b"), memfs.Root
	type (
		c = versions.Change
		e = versions.Effect
	)
	for _, test := range []struct {
		change c
		want   string
	}{
		{c{Kind: versions.KindAdopt, Path: a, Versions: 1, Effect: e{Created: 1, Path: a}}, "created /a"},
		{c{Kind: versions.KindAdopt, Path: a, Versions: 1, Effect: e{Found: 1, Path: a}}, "found /a"},
		{c{Kind: versions.KindAdopt, Path: a, Versions: 1, Effect: e{Deleted: 1, Path: a}}, "deleted /a"},
		{c{Kind: versions.KindAdopt, Path: b, Versions: 1, Effect: e{Renamed: 1, Path: b, From: a}}, "renamed /a → /b"},
		{c{Kind: versions.KindAdopt, Path: b, Versions: 1, Effect: e{Renamed: 1, Both: 1, Path: b, From: a}}, "renamed /a → /b and edited it"},
		{c{Kind: versions.KindAdopt, Path: root, Versions: 4, Effect: e{Created: 3, Deleted: 1}}, "3 created, 1 deleted in /"},
		{c{Kind: versions.KindAdopt, Path: root, Versions: 4, Effect: e{Found: 4}}, "found 4 memories"},
		{c{Kind: versions.KindDelete, Path: a, Versions: 2, Effect: e{Deleted: 2}}, "deleted /a (2 memories)"},
		{c{Kind: versions.KindDelete, Path: a, Versions: 2}, "deleted /a (2 memories)"}, // its versions are lost
		{c{Kind: versions.KindRename, Path: a, To: b, Versions: 2, Effect: e{Renamed: 2}}, "renamed /a → /b (2 memories)"},
		{c{Kind: versions.KindRestore, Path: root, Versions: 1, Effect: e{Edited: 1, Path: a}}, "restored /a"},
		{c{Kind: versions.KindEdit, Path: root, Versions: 1, Effect: e{Edited: 1, Path: a}}, "edited /a"},
		{c{Kind: versions.KindEdit, Path: root, Versions: 1, Effect: e{Edited: 1, Redacted: 1}}, "edited a redacted memory"},
		{c{Kind: versions.KindAdopt, Path: a, Links: []versions.LinkChange{{Path: a, Was: "x", Now: "y\x1b[1m"}}}, "changed link /a → y" + text.Field("\x1b[1m")},
		{c{Kind: versions.KindAdopt, Path: a, Links: []versions.LinkChange{{Path: a, Was: "x"}}}, "deleted link /a"},
		{c{Kind: versions.KindAdopt, Path: root, Links: []versions.LinkChange{{Path: a, Was: "x"}, {Path: b, Now: "x"}}}, "changed 2 links in /"},
		{c{Kind: versions.KindUndo, Path: root, Undoes: 5, Versions: 1, Effect: e{Edited: 1, Path: a}}, "undid #5"},
		{c{Kind: versions.KindUndo, Path: root, Of: "run", Versions: 2, Effect: e{Edited: 2}}, "undid changes of session run (2 memories)"},
		{c{Kind: versions.KindRedo, Path: root, Versions: 2, Effect: e{Edited: 2}}, "redid changes in / (2 memories)"},
	} {
		if got := Sentence(test.change, Screen); got != test.want {
			t.Errorf("%+v: %q, want %q", test.change, got, test.want)
		}
	}
}
