package versions

import (
	"errors"
	"slices"
	"syscall"
	"testing"
)

// What is recorded and could not be written is named, until it is done.
func TestUnfinishedNamesChangesThatAreNotInTheFolderYet(t *testing.T) {
	var fail func(string) error
	w := newFaultyStart(t).open(t, &fail)
	unfinished := func() Unfinished {
		t.Helper()
		u, err := w.store.Unfinished(t.Context())
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
	_, err = w.store.Write(t.Context(), alice, mustPath("b"), []byte("two\n"), Pre{})
	fail = nil
	if u := unfinished(); !errors.Is(err, ErrUnfinished) || !slices.Equal(u.Changes, []int64{last + 1}) {
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
	w := newWorld(t, Options{Hook: func(step string) error {
		if step == halt {
			return stop
		}
		return nil
	}})
	w.write(robot, "a", "a secret that is long enough to be found")
	w.write(robot, "a", "two")
	halt = "before-erase-commit"
	if _, err := w.store.Redact(t.Context(), alice, w.plan(RedactTarget{Match: []byte("a secret that is long enough to be found")}), RedactChoice{}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if u, err := w.store.Unfinished(t.Context()); err != nil || u.Redactions != 1 {
		t.Errorf("unfinished: %+v, %v", u, err)
	}
	halt = ""
	w.write(robot, "b", "any mutation finishes it")
	if u, err := w.store.Unfinished(t.Context()); err != nil || u.Redactions != 0 {
		t.Errorf("unfinished after the next change: %+v, %v", u, err)
	}
}
