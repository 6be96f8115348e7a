package versions

import (
	"strings"
	"testing"
)

func TestFault_OfATimerIsToldAndEndsNothing(t *testing.T) {
	t.Parallel()
	told := make(chan string, 1)
	trail, err := Open(t.Context(), t.TempDir(), Options{Fault: func(v any, stack []byte) {
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
	trail.ledger.waiting = []noted{{}} // of no store
	trail.ledger.panicked = func(v any) { told <- "the ledger" }
	trail.ledger.background()
	if got := <-told; got != "the ledger" {
		t.Errorf("told is %s", got)
	}
	trail.ledger.waiting, trail.ledger.writing = nil, nil
}
