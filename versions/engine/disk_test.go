package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/write"
)

// files is all that the folder holds, for comparing; the probe of other tests is
// left out.
func (w *world) files() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.folder, func(host string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == "next" {
			return err
		}
		b, err := os.ReadFile(host)
		rel, _ := filepath.Rel(w.folder, host)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// faultyActs are the mutations that are failed at every step. Each starts from
// the same folder, where another program wrote since the last look.
var faultyActs = []struct {
	name string
	do   func(s *core.Store) (versions.Change, error)
}{
	{"create", func(s *core.Store) (versions.Change, error) {
		return s.Write(context.Background(), robot, mustPath("new/folder/x"), []byte("new"), versions.Pre{})
	}},
	{"edit", func(s *core.Store) (versions.Change, error) {
		return s.Write(context.Background(), robot, mustPath("a"), []byte("a edited"), versions.Pre{})
	}},
	{"rename a file", func(s *core.Store) (versions.Change, error) {
		return s.Rename(context.Background(), robot, mustPath("a"), mustPath("new/a"))
	}},
	{"rename a folder", func(s *core.Store) (versions.Change, error) {
		return s.Rename(context.Background(), robot, mustPath("d"), mustPath("new/d"))
	}},
	{"delete a file", func(s *core.Store) (versions.Change, error) {
		return s.Delete(context.Background(), robot, mustPath("a"))
	}},
	{"delete two files", func(s *core.Store) (versions.Change, error) {
		return s.Delete(context.Background(), robot, mustPath("a"), mustPath("d/2"))
	}},
	{"delete a folder", func(s *core.Store) (versions.Change, error) {
		return s.Delete(context.Background(), robot, mustPath("d"))
	}},
	{"create by id", func(s *core.Store) (versions.Change, error) {
		m, err := write.CreateMemory(context.Background(), s, robot, mustPath("new/by/id"), []byte("new"))
		return madeBy(m), err
	}},
	{"delete by id", byID("d/1", func(s *core.Store, m versions.MemoryID) (versions.Current, error) {
		held := versions.Sum([]byte("one edited"))
		return versions.Current{Version: "memver_"}, write.DeleteMemory(context.Background(), s, robot, m, &held)
	})},
	{"rename and edit by id", byID("a", func(s *core.Store, m versions.MemoryID) (versions.Current, error) {
		to, text := mustPath("x/y"), []byte("another text")
		return write.UpdateMemory(context.Background(), s, robot, m, versions.MemoryUpdate{Path: &to, Content: &text})
	})},
	{"rename below itself by id", byID("a", func(s *core.Store, m versions.MemoryID) (versions.Current, error) {
		to := mustPath("a/b/c")
		return write.UpdateMemory(context.Background(), s, robot, m, versions.MemoryUpdate{Path: &to})
	})},
	{"rename to its folder's place by id", byID("d/e/3", func(s *core.Store, m versions.MemoryID) (versions.Current, error) {
		to, text := mustPath("d/e"), []byte("another text")
		return write.UpdateMemory(context.Background(), s, robot, m, versions.MemoryUpdate{Path: &to, Content: &text})
	})},
	{"accept a held change", func(s *core.Store) (versions.Change, error) {
		ctx := context.Background()
		p, err := plan.Make(ctx, s, plan.Accept(1))
		if err != nil {
			return versions.Change{}, err
		}
		return plan.Apply(ctx, s, alice, p, nil)
	}},
	{"undo an edit", func(s *core.Store) (versions.Change, error) {
		return plan.Do(context.Background(), s, alice, plan.UndoChange(undoneEdit))
	}},
	{"undo the deletion of a folder", func(s *core.Store) (versions.Change, error) {
		return plan.Do(context.Background(), s, alice, plan.UndoChange(undoneDelete))
	}},
}

// byID is an act on the memory that stands at a path.
func byID(path string, do func(*core.Store, versions.MemoryID) (versions.Current, error)) func(*core.Store) (versions.Change, error) {
	return func(s *core.Store) (versions.Change, error) {
		id, err := vhistory.MemoryAt(context.Background(), s, mustPath(path))
		if err != nil {
			return versions.Change{}, err
		}
		m, err := do(s, id)
		return madeBy(m), err
	}
}

// madeBy is a change, if a memory was answered.
func madeBy(m versions.Current) (c versions.Change) {
	if m.Version != "" {
		c.Number = 1
	}
	return c
}

// The changes of a faultyStart that faultyActs undo.
const (
	undoneEdit   = 5
	undoneDelete = 8
)

// faults are what the system may answer to any call.
var faults = []struct {
	errno syscall.Errno
	says  error // what it is by the time that a caller gets it
}{
	{syscall.ENOSPC, memfs.ErrNoSpace}, {syscall.EIO, syscall.EIO},
	{syscall.EACCES, memfs.ErrNoPermission}, {syscall.EMFILE, syscall.EMFILE},
}

var (
	faultErrors = flag.Int("faults.errors", 0, "fail each step with so many of the 4 errors, once and for ever; 0: one step in 144 with one")
	faultSeed   = flag.Int("faults.seed", 0, "chooses the steps and the errors")
)

// faultyStart is a home and a folder with some changes, and a copy of both.
type faultyStart struct{ home, folder, copied string }

func newFaultyStart(t *testing.T) faultyStart {
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	w.write(alice, "a", "a")
	w.write(alice, "d/1", "one")
	w.write(alice, "d/2", "two")
	w.write(alice, "d/e/3", "three")
	if c := w.write(robot, "d/1", "one edited"); c.Number != undoneEdit {
		t.Fatalf("%+v", c)
	}
	w.write(alice, "gone/1", "was one")
	w.policy("hold actor:agent path:/held")
	w.heldAs(robot, "held/a", "held")
	w.close()
	s := faultyStart{w.home, w.folder, t.TempDir()}
	must(w, os.CopyFS(filepath.Join(s.copied, "home"), os.DirFS(s.home)))
	must(w, os.CopyFS(filepath.Join(s.copied, "folder"), os.DirFS(s.folder)))
	return s
}

// open opens the start again, whatever was done to it since. The files have their old paths
// and the folder is the same one, so this is neither a copied home nor a moved store. On the
// store, fail decides at each step and SQL statement. Another program wrote to the folder.
func (s faultyStart) open(t *testing.T, fail *func(step string) error) *world {
	t.Helper()
	var mu sync.Mutex
	decide := func(step string) error {
		mu.Lock() // flushing has its own goroutine
		defer mu.Unlock()
		if *fail == nil {
			return nil
		}
		return (*fail)(step)
	}
	w := &world{t: t, home: s.home, folder: s.folder}
	must(w, os.RemoveAll(s.home))
	must(w, os.CopyFS(s.home, os.DirFS(filepath.Join(s.copied, "home"))))
	inside, err := os.ReadDir(s.folder)
	must(w, err)
	for _, e := range inside {
		must(w, os.RemoveAll(filepath.Join(s.folder, e.Name())))
	}
	must(w, os.CopyFS(s.folder, os.DirFS(filepath.Join(s.copied, "folder"))))
	w.open(versions.Options{Hook: decide, Driver: faultyDriver(decide)})
	w.checkAtEnd()
	w.write(alice, "gone/e/2", "was two") // counts the memories, as the first write to a store does
	c, err := w.store.Delete(t.Context(), robot, mustPath("gone"))
	if err != nil || c.Number != undoneDelete {
		t.Fatalf("%+v, %v", c, err)
	}
	w.outside("d/2", "two, from outside")
	for p, text := range w.files() { // a file that was written just now is read twice
		w.outside(p, text)
	}
	must(w, core.FlushNow(t.Context(), w.store)) // else it may come in between
	return w
}

// TestAFailedStepLeavesAllOrNothing fails each step of each mutation, and each
// SQL statement, once and from then on; by default one in 144. Whatever is
// answered, when the disk is well again the next mutation works and the folder is
// as if the failed one had been done, or not.
// README: "a torn one is finished or undone at the next start".
func TestAFailedStepLeavesAllOrNothing(t *testing.T) {
	t.Parallel()
	for a, act := range faultyActs {
		t.Run(act.name, func(t *testing.T) {
			t.Parallel()
			start := newFaultyStart(t)
			var steps []string
			var before, after map[string]string
			t.Run("no step fails", func(t *testing.T) {
				var fail func(string) error
				w := start.open(t, &fail)
				before = w.files()
				fail = func(step string) error { steps = append(steps, step); return nil }
				_, err := act.do(w.store)
				must(w, err)
				fail = nil
				after = w.files()
			})
			if maps.Equal(before, after) || len(steps) < 5 {
				t.Fatalf("the act does nothing, in steps %v", steps)
			}
			for i, name := range steps {
				each := *faultErrors > 0
				if !each && i%144 != (17*a+*faultSeed)%144 {
					continue
				}
				for k := range max(1, *faultErrors) {
					f := faults[(i/48+a+*faultSeed+k)%len(faults)]
					t.Run(fmt.Sprintf("%d %.60s %v once", i, name, f.errno), func(t *testing.T) {
						failedAct(t, start, act.do, before, after, f.errno, f.says, func(n int) bool { return n == i })
					})
					if testing.Short() || strings.HasPrefix(name, "sql") && !each {
						continue
					}
					t.Run(fmt.Sprintf("%d %.60s %v and all after", i, name, f.errno), func(t *testing.T) {
						failedAct(t, start, act.do, before, after, f.errno, f.says, func(n int) bool { return n >= i })
					})
				}
			}
		})
	}
}

func failedAct(t *testing.T, start faultyStart, do func(*core.Store) (versions.Change, error), before, after map[string]string, errno, says error, failing func(n int) bool) {
	var fail func(string) error
	w := start.open(t, &fail)
	n := -1
	fail = func(string) error {
		if n++; failing(n) {
			return errno
		}
		return nil
	}
	c, err := do(w.store)
	fail = nil
	if err != nil && !errors.Is(err, says) && !errors.Is(err, errno) {
		t.Errorf("the cause is gone from the error: %v", err)
	}
	w.write(alice, "next", "works")
	w.sync()
	switch now := w.files(); {
	case err == nil && c.Number == 0:
		t.Error("neither an error nor a change")
	case err == nil && !maps.Equal(now, after):
		t.Errorf("answered as done, and the folder holds %q", now)
	case err != nil && maps.Equal(now, after) && !errors.Is(err, versions.ErrUnfinished):
		t.Errorf("it was finished later, and its error does not say so: %v", err)
	case !maps.Equal(now, before) && !maps.Equal(now, after):
		t.Errorf("half done: the folder holds %q", now)
	}
	if accepted := w.state(1).State == versions.HeldAccepted; accepted != (w.now()["held/a"] != "") {
		t.Errorf("the held change is accepted: %v, and the folder holds %q", accepted, w.files())
	}
}

// A model that is told of a plain failure does it again, and then it is done twice.
func TestAToolCallThatIsFinishedLaterSaysSo(t *testing.T) {
	var fail func(string) error
	w := newFaultyStart(t).open(t, &fail)
	down := false
	fail = func(step string) error {
		if down = down || step == "after-intent-commit"; down {
			return syscall.EIO
		}
		return nil
	}
	res, _, err := w.store.Tool(t.Context(), robot, memfs.Insert{Path: "/memories/a", InsertText: "once\n"}, memfs.Options{})
	if err != nil || !res.IsError || !strings.Contains(res.Text, "do not repeat it") {
		t.Errorf("%+v, %v", res, err)
	}
	fail = nil
	w.sync()
	w.wantFile("a", "once\na")
}
