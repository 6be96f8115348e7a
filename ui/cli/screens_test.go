package cli

import (
	"os"
	"testing"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// The TUI opens a store whose folder is gone, to show its past.
func TestScreens_OpenAStoreWithoutItsFolder(t *testing.T) {
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	folder := t.TempDir()
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}, "notes", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	home := &homeStores{Home: local.Home{Trail: trail}}
	if _, _, err := home.Open(t.Context(), info.ID); err != nil {
		t.Error(err)
	}
	if err := home.close(); err != nil {
		t.Error(err)
	}
}
