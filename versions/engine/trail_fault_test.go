package engine_test

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
)

func TestFault_OfATimerIsToldAndEndsNothing(t *testing.T) {
	t.Parallel()
	told := make(chan string, 1)
	trail, err := vengine.Open(t.Context(), t.TempDir(), versions.Options{Fault: func(v any, stack []byte) {
		told <- v.(string) + string(stack)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	trail.Go(func() { panic("a timer fell") })
	if got := <-told; !strings.HasPrefix(got, "a timer fell") || !strings.Contains(got, "fault_test.go") {
		t.Errorf("told is %s", got)
	}
	trail.Ledger.Waiting = []core.Noted{{}} // of no store
	trail.Ledger.Panicked = func(v any) { told <- "the ledger" }
	trail.Ledger.Background()
	if got := <-told; got != "the ledger" {
		t.Errorf("told is %s", got)
	}
	trail.Ledger.Waiting, trail.Ledger.Writing = nil, nil
}
