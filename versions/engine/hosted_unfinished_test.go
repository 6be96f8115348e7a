package engine_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
)

// What is recorded and could not be written is named, until it is done.
func TestUnfinishedNamesChangesThatAreNotInTheFolderYet(t *testing.T) {
	var fail func(string) error
	w := newFaultyStart(t).open(t, &fail)
	unfinished := func() versions.Unfinished {
		t.Helper()
		u, err := replica.Unfinished(t.Context(), w.store)
		must(w, err)
		return u
	}
	if u := unfinished(); len(u.Changes) > 0 || u.Redactions > 0 || u.There > 0 {
		t.Errorf("nothing is unfinished, but %+v", u)
	}
	last, err := w.store.LastChange(t.Context())
	must(w, err)
	down := false
	fail = func(step string) error {
		if down = down || step == "after-intent-commit"; down {
			return syscall.EIO
		}
		return nil
	}
	_, err = w.store.Write(t.Context(), alice, mustPath("b"), []byte("two\n"), versions.Pre{})
	fail = nil
	if u := unfinished(); !errors.Is(err, versions.ErrUnfinished) || !slices.Equal(u.Changes, []int64{last + 1}) {
		t.Errorf("unfinished: %+v, %v", u, err)
	}
	w.write(alice, "c", "three\n")
	if u := unfinished(); len(u.Changes) > 0 {
		t.Errorf("unfinished after the next change: %+v", u)
	}
}

// A redaction that was interrupted is unfinished.
func TestUnfinishedCountsRedactionsThatWereInterrupted(t *testing.T) {
	t.Parallel()
	stop, halt := errors.New("stop"), ""
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == halt {
			return stop
		}
		return nil
	}})
	w.write(robot, "a", "a secret that is long enough to be found")
	w.write(robot, "a", "two")
	halt = "before-erase-commit"
	if _, err := redact.Do(t.Context(), w.store, alice, w.plan(versions.RedactTarget{Match: []byte("a secret that is long enough to be found")}), versions.RedactChoice{}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if u, err := replica.Unfinished(t.Context(), w.store); err != nil || u.Redactions != 1 {
		t.Errorf("unfinished: %+v, %v", u, err)
	}
	halt = ""
	w.write(robot, "b", "any mutation finishes it")
	if u, err := replica.Unfinished(t.Context(), w.store); err != nil || u.Redactions != 0 {
		t.Errorf("unfinished after the next change: %+v, %v", u, err)
	}
}
