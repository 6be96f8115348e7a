package versions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestProgress_CountsOneAndMany(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Progress{
		"12 of 300 memories sent": {Done: 12, Total: 300, Of: MemoriesSent},
		"0 of 1 memory sent":      {Total: 1, Of: MemoriesSent},
		"120 versions found":      {Done: 120, Of: VersionsFound},
		"1 version found":         {Done: 1, Of: VersionsFound},
		"1 of 9 versions read":    {Done: 1, Total: 9, Of: VersionsRead},
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
	if _, err := s.t.db.W.ExecContext(t.Context(), `UPDATE change SET path='altered'`); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(t.TempDir(), "home") // s is open
	if err := os.CopyFS(home, os.DirFS(s.t.home)); err != nil {
		t.Fatal(err)
	}
	var reported []Progress
	ctx := WithProgress(t.Context(), func(p Progress) { reported = append(reported, p) })
	if _, err := Repair(ctx, home, Options{}); err != nil {
		t.Fatal(err)
	}
	want := []Progress{{1000, changes, RecordsReplayed}, {2000, changes, RecordsReplayed}, {changes, changes, RecordsReplayed}}
	if !slices.Equal(reported, want) {
		t.Errorf("reported %v, want %v", reported, want)
	}
}
