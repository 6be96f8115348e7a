package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
)

func TestProgress_CountsOneAndMany(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]versions.Progress{
		"12 of 300 memories sent": {Done: 12, Total: 300, Of: versions.MemoriesSent},
		"0 of 1 memory sent":      {Total: 1, Of: versions.MemoriesSent},
		"120 versions found":      {Done: 120, Of: versions.VersionsFound},
		"1 version found":         {Done: 1, Of: versions.VersionsFound},
		"1 of 9 versions read":    {Done: 1, Total: 9, Of: versions.VersionsRead},
	} {
		if got := fmt.Sprint(p); got != want {
			t.Errorf("%+v is written %q, want %q", p, got, want)
		}
	}
}

// A repair replays the log in as many steps as it reads it.
func TestARepairReportsHowMuchOfTheLogItReplayed(t *testing.T) {
	t.Parallel()
	const changes = 2500
	s := bigTrail(t, changes)
	if _, err := s.Trail.DB.W.ExecContext(t.Context(), `UPDATE change SET path='altered'`); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home") // s is open
	if err := os.CopyFS(home, os.DirFS(s.Trail.Folder)); err != nil {
		t.Fatal(err)
	}
	var reported []versions.Progress
	ctx := versions.WithProgress(t.Context(), func(p versions.Progress) { reported = append(reported, p) })
	if _, err := check.Repair(ctx, home, versions.Options{}); err != nil {
		t.Fatal(err)
	}
	want := []versions.Progress{{Done: 1000, Total: changes, Of: versions.RecordsReplayed}, {Done: 2000, Total: changes, Of: versions.RecordsReplayed}, {Done: changes, Total: changes, Of: versions.RecordsReplayed}}
	if !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
}
