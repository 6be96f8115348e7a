package calls

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTake_StopsAtAReportThatMustWait(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, owner := range []string{"store_a", "store_a", "store_ab", "store_a"} {
		if err := Add(home, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	var taken []string
	Take(home, "store_a", func(b []byte) bool {
		taken = append(taken, string(b))
		return len(taken) < 2
	})
	if !slices.Equal(taken, []string{`"store_a"`, `"store_a"`}) {
		t.Errorf("taken: %q", taken)
	}
	if files, err := list(home, ""); err != nil || len(files) != 3 {
		t.Errorf("%q are left, %v", files, err)
	}
}

func TestReportsThatNobodyTakesAreBounded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for range maxFiles {
		if err := Add(home, "store", "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := Add(home, "store", "x"); err == nil || !strings.Contains(err.Error(), "waiting") {
		t.Errorf("one more: %v", err)
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range maxNotes {
		id := fmt.Sprint("t", i)
		if err := Note(home, id, id); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(home, Folder, noteName(id)), old, old.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if err := Note(home, "new", "new"); err != nil {
		t.Fatal(err)
	}
	if files, err := list(home, ""); err != nil || len(files) != maxNotes/2 {
		t.Errorf("%d notes are left, %v", len(files), err)
	}
	for id, want := range map[string]bool{"new": true, fmt.Sprint("t", maxNotes-1): true, "t0": false} {
		var found string
		if ok := FindNote(home, id, &found); ok != want || ok && found != id {
			t.Errorf("%s is found: %v, %q", id, ok, found)
		}
	}
	if left := Erase(home, ""); len(left) > 0 || FindNote(home, "new", new(string)) {
		t.Errorf("it is still there: %q", left)
	}
}

func TestNoHomeIsCreated(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "gone")
	if Add(home, "store", "x") == nil || Note(home, "t", "x") == nil {
		t.Error("a file was written to a home that is gone")
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("a home was created")
	}
}
