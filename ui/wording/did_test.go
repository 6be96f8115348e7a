package wording

import (
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

func TestDid_SaysWhatHappenedInOneWord(t *testing.T) {
	from, err := memfs.ParsePath("/a")
	if err != nil {
		t.Fatal(err)
	}
	outside := versions.Actor{Kind: versions.Outside}
	for want, v := range map[string]versions.Version{
		"created": {Operation: versions.Created, Kind: versions.KindCreate},
		"found":   {Operation: versions.Created, Kind: versions.KindAdopt, Actor: outside},
		"edited":  {Operation: versions.Modified, Kind: versions.KindAdopt, Actor: outside},
		"renamed": {Operation: versions.Modified, Kind: versions.KindRename, From: from},
		"deleted": {Operation: versions.Deleted, Kind: versions.KindDelete},
		"forgot":  {Operation: versions.Deleted, Kind: versions.KindForget},
	} {
		if got := Did(v); got != want {
			t.Errorf("%+v: %s, want %s", v, got, want)
		}
	}
}
