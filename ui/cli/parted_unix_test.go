//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions/db"
)

// A person is told once that a folder is not in step with a service any more; agents are not.
func TestAStoreThatWasInStepIsToldOnce(t *testing.T) {
	dir := emptyPlace(t)
	if code, _, errs := runLine("stores create team"); code != 0 {
		t.Fatal(errs)
	}
	pool := db.OpenFile(filepath.Join(dir, "home", db.File), "")
	if _, err := pool.ExecContext(t.Context(), `UPDATE store SET parted='ssh://devbox'`); err != nil {
		t.Fatal(err)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		line  string
		tells bool
	}{
		{"stores --actor agent:robot", false}, {"stores", true}, {"stores", false},
	} {
		code, _, errs := runLine(c.line)
		if got := strings.Contains(errs, "no longer connects stores to ssh://devbox"); code != 0 || got != c.tells {
			t.Errorf("%d: memend %s: %d, %q", i, c.line, code, errs)
		}
	}
}
