package engine_test

import (
	"strings"
	"testing"

	vhistory "github.com/memend/memend/versions/history"
)

// What each memory takes is joined by an index or by sorting: a scan of the texts for each memory took
// seconds for 10,000 memories.
func TestUsageScansNothingForEachMemory(t *testing.T) {
	query := ""
	w, _ := busy(t, 20, faultyDriver(func(step string) error {
		if text := strings.TrimPrefix(step, "sql "); strings.Contains(text, "blob_chunk") && strings.Contains(text, "head") {
			query = text
		}
		return nil
	}))
	if all, err := vhistory.Usage(t.Context(), w.store); err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, step := range w.queryPlan(strings.ReplaceAll(query, "?1", "1")) {
		if strings.HasPrefix(step, "SCAN") && strings.Contains(step, "JOIN") {
			t.Errorf("%s: %s", query, step)
		}
	}
}
