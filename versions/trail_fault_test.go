package versions

import (
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
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

func TestSearch_GivesAPanicOfAJudgeToWhoSearches(t *testing.T) {
	t.Parallel()
	fell := func() (what any) {
		defer func() { what = recover() }()
		j := (*historySearch)(nil).judges(reader{}) // what is looked for is not there
		for i := range 200 {                        // more than there is room for
			j.todo <- blobs.Packed{ID: int64(i)}
		}
		return j.wait()
	}()
	if _, ok := fell.(*memfs.Panicked); !ok {
		t.Errorf("it gives %v", fell)
	}
}
