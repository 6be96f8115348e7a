package exchange

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFile_ReplacesOnlyWhenItMay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "out")
	if err := WriteFile(file, []byte("one"), false); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(file, []byte("two"), false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}
	if b, _ := os.ReadFile(file); string(b) != "one" {
		t.Errorf("it holds %q", b)
	}
	if err := WriteFile(file, []byte("two"), true); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(file); string(b) != "two" {
		t.Errorf("it holds %q", b)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("three"), true); err == nil {
		t.Error("a link is replaced")
	}
	if err := WriteFile(dir, []byte("three"), true); err == nil {
		t.Error("a folder is replaced")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
