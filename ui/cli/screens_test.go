package cli

import (
	"os"
	"testing"

	"github.com/memend/memend/versions"
)

// The TUI opens a store whose folder is gone, to show its past.
func TestScreens_OpenAStoreWithoutItsFolder(t *testing.T) {
	trail, err := versions.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	folder := t.TempDir()
	info, err := trail.CreateStore(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}, "notes", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	home := &homeStores{Trail: trail}
	if _, _, err := home.Open(t.Context(), info.ID); err != nil {
		t.Error(err)
	}
	if err := home.close(); err != nil {
		t.Error(err)
	}
}
