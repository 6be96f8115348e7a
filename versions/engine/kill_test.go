//go:build unix

package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

var (
	killRounds = flag.Int("kill.rounds", 1, "rounds of four killed processes")
	killSeed   = flag.Uint64("kill.seed", 1, "seed of the kills; 0 takes one from the clock")
)

// ack is an act that a process was told to be done.
type ack struct {
	change int64
	what   string
	path   string
	more   string // of a put its hash, of a move its destination
}

// slaughter is what the test knows of its victims.
type slaughter struct {
	t *testing.T
	*world
	rnd *rand.Rand

	mu    sync.Mutex
	held  []int64 // numbers of held writes that were answered
	acks  []ack
	steps map[string]int // deaths at a named step

	boots                     int // runs of the system
	kills, halfDone, compared int
}

// killSteps are where enough kills must have hit, so that a step which nobody
// dies at any more is noticed.
var killSteps = []string{"before-intent-commit", "after-intent-commit", "stage-write", "stage-mid", "replace", "create", "rename", "remove",

	"before-final-commit", "after-final-commit", "before-flush-sync", "sync-file", "sync-dir", "before-flush-commit"}

// README: "an acknowledged change survives kill -9 and power loss".
func TestKilledProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kill.seed=%d", seed)
	k := &slaughter{t: t, rnd: rand.New(rand.NewPCG(seed, 0)), steps: map[string]int{}}
	k.world = newWorld(t, versions.Options{Boot: k.boot()})
	k.policy("hold actor:agent path:/held")
	for round := range *killRounds {
		known := len(k.acks)
		k.round(round)
		k.reopen()
		k.verify(k.acks[known:])
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	k.verify(k.acks)
	t.Logf("%d kills, %d of them at named steps: %v", k.kills, total(k.steps), k.steps)
	t.Logf("%d acknowledged acts, %d changes, %d half-done changes finished at the next open, %d compared after one of %d new starts of the system",
		len(k.acks), k.last(), k.halfDone, k.compared, k.boots)
	for _, step := range killSteps {
		if k.kills >= 400 && k.steps[step] == 0 {
			t.Errorf("nobody died at %s", step)
		}
	}
	if len(k.acks) < *killRounds {
		t.Error("the processes did next to nothing before they were killed")
	}
}

func total(m map[string]int) (n int) {
	for v := range maps.Values(m) {
		n += v
	}
	return n
}

func (k *slaughter) last() int64 {
	n, err := k.store.LastChange(context.Background())
	if err != nil {
		k.t.Fatal(err)
	}
	return n
}

// boot names the run of the system that the test plays. The system started anew
// has lost nothing here: what the dead had done must be taken as it is.
func (k *slaughter) boot() string { return fmt.Sprintf("boot-%d", k.boots) }

// round lets four workers and a scribbler live for a while. Every other time they
// die by themselves at named steps, as far as they get to one in time.
func (k *slaughter) round(n int) {
	k.close() // nothing that lives may help the dead
	perMille := 0
	if n%2 == 1 {
		perMille = 2
	}
	var wg sync.WaitGroup
	scribbler := k.spawn(&wg, -1, 0, func() {})
	for id := range 4 {
		ready := make(chan struct{})
		cmd := k.spawn(&wg, id, perMille, sync.OnceFunc(func() { close(ready) }))
		life := time.Duration(20+k.rnd.IntN(600)) * time.Millisecond
		if perMille > 0 {
			life += 600 * time.Millisecond
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			select {
			case <-ready:
			case <-time.After(30 * time.Second):
			}
			time.Sleep(life)
			_ = cmd.Process.Kill()
			if st, err := cmd.Process.Wait(); err == nil {
				if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signal() == syscall.SIGKILL {
					k.mu.Lock()
					k.kills++
					k.mu.Unlock()
				} else {
					k.t.Errorf("worker %d ended by itself: %v", id, st)
				}
			}
			if id == 0 {
				_ = scribbler.Process.Kill()
				_, _ = scribbler.Process.Wait()
			}
		}()
	}
	wg.Wait()
}

// spawn starts a victim and collects what it says. It calls up, more than once
// perhaps, when the victim has begun to work or is dead.
func (k *slaughter) spawn(wg *sync.WaitGroup, id, perMille int, up func()) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(exe, k.home, k.folder, k.boot())
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=killed %d %d %d", roleEnv, id, k.rnd.Uint64(), perMille))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() { _ = stdin.Close() }()
		for in := bufio.NewScanner(out); in.Scan(); {
			k.hear(in.Text(), up)
		}
		up() // it may have died before it was ready
	}()
	return cmd
}

func (k *slaughter) hear(line string, up func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := append(strings.Fields(line), "", "", "")
	switch f[0] {
	case "ready":
		up()
	case "die":
		k.steps[f[1]]++
	case "held":
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			k.t.Errorf("heard %q", line)
		}
		k.held = append(k.held, n)
	case "ack":
		n, err := strconv.ParseInt(f[1], 10, 64)
		if err != nil {
			k.t.Errorf("heard %q", line)
		}
		if n > 0 { // 0 is a write of what stood there already
			k.acks = append(k.acks, ack{n, f[2], f[3], f[4]})
		}
	default:
		k.t.Errorf("a worker said: %s", line)
	}
}

// reopen opens the store as the next process to come would, and lets it look.
func (k *slaughter) reopen() {
	k.t.Helper()
	anew := k.rnd.IntN(2) == 0
	if anew {
		k.boots++
	}
	t, err := vengine.Open(context.Background(), k.home, versions.Options{Boot: k.boot()})
	if err != nil {
		k.t.Fatal(err)
	}
	var halfDone, unflushed int
	if err := t.DB.W.QueryRow(`SELECT count(DISTINCT change) FILTER (WHERE carried=0), count(DISTINCT change) FROM intent`).Scan(&halfDone, &unflushed); err != nil {
		k.t.Fatal(err)
	}
	if err := t.Close(); err != nil {
		k.t.Fatal(err)
	}
	k.halfDone += halfDone
	if anew {
		k.compared += unflushed
	}
	k.open(versions.Options{Boot: k.boot()})
	k.sync()
}

// verify checks the trail, and it against what the victims were told.
func (k *slaughter) verify(acks []ack) {
	k.t.Helper()
	k.check()
	for _, a := range acks {
		_, vs, err := vhistory.Change(context.Background(), k.store, a.change)
		if err != nil {
			k.t.Errorf("acknowledged %+v is lost: %v", a, err)
		} else if !slices.ContainsFunc(vs, a.made) {
			k.t.Errorf("acknowledged %+v is not what the change made: %+v", a, vs)
		}
	}
	// What only workers write, no other program wrote: a half-done write of the
	// dead must not pass for one.
	for _, p := range []string{"counter", "w0", "w1", "w2", "w3", "s"} {
		cs, err := vhistory.Changes(context.Background(), k.store, versions.Filter{Actor: versions.Outside, In: mustPath(p)}, 0, 5)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, c := range cs {
			k.t.Errorf("%s: change %d was taken for another program's: %+v", p, c.Number, c)
		}
	}
	k.verifyCounter()
	k.verifyHeld()
}

// verifyHeld checks that no held write is lost, and that each was applied once if it was accepted and never if it
// waits.
func (k *slaughter) verifyHeld() {
	k.t.Helper()
	ctx := context.Background()
	for _, n := range k.held {
		if _, err := review.HeldChange(ctx, k.trail, n); err != nil {
			k.t.Errorf("a write that was answered as held is lost: %v", err)
		}
	}
	all, err := review.Held(ctx, k.store, versions.HeldFilter{})
	if err != nil {
		k.t.Fatal(err)
	}
	for _, h := range all {
		times := 0
		if id, err := vhistory.MemoryAt(ctx, k.store, h.Path); err == nil {
			vs, err := vhistory.Of(ctx, k.store, id, 0, 10)
			if err != nil {
				k.t.Fatal(err)
			}
			times = len(vs)
		}
		if want := map[versions.HeldState]int{versions.HeldWaiting: 0, versions.HeldAccepted: 1, versions.HeldRejected: 0}[h.State]; times != want {
			k.t.Errorf("#%d is %s, and was applied %d times", h.Number, h.State, times)
		}
	}
}

func (a ack) made(v versions.Version) bool {
	switch a.what {
	case "put":
		return v.Path == mustPath(a.path) && hex.EncodeToString(v.SHA256[:]) == a.more
	case "moved":
		return v.From == mustPath(a.path) && v.Path == mustPath(a.more)
	}
	return v.Operation == versions.Deleted && v.Path.In(mustPath(a.path))
}

// verifyCounter follows the counter's versions: up by one each, so that no update
// was lost, and as many as were acknowledged or more.
func (k *slaughter) verifyCounter() {
	k.t.Helper()
	counted := 0
	for _, a := range k.acks {
		if a.path == "/counter" {
			counted++
		}
	}
	ctx := context.Background()
	id, err := vhistory.MemoryAt(ctx, k.store, mustPath("counter"))
	if errors.Is(err, versions.ErrNoMemory) && counted == 0 {
		return
	}
	if err != nil {
		k.t.Fatal(err)
	}
	next, before := -1, 0
	for {
		vs, err := vhistory.Of(ctx, k.store, id, before, 500)
		if err != nil {
			k.t.Fatal(err)
		}
		for _, v := range vs { // newest first
			b, err := vhistory.Content(ctx, k.store, v.ID)
			if err != nil {
				k.t.Fatal(err)
			}
			if next < 0 {
				if next = v.Number; next < counted {
					k.t.Errorf("the counter is at %d, %d were acknowledged", next, counted)
				}
			}
			if !bytes.Equal(b, []byte(strconv.Itoa(next))) || v.Number != next {
				k.t.Errorf("version %d of the counter holds %q, want %d: an update was lost", v.Number, b, next)
			}
			next, before = next-1, v.Number
		}
		if len(vs) < 500 {
			break
		}
	}
	if next != 0 {
		k.t.Errorf("the counter's history begins at %d", next+1)
	}
}
