//go:build unix

package gitsync

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/redact"
)

var killEach = flag.Int("gitsync.kill", 0, "a sync is killed at each of this many named steps and calls of git; 1: at all; 0: at one of them")

func init() { syncAlone = beKilled }

// beKilled is a process that syncs once: home, store, repository, whether it rewrites the branch, and the named step at which
// it dies, 0 for none.
func beKilled(args []string) error {
	ctx := context.Background()
	trail, err := engine.Open(ctx, args[0], versions.Options{})
	if err != nil {
		return err
	}
	s, err := trail.OpenStore(ctx, versions.StoreID(args[1]))
	if err != nil {
		return err
	}
	b, ok, err := Branch(ctx, s)
	if err != nil {
		return err
	}
	if !ok {
		b = versions.Branch{URL: args[2], Name: "main"}
	}
	left, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	_, err = Sync(ctx, s, versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}, b, Options{Rewrite: args[3] == "rewrite",
		Me:      func() (string, string) { return "", "ann@example.com" },
		Subject: func(r versions.Change, _ string) string { return fmt.Sprintf("%s %s", r.Kind, r.Path.Tool()) },
		Step: func(string) error {
			if left--; left == 0 {
				return syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return nil
		}})
	return errors.Join(err, s.Close(), trail.Close())
}

// killer is a git that kills the process that calls it: before or after it runs, or beside it, with itself or without.
const killer = `#!/bin/sh
echo >>"$KILL_COUNT"
[ "$(wc -l <"$KILL_COUNT")" -eq "$KILL_AT" ] || exec "$KILL_GIT" "$@"
case $KILL_MODE in
before)
	kill -9 $PPID
	exit 1 ;;
after)
	"$KILL_GIT" "$@"
	kill -9 $PPID ;;
*)
	"$KILL_GIT" "$@" <&0 &
	[ $KILL_MODE = beside ] || { sleep 0.004; kill -9 $!; }
	kill -9 $PPID ;;
esac
`

// syncKilled syncs in another process, which dies at step or call n, and reports whether it died, and whether it came so far.
func (h *home) syncKilled(kind, mode string, n int) (killed, came bool) {
	h.Helper()
	h.must(errors.Join(h.s.Close(), h.trail.Close()))
	dir := h.TempDir()
	h.must(os.WriteFile(filepath.Join(dir, "git"), []byte(killer), 0o755))
	real, err := exec.LookPath("git")
	h.must(err)
	step := 0
	if mode == "step" {
		step = n
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), syncAloneEnv+"="+strings.Join([]string{h.home, string(h.s.Info().ID), h.url, kind, strconv.Itoa(step)}, "\n"),
		"KILL_MODE="+mode, "KILL_AT="+strconv.Itoa(n), "KILL_COUNT="+filepath.Join(dir, "count"), "KILL_GIT="+real)
	if step == 0 {
		cmd.Env = append(cmd.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	said, err := cmd.CombinedOutput()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	killed = status.Signaled() && status.Signal() == syscall.SIGKILL
	if err != nil && !killed {
		h.Fatalf("%s, %s %d: %v: %s", kind, mode, n, err, said)
	}
	h.open()
	calls, err := os.ReadFile(filepath.Join(dir, "count"))
	if step == 0 {
		h.must(err)
	}
	return killed, killed || len(calls) >= n
}

// A sync is killed at each named step and at each call of git, in all ways; the next sync ends with the same texts and changes
// in all homes: nothing is lost, and nothing doubled.
func TestAKilledSyncIsGoneOnWith(t *testing.T) {
	t.Parallel()
	for kind, one := range map[string]struct {
		mode string
		at   int
	}{"first": {"step", 3}, "both sides": {"during", 7}, "rewrite": {"after", 9}} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			killed := 0
			for i, mode := range []string{"step", "before", "during", "beside", "after"} {
				if *killEach == 0 && mode != one.mode {
					continue
				}
				w := newWorld(t)
				k := &killing{world: w, bob: w.home("bob")}
				k.bob.write("begin.md", strings.Repeat("begin\n", 20))
				k.bob.sync()
				k.ann = w.home("ann")
				first := 1 + i**killEach/5
				if *killEach == 0 {
					first = one.at
				}
				for n, came := first, true; came; n += *killEach {
					var died bool
					if died, came = k.round(kind, mode, n); died {
						killed++
					}
					if *killEach == 0 {
						break
					}
				}
			}
			t.Logf("killed %d times", killed)
			if killed < 3 && *killEach > 0 || killed == 0 {
				t.Error("hardly a sync was killed")
			}
		})
	}
}

type killing struct {
	*world
	ann, bob *home
	lines    int
}

// round prepares a sync of ann's and kills it; came is false if it has fewer calls or steps.
func (k *killing) round(kind, mode string, n int) (killed, came bool) {
	k.Helper()
	rewrite := kind == "rewrite"
	if kind == "first" {
		k.ann = k.home("ann")
	} else {
		k.ann.sync()
	}
	for _, h := range []*home{k.bob, k.ann} {
		if h == k.ann && kind == "first" {
			break
		}
		k.lines++
		name := fmt.Sprintf("%s/%d.md", h.me.Actor.Name, k.lines)
		h.write(name, "one\n")
		h.write(name, "one\ntwo\n")
		both := strings.SplitAfter(h.texts()["begin.md"], "\n")
		both[map[*home]int{k.bob: 2, k.ann: 17}[h]] = fmt.Sprintf("%s %d\n", h.me.Actor.Name, k.lines)
		h.write("begin.md", strings.Join(both, ""))
		if h == k.bob {
			h.sync()
		}
	}
	if rewrite {
		secret := fmt.Sprintf("hunter2-number-%d-and-more", k.lines)
		k.ann.write("leak.md", secret)
		k.ann.write("leak.md", fmt.Sprintf("gone %d\n", k.lines))
		k.settle()
		plan, err := redact.Prepare(k.Context(), k.ann.s, versions.RedactTarget{Match: []byte(secret)})
		k.must(err)
		_, err = redact.Do(k.Context(), k.ann.s, k.ann.me, plan, versions.RedactChoice{})
		k.must(err)
		k.bob.write("later.md", fmt.Sprintf("%d\n", k.lines))
		k.bob.sync()
		k.ann.write("mine.md", fmt.Sprintf("%d\n", k.lines))
	}
	killed, came = k.ann.syncKilled(kind, mode, n)
	defer func() {
		if k.Failed() {
			k.Logf("%s, %s %d", kind, mode, n)
		}
	}()
	if b := branchOf(k.ann); b.Erased {
		_, err := k.ann.trySync(Options{Rewrite: true})
		k.must(err)
	}
	k.settle()
	if a, b := k.ann.texts(), k.bob.texts(); !maps.Equal(a, b) || !maps.Equal(a, k.tree()) {
		k.Fatalf("ann has %q, bob %q, the branch %q", a, b, k.tree())
	}
	if a, b := k.ann.changes(), k.bob.changes(); !slices.Equal(a, b) {
		k.Fatalf("ann has the changes\n%q, bob\n%q", a, b)
	}
	return killed, came
}

// settle syncs until all is everywhere.
func (k *killing) settle() {
	k.Helper()
	for range 2 {
		for _, h := range []*home{k.ann, k.bob} {
			if r := h.sync(); len(r.Held) > 0 {
				k.Fatalf("%+v", r)
			}
		}
	}
}

// changes lists who did what when, by the clock there.
func (h *home) changes() (out []string) {
	h.Helper()
	h.must(exchange.Export(h.Context(), h.s, func(it versions.Item) error {
		if r := it.Record; r != nil {
			when := r.Time
			if !r.Wall.IsZero() {
				when = r.Wall
			}
			out = append(out, fmt.Sprintf("%s %s %s", r.By.Actor.Name, r.By.Session, when.UTC().Format(time.RFC3339Nano)))
		}
		return nil
	}))
	slices.Sort(out)
	return out
}
