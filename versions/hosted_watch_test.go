package versions

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// waiter is a service that can say when its store changes.
type waiter struct{ *service }

func (w waiter) WaitForChange(ctx context.Context, known Latest) (now Latest, err error) {
	err = w.call("wait", func() error {
		news, leave := w.s.t.notifier.subscribe()
		defer leave()
		for {
			if now, err = w.s.Latest(ctx); err != nil || now != known {
				return err
			}
			select {
			case <-news:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	return now, err
}

// newWaiting returns a twin that is watched: by time it would pull only once an hour.
func newWaiting(t *testing.T) *twin {
	t.Helper()
	w := newTwin(t)
	w.close()
	w.waits = true
	w.reopen()
	w.trail.newsPace = time.Hour
	return w
}

// soon waits until something is so.
func (w *twin) soon(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("it never is so: %s", what)
		}
	}
}

func (u *service) count(call string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[call]
}

func (u *service) setFault(fault func(string) (error, error)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.fault = fault
}

func TestAWatchedStoreHasWhatItsServiceSaysHasChanged(t *testing.T) {
	t.Parallel()
	w := newWaiting(t)
	w.watched()
	w.soon("a request waits", func() bool { return w.up.count("wait") > 0 })
	for n := range 3 {
		w.there("/a.md", fmt.Sprintf("text %d\n", n))
		w.soon("the change is here", func() bool { return w.file("a.md") == fmt.Sprintf("text %d\n", n) })
	}
}

// The erased version is older than those that a pull of news lists.
func TestAWatchedStoreErasesWhatItsServiceHasErased(t *testing.T) {
	t.Parallel()
	w := newWaiting(t)
	w.there("/a.md", "secret\n")
	old := w.idsThere("/a.md")[0]
	for n := range firstPage + overlap {
		w.there("/a.md", fmt.Sprintf("text %d\n", n))
	}
	w.watched()
	w.soon("all is here", func() bool { return w.up.count("wait") > 1 })
	if v, err := w.store.Version(t.Context(), old); err != nil || !v.Redacted.IsZero() {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, err := w.up.Redact(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	w.soon("it is erased here", func() bool {
		v, err := w.store.Version(t.Context(), old)
		return err == nil && !v.Redacted.IsZero()
	})
}

// What another program writes here goes to the service without waiting for the next poll.
func TestAWatchedStoreSendsAtOnceWhatAnotherProgramWrites(t *testing.T) {
	t.Parallel()
	for _, waits := range []bool{true, false} {
		t.Run(fmt.Sprint(waits), func(t *testing.T) {
			t.Parallel()
			w := newWaiting(t)
			w.close()
			w.waits = waits
			w.reopen()
			w.trail.newsPace = time.Hour
			w.watched()
			w.soon("it was pulled", func() bool { return w.trail.comparedOnce(w.store.info.ID) })
			w.outside("a.md", "theirs\n")
			w.soon("the service has it", func() bool { return w.up.count("create") == 1 })
		})
	}
}

// A service that can't wait is polled, and is asked again whether it can.
func TestAWatchedStoreIsPolledWhileItsServiceCantWait(t *testing.T) {
	t.Parallel()
	w := newWaiting(t)
	w.trail.newsPace = 10 * time.Millisecond
	fail := func(call string) (error, error) {
		if call == "wait" {
			return &UpstreamError{Trouble: Offline, Err: errors.New("cut")}, nil
		}
		return nil, nil
	}
	w.up.setFault(fail)
	w.watched()
	w.soon("it was asked", func() bool { return w.up.count("wait") > 1 })
	w.there("/a.md", "one\n")
	w.soon("the change is here", func() bool { return w.file("a.md") == "one\n" })
	if s := w.store.UpstreamState(); s.Trouble != NoTrouble {
		t.Errorf("a failed wait is no trouble: %+v", s)
	}
	w.up.setFault(nil)
	asked := w.up.count("wait")
	w.soon("it was asked again", func() bool { return w.up.count("wait") > asked })
	w.there("/a.md", "two\n")
	w.soon("the change is here", func() bool { return w.file("a.md") == "two\n" })
}

// The request that waits ends with the watch, and with the store.
func TestAWaitEndsWithItsStore(t *testing.T) {
	t.Parallel()
	w := newWaiting(t)
	w.there("/a.md", "one\n")
	waiting := make(chan struct{}, 100)
	w.up.setFault(func(call string) (error, error) {
		if call == "wait" {
			waiting <- struct{}{}
		}
		return nil, nil
	})
	if _, err := w.store.Watch(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-waiting
	<-waiting // the first was answered at once
	w.close()
	w.reopen()
}
