package versions_test

import (
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
)

func TestLaterChange_SaysRestoredOnlyOfWhatBroughtAMemoryBack(t *testing.T) {
	at, err := memfs.ParsePath("a.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[versions.ChangeKind]string{
		versions.KindCreate:  "/memories/a.md was created since, by change 4",
		versions.KindRestore: "/memories/a.md was restored since, by change 4",
		versions.KindUndo:    "/memories/a.md was restored since, by change 4",
	} {
		e := versions.LaterChangeError{Path: at, Later: 4, Kind: kind, Clash: planning.ClashRevived}
		if got := e.Error(); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
