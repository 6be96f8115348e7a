package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/write"
)

// Lists of the memory-stores API walk along an index: neither the store's memories
// nor its history are read or sorted for a page.
func TestListsById_WalkAlongIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.write(robot, "b/c", "2")
	m, err := vhistory.MemoryAt(t.Context(), w.store, mustPath("a"))
	must(w, err)
	check := func(what, text string) {
		t.Helper()
		for _, step := range w.queryPlan(text) {
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "B-TREE") {
				t.Errorf("%s: %s", what, step)
			}
		}
	}
	l := vhistory.Lister{Store: w.store}
	check("memories", l.Text())
	err = core.View(t.Context(), w.trail, func(q tables.Reader) error {
		for _, f := range []versions.VersionFilter{
			{}, {Memory: m}, {Session: robot.Session}, {Operation: versions.Created}, {Actor: robot.Actor}, {Memory: m, Operation: versions.Created, Actor: alice.Actor}, {Session: robot.Session, Operation: versions.Deleted},
		} {
			for _, before := range []versions.Cursor{"", vhistory.CursorAt(2, 2)} {
				which, err := vhistory.VersionsWanted(w.store, q, f, before)
				if err != nil {
					return err
				}
				check(fmt.Sprintf("versions %+v before %+v", f, before), which.Text)
			}
		}
		return nil
	})
	must(w, err)
}

// versionsBy lists them by pages of a size.
func (w *world) versionsBy(f versions.VersionFilter, limit int) (out []string) {
	w.t.Helper()
	for at, pages := versions.Cursor(""), 0; ; pages++ {
		found, next, err := vhistory.Versions(w.t.Context(), w.store, f, at, limit)
		must(w, err)
		for _, v := range found {
			out = append(out, fmt.Sprintf("%d %s %s", v.Change, v.Operation, v.Path))
		}
		if at = next; next == versions.Cursor("") || pages > 100 {
			return out
		}
	}
}

// One change may have many versions: pages may end among them.
func TestVersions_OfOneChangeAreListedOverPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.write(robot, fmt.Sprintf("d/%d", i), "x")
	}
	_, err := w.store.Delete(t.Context(), robot, mustPath("d"))
	must(w, err)
	w.write(alice, "a", "1")
	for _, f := range []versions.VersionFilter{{}, {Operation: versions.Deleted}, {Session: robot.Session}, {Actor: robot.Actor}} {
		all := w.versionsBy(f, 100)
		if len(all) < 5 {
			t.Errorf("%+v: %q", f, all)
		}
		for limit := 1; limit < 8; limit++ {
			if got := w.versionsBy(f, limit); !slices.Equal(got, all) {
				t.Errorf("%+v by %d: %q, want %q", f, limit, got, all)
			}
		}
	}
}

// What another program did to a memory's file counts for writes by id, too: its file
// was replaced, removed, or became something else.
func TestWritesById_LookAtTheFileFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	m, err := write.CreateMemory(ctx, w.store, robot, mustPath("a"), []byte("1"))
	must(w, err)
	w.outside("a", "theirs")
	var conflict *versions.ConflictError
	text, held := []byte("2"), versions.Sum([]byte("1"))
	if _, err := write.UpdateMemory(ctx, w.store, robot, m.Memory, versions.MemoryUpdate{Content: &text, SHA256: &held}); !errors.As(err, &conflict) || conflict.Now != versions.Sum([]byte("theirs")) {
		t.Error(err)
	}
	if err := write.DeleteMemory(ctx, w.store, robot, m.Memory, &held); !errors.As(err, &conflict) {
		t.Error(err)
	}
	n, err := write.UpdateMemory(ctx, w.store, robot, m.Memory, versions.MemoryUpdate{Content: &text})
	must(w, err)
	if n.Memory != m.Memory || !n.Created.Equal(m.Created) || w.file("a") != "2" {
		t.Errorf("%+v, %s", n, w.file("a"))
	}
	w.outside("a", "\xff")
	if _, err := write.UpdateMemory(ctx, w.store, robot, m.Memory, versions.MemoryUpdate{Content: &text}); !errors.Is(err, versions.ErrNoMemory) {
		t.Error(err)
	}
	w.remove("a")
	if _, err := write.UpdateMemory(ctx, w.store, robot, m.Memory, versions.MemoryUpdate{Content: &text}); !errors.Is(err, versions.ErrNoMemory) {
		t.Error(err)
	}
	if err := write.DeleteMemory(ctx, w.store, robot, m.Memory, nil); !errors.Is(err, versions.ErrNoMemory) {
		t.Error(err)
	}
	if _, err := vhistory.Current(ctx, w.store, m.Memory, true); !errors.Is(err, versions.ErrNoMemory) {
		t.Error(err)
	}
}

// A session that may only read a store, or that has others, writes by id no more than
// by path.
func TestWritesById_KeepToAttachments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("mine", "theirs")
	by := versions.By{Actor: robot.Actor, Session: "sesn_attached"}
	a := w.attach(by, versions.Attachment{Store: ids[0], Access: versions.ReadOnly})
	defer func() { must(w, a.Close()) }()
	for id, want := range map[versions.StoreID]error{ids[0]: versions.ErrReadOnly, ids[1]: versions.ErrUnattached} {
		s, err := w.trail.OpenStore(t.Context(), id)
		must(w, err)
		if _, err := write.CreateMemory(t.Context(), s, by, mustPath("a"), nil); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		must(w, s.Close())
	}
}

// A redaction of one version comes to its end whatever is written meanwhile.
func TestRedactVersion_UnderWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, err := write.CreateMemory(t.Context(), w.store, robot, mustPath("a"), []byte("to be erased"))
	must(w, err)
	if _, _, err := redact.Version(t.Context(), w.store, alice, m.Version, versions.Scrub{}); !errors.Is(err, versions.ErrCurrent) {
		t.Error(err)
	}
	w.write(alice, "a", "1")
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			_, _ = w.store.Write(t.Context(), robot, mustPath("b"), fmt.Appendf(nil, "%d", i), versions.Pre{})
		}
	}()
	v, r, err := redact.Version(t.Context(), w.store, alice, m.Version, versions.Scrub{})
	stop()
	<-done
	if err != nil || v.Redacted.IsZero() || v.RedactedBy != alice.Actor || r.ID == 0 || r.Versions != 1 {
		t.Errorf("%+v, %+v, %v", v, r, err)
	}
	again, r, err := redact.Version(t.Context(), w.store, robot, m.Version, versions.Scrub{})
	if err != nil || !again.Redacted.Equal(v.Redacted) || again.RedactedBy != alice.Actor || r.ID != 0 {
		t.Errorf("%+v, %+v, %v", again, r, err)
	}
}
