package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/watch"
)

// tree describes everything in the store's folder: paths, kinds, modes, targets and contents.
func (w *world) tree() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(w.folder, func(p string, e fs.DirEntry, err error) error {
		if err != nil || p == w.folder {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		text := fi.Mode().String()
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text += " " + string(b)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			text = "-> " + target
		}
		rel, _ := filepath.Rel(w.folder, p)
		out[filepath.ToSlash(rel)] = text
		return nil
	})
	must(w, err)
	return out
}

// diffTrees describes how two trees differ.
func diffTrees(a, b map[string]string) string {
	var out []string
	for p, was := range a {
		if now, there := b[p]; !there {
			out = append(out, p+" is gone ("+short(was)+")")
		} else if now != was {
			out = append(out, p+": "+short(was)+" became "+short(now))
		}
	}
	for p := range b {
		if _, there := a[p]; !there {
			out = append(out, p+" is new ("+short(b[p])+")")
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func short(s string) string { return fmt.Sprintf("%.40q", s) }

// README: "undo and restore bring back links, and empty folders that memend removed".
func TestAnUndoBringsBackLinksFoldersAndModes(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*world) (versions.Change, error){
		"delete a link":   func(w *world) (versions.Change, error) { return w.store.Delete(t.Context(), robot, mustPath("b.md")) },
		"delete a folder": func(w *world) (versions.Change, error) { return w.store.Delete(t.Context(), robot, mustPath("d")) },
		"delete several": func(w *world) (versions.Change, error) {
			return w.store.Delete(t.Context(), alice, mustPath("d"), mustPath("b.md"), mustPath("none"))
		},
		"an empty folder": func(w *world) (versions.Change, error) { return w.store.Delete(t.Context(), robot, mustPath("none")) },
		"rename a link": func(w *world) (versions.Change, error) {
			return w.store.Rename(t.Context(), robot, mustPath("b.md"), mustPath("x/y/c.md"))
		},
		"rename a folder": func(w *world) (versions.Change, error) {
			return w.store.Rename(t.Context(), robot, mustPath("d"), mustPath("x/e"))
		},
		"rename an empty": func(w *world) (versions.Change, error) {
			return w.store.Rename(t.Context(), robot, mustPath("none"), mustPath("x"))
		},
		"rename a big file": func(w *world) (versions.Change, error) {
			return w.store.Rename(t.Context(), alice, mustPath("d/big"), mustPath("x/big"))
		},
		"create in a folder": func(w *world) (versions.Change, error) {
			return w.store.Write(t.Context(), alice, mustPath("none/more/a.md"), []byte("x"), versions.Pre{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, versions.Options{MaxBytes: 1000})
			w.write(alice, "a.md", "one\n")
			w.write(alice, "d/in.md", "two\n")
			w.outside("d/big", strings.Repeat("x", 1001))
			w.outside("d/bin", "\xff\x00")
			must(w, os.Chmod(w.host("d/bin"), 0o640))
			must(w, os.Symlink("a.md", w.host("b.md")))
			must(w, os.Symlink("/etc/hostname", w.host("d/out")))
			must(w, os.MkdirAll(w.host("d/empty/deep"), 0o750))
			must(w, os.Mkdir(w.host("none"), 0o711))
			if strings.HasPrefix(name, "delete") {
				must(w, os.Remove(w.host("d/big")))
			}
			w.sync()
			before := w.tree()
			c, err := act(w)
			must(w, err)
			after := w.tree()
			if diffTrees(before, after) == "" {
				t.Fatal("nothing happened")
			}
			plan, err := vplan.Make(t.Context(), w.store, vplan.UndoChange(c.Number))
			if must(w, err); plan.Empty() {
				t.Error("the plan is empty")
			}
			if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
				t.Fatal(err)
			}
			if d := diffTrees(before, w.tree()); d != "" {
				t.Errorf("undone:\n%s", d)
			}
			if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
				t.Fatal(err)
			}
			if d := diffTrees(after, w.tree()); d != "" {
				t.Errorf("redone:\n%s", d)
			}
			w.check()
		})
	}
}

func TestAnUndoThatCannotRestoreALinkSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	must(w, os.Symlink("a.md", w.host("b.md")))
	c, err := w.store.Delete(t.Context(), alice, mustPath("b.md"))
	must(w, err)
	w.outside("b.md", "another file")
	var why *versions.OtherError
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); !errors.As(err, &why) || why.Path != mustPath("b.md") || !errors.Is(err, memfs.ErrExist) {
		t.Errorf("%v", err)
	}
	w.wantFile("b.md", "another file")
}

var (
	othersSeed = flag.Uint64("others.seed", 1, "seed of the random undos and restores of links and folders; 0 takes one from the clock")
	othersRuns = flag.Int("others.runs", 3, "folders in which they happen")
)

// README: "undo and restore bring back links, and empty folders that memend removed". After an undo the folder is, byte
// for byte and mode for mode, a copy of what it was, or the act was refused and changed nothing.
func TestRandomDeletesAndRenamesAreUndoneByteForByte(t *testing.T) {
	t.Parallel()
	seed := *othersSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-others.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 7))
	names := []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "d/e/f", "g", "g/h", "g/h/i"}
	pick := func() string { return names[r.IntN(len(names))] }
	acts, refused := 0, 0
	for range *othersRuns {
		w := newWorld(t, versions.Options{MaxBytes: 1000})
		for range 14 {
			w.grow(r, pick())
		}
		w.sync()
		var states []map[string]string
		var numbers []int64
		for range 12 {
			before := w.tree()
			p, q := pick(), pick()
			by := []versions.By{alice, robot}[r.IntN(2)]
			var c versions.Change
			var err error
			switch r.IntN(4) {
			case 0, 1:
				c, err = w.store.Delete(t.Context(), by, mustPath(p))
			case 2:
				c, err = w.store.Rename(t.Context(), by, mustPath(p), mustPath(q))
			case 3:
				c, err = w.store.Write(t.Context(), by, mustPath(p), fmt.Append(nil, "text ", r.IntN(100)), versions.Pre{})
			}
			if err != nil || c.Number == 0 {
				if d := diffTrees(before, w.tree()); d != "" {
					t.Fatalf("refused (%v), and yet:\n%s", err, d)
				}
				refused++
				continue
			}
			acts++
			after := w.tree()
			if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
				t.Fatalf("undo %s of %s (%s): %v", c.Kind, p, q, err)
			}
			if d := diffTrees(before, w.tree()); d != "" {
				t.Fatalf("undo of %s %s %s:\n%s", c.Kind, p, q, d)
			}
			if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
				t.Fatalf("redo %s of %s (%s): %v", c.Kind, p, q, err)
			}
			if d := diffTrees(after, w.tree()); d != "" {
				t.Fatalf("redo of %s %s %s:\n%s", c.Kind, p, q, d)
			}
			states, numbers = append(states, before), append(numbers, c.Number)
		}
		for i := len(states) - 1; i >= 0; i-- { // all of them, newest first
			if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(numbers[i])); err != nil {
				t.Fatalf("undo change %d: %v", numbers[i], err)
			}
			if d := diffTrees(states[i], w.tree()); d != "" {
				t.Fatalf("after the undo of change %d:\n%s", numbers[i], d)
			}
		}
		w.check()
	}
	t.Logf("%d acts, %d refused", acts, refused)
}

// grow puts something at a path, if there is room for it.
func (w *world) grow(r *rand.Rand, p string) {
	at := w.host(p)
	if os.MkdirAll(filepath.Dir(at), 0o700) != nil {
		return
	}
	if _, err := os.Lstat(at); err == nil {
		return
	}
	switch r.IntN(7) {
	case 0:
		must(w, os.Symlink([]string{"a", "../b", "/etc/hostname", "nowhere"}[r.IntN(4)], at))
	case 1, 2:
		must(w, os.Mkdir(at, 0o700))
		must(w, os.Chmod(at, []fs.FileMode{0o700, 0o755, 0o711, 0o775 | fs.ModeSetgid, 0o777 | fs.ModeSticky}[r.IntN(5)]))
	case 3:
		must(w, os.WriteFile(at, []byte(strings.Repeat("x", 1001)), 0o600))
	case 4:
		must(w, os.WriteFile(at, []byte{0xff, 0, byte(r.IntN(200))}, 0o600))
	default:
		must(w, os.WriteFile(at, fmt.Append(nil, "memory ", r.IntN(1000), "\n"), 0o600))
		must(w, os.Chmod(at, []fs.FileMode{0o600, 0o644, 0o755, 0o755 | fs.ModeSetuid, 0o640 | fs.ModeSetgid, 0o600 | fs.ModeSticky}[r.IntN(6)]))
	}
}

func TestWhatNoUndoBringsBackIsNotDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	w.write(alice, "d/a.md", "one\n")
	w.outside("d/e/big", strings.Repeat("x", 1001))
	must(w, os.Symlink("a.md", w.host("d/link")))
	w.sync()
	before := w.tree()
	if _, err := w.store.Delete(t.Context(), alice, mustPath("d")); !errors.Is(err, versions.ErrNotUndoable) || !strings.Contains(err.Error(), "/memories/d/e/big") {
		t.Errorf("%v", err)
	}
	res := w.tool(memfs.Delete{Path: "/memories/d"})
	if want := "Error: Could not delete /memories/d: /memories/d/e/big: it is over 1000 bytes and has no version: an undo could not bring it back"; !res.IsError || res.Text != want {
		t.Errorf("%+v", res)
	}
	must(w, os.Remove(w.host("d/e/big")))
	delete(before, "d/e/big")
	l, err := net.Listen("unix", w.host("d/e/s"))
	if err != nil {
		t.Skip("no sockets in files")
	}
	defer l.Close()
	res = w.tool(memfs.Delete{Path: "/memories/d"})
	if want := "Error: Could not delete /memories/d: /memories/d/e/s: it is a pipe, a socket or a device: an undo could not bring it back"; !res.IsError || res.Text != want {
		t.Errorf("%+v", res)
	}
	if _, err := w.store.Delete(t.Context(), alice, mustPath("d/e/s")); !errors.Is(err, versions.ErrNotUndoable) {
		t.Errorf("%v", err)
	}
	after := w.tree()
	delete(after, "d/e/s")
	if d := diffTrees(before, after); d != "" {
		t.Error(d)
	}
}

// A power loss or a crash between the steps of an undo must not lose a link.
func TestAnInterruptedUndoOfALinkIsFinished(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"before-intent-commit", "after-intent-commit", "link", "before-final-commit"} {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			w.write(alice, "d/a.md", "one\n")
			must(w, os.Symlink("a.md", w.host("d/link")))
			must(w, os.MkdirAll(w.host("d/empty"), 0o711))
			w.sync()
			before := w.tree()
			c, err := w.store.Delete(t.Context(), alice, mustPath("d"))
			must(w, err)
			failed := errors.New("stop")
			w.trail.Hook = func(step string) error {
				if step == at {
					return failed
				}
				return nil
			}
			if at == "link" {
				w.store.Dir.Hook = func(step string, p memfs.Path) error {
					if step == at {
						return failed
					}
					return nil
				}
			}
			_, err = vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number))
			w.trail.Hook, w.store.Dir.Hook = nil, nil
			now := w.tree()
			want := before
			if errors.Is(err, failed) && !errors.Is(err, versions.ErrUnfinished) {
				want = map[string]string{}
			}
			if errors.Is(err, versions.ErrUnfinished) {
				w.sync()
				now = w.tree()
			}
			if d := diffTrees(want, now); d != "" {
				t.Errorf("%v:\n%s", err, d)
			}
			w.check()
		})
	}
}

// Restoring the store to any earlier change brings back everything that the trail knows of that moment:
// texts, links, empty folders and modes. README: "undo and restore bring back links, and empty folders that memend removed".
func TestARestoreOfTheStoreBringsBackLinksAndFolders(t *testing.T) {
	t.Parallel()
	seed := *othersSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-others.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 8))
	names := []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "d/e/f", "g", "g/h", "g/h/i"}
	pick := func() string { return names[r.IntN(len(names))] }
	restored, nothing, refused := 0, 0, 0
	for range *othersRuns {
		w := newWorld(t, versions.Options{MaxBytes: 1000})
		for range 14 {
			w.grow(r, pick())
		}
		w.sync()
		first, err := watch.Newest(t.Context(), w.store)
		must(w, err)
		states := map[int64]map[string]string{first.Change: w.tree()}
		numbers := []int64{first.Change}
		var story []string
		for range 14 {
			p, q := pick(), pick()
			var c versions.Change
			var err error
			what := ""
			switch r.IntN(6) {
			case 0, 1:
				what = "delete " + p
				c, err = w.store.Delete(t.Context(), alice, mustPath(p))
			case 2:
				what = "rename " + p + " " + q
				c, err = w.store.Rename(t.Context(), alice, mustPath(p), mustPath(q))
			case 3:
				what = "write " + p
				c, err = w.store.Write(t.Context(), alice, mustPath(p), fmt.Append(nil, "text ", r.IntN(100)), versions.Pre{})
			default:
				n := numbers[r.IntN(len(numbers))]
				what = fmt.Sprint("restore to ", n)
				plan, perr := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: n}, Paths: []memfs.Path{memfs.Root}})
				if perr != nil {
					if other := (*versions.OtherError)(nil); errors.As(perr, &other) { // a file that no version has
						refused++
						continue
					}
					t.Fatalf("%s, after\n%s\n%v", what, strings.Join(story, "\n"), perr)
				}
				if c, err = vplan.Apply(t.Context(), w.store, alice, plan, nil); errors.Is(err, versions.ErrNothing) {
					nothing++
				} else if err != nil {
					t.Fatalf("%s, after\n%s\n%v", what, strings.Join(story, "\n"), err)
				}
				if d := diffTrees(states[n], w.tree()); d != "" {
					t.Fatalf("%s (%v), after\n%s\n%s", what, err, strings.Join(story, "\n"), d)
				}
				restored++
			}
			if err == nil && c.Number > 0 {
				numbers = append(numbers, c.Number)
				states[c.Number] = w.tree()
				story = append(story, fmt.Sprint(c.Number, " ", what))
			}
		}
		w.check()
	}
	t.Logf("%d restored, %d of them needed nothing; %d refused", restored, nothing, refused)
	if refused > restored/50 {
		t.Error("too many were refused")
	}
}

func TestARestoreOfAFolderLeavesLinksElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	w.write(alice, "d/e/a.md", "one\n")
	must(w, os.Symlink("a.md", w.host("d/e/link")))
	must(w, os.Symlink("d", w.host("top")))
	must(w, os.Chmod(w.host("d"), 0o711))
	w.outside("big", strings.Repeat("x", 1001))
	w.sync()
	before, err := watch.Newest(t.Context(), w.store)
	must(w, err)
	tree := w.tree()
	for _, p := range []string{"top", "d"} {
		_, err := w.store.Delete(t.Context(), alice, mustPath(p))
		must(w, err)
	}
	_, err = w.store.Rename(t.Context(), alice, mustPath("big"), mustPath("large"))
	must(w, err)
	plan, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: before.Change}, Paths: []memfs.Path{mustPath("d/e")}})
	must(w, err)
	w.apply(plan, nil)
	delete(tree, "top")
	tree["large"] = tree["big"]
	delete(tree, "big")
	if d := diffTrees(tree, w.tree()); d != "" {
		t.Errorf("d/e alone:\n%s", d)
	}
	must(w, os.Remove(w.host("large"))) // nothing can bring it back
	delete(tree, "large")
	tree["top"] = "-> d"
	if plan, err = vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: before.Change}, Paths: []memfs.Path{memfs.Root}}); err != nil {
		t.Fatal(err)
	}
	w.apply(plan, nil)
	if d := diffTrees(tree, w.tree()); d != "" {
		t.Errorf("everything:\n%s", d)
	}
}
