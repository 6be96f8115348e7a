package engine_test

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

var (
	powerStates = flag.Int("power.states", 6, "states of the disk after a loss of power")
	powerActs   = flag.Int("power.acts", 16, "acts of one traced process")
	powerSeed   = flag.Uint64("power.seed", 1, "seed of the acts and the states; 0 takes one from the clock")
	powerKeep   = flag.String("power.keep", "", "folder to leave bad states in")
)

// powerCut is a test of what a loss of power leaves: it traces a process, replays
// the trace to a lazy disk, and opens the store on states of that.
type powerCut struct {
	t   *testing.T
	rnd *rand.Rand // chooses states; how often depends on a trace, which depends on time
	who *rand.Rand // chooses what processes do
	dir string     // of states; in memory if possible

	work   chan powerState
	wg     sync.WaitGroup
	mu     sync.Mutex
	states int
	bad    int
}

// powerState is one state to look at, and what was acknowledged when the power went.
type powerState struct {
	dir  string
	name string
	boot string
	acks []ack
}

func newPowerCut(t *testing.T) *powerCut {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("needs strace")
	}
	if out, err := exec.Command("strace", "-qq", "-e", "trace=none", "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %s", out)
	}
	seed := *powerSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-power.seed=%d", seed)
	p := &powerCut{t: t, rnd: rand.New(rand.NewPCG(seed, 0)), who: rand.New(rand.NewPCG(seed, 1)), dir: statesDir(t), work: make(chan powerState)}
	for range max(2, runtime.NumCPU()) {
		p.wg.Go(func() {
			for s := range p.work {
				p.judge(s)
			}
		})
	}
	return p
}

// statesDir is a folder in memory where there is one: a state is written, looked
// at and dropped.
func statesDir(t *testing.T) string {
	if dir, err := os.MkdirTemp("/dev/shm", "memend-power-"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}

func (p *powerCut) done() {
	close(p.work)
	p.wg.Wait()
	p.t.Logf("%d states, %d bad", p.states, p.bad)
}

// newBase makes what a process begins with: a home and a folder.
func (p *powerCut) newBase() string {
	p.t.Helper()
	base, err := filepath.EvalSymlinks(p.t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(base, "folder"), 0o700)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return base
}

// play traces a role that works in base and calls at about so many moments of its
// life, with what was acknowledged by then.
func (p *powerCut) play(base, role string, moments int, at func(d *lazyDisk, acks []ack)) {
	p.t.Helper()
	r := newReplay(p.t, base)
	lines := traced(p.t, role, base)
	chance := float64(moments) / float64(countMatters(lines))
	for _, l := range lines {
		matters, err := r.line(l)
		if err != nil {
			p.t.Fatal(err)
		}
		if !matters || p.rnd.Float64() >= chance {
			continue
		}
		acks, err := acksIn(r.said)
		if err != nil {
			p.t.Fatal(err)
		}
		at(r.disk, acks)
	}
}

// lookAt has a state of each kind looked at.
func (p *powerCut) lookAt(d *lazyDisk, boot string, acks []ack) {
	p.t.Helper()
	for kind := range cut(numberOfKinds) {
		s := p.state(d, kind)
		s.boot, s.acks = boot, acks
		s.name = fmt.Sprintf("state %d, %s, %d acknowledged", p.states, kind, len(acks))
		p.work <- s
	}
}

// state writes a state out.
func (p *powerCut) state(d *lazyDisk, kind cut) powerState {
	p.t.Helper()
	p.states++
	s := powerState{dir: filepath.Join(p.dir, strconv.Itoa(p.states))}
	if err := d.state(s.dir, kind, p.rnd); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// countMatters says at how many moments the power could be cut.
func countMatters(lines []string) (n int) {
	for _, l := range lines {
		for _, call := range []string{" write(", " pwrite64(", " fsync(", " fdatasync(", " rename", " unlink", " mkdir"} {
			if strings.Contains(l[:min(len(l), 30)], call) {
				n++
			}
		}
	}
	return max(1, n)
}

// acksIn reads what a process said.
func acksIn(said []string) (acks []ack, err error) {
	for _, line := range said {
		f := append(strings.Fields(line), "", "", "")
		switch f[0] {
		case "ack":
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return nil, err
			}
			acks = append(acks, ack{n, f[2], f[3], f[4]})
		case "END":
		default:
			return nil, errors.New(line)
		}
	}
	return acks, nil
}

func (p *powerCut) judge(s powerState) {
	defer func() { _ = os.RemoveAll(s.dir) }()
	var copied string
	if *powerKeep != "" {
		copied = filepath.Join(*powerKeep, filepath.Base(s.dir))
		_ = os.CopyFS(copied, os.DirFS(s.dir))
	}
	err := s.check(p.t.Context())
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		_ = os.RemoveAll(copied)
		return
	}
	if p.bad++; p.bad <= 5 {
		p.t.Errorf("%s: %v", s.name, err)
	}
}

// check opens the store in another run of the system and compares it with what
// was acknowledged.
func (s powerState) check(ctx context.Context) (err error) {
	t, err := vengine.Open(ctx, filepath.Join(s.dir, "home"), versions.Options{Boot: s.boot})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	store, err := openMoved(ctx, t, filepath.Join(s.dir, "folder"))
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := store.Sync(ctx); err != nil {
		return err
	}
	err = errors.Join(s.acknowledged(ctx, store), strangers(ctx, store), unharmed(ctx, store))
	if err != nil {
		return err
	}
	return worksOn(ctx, store)
}

// acknowledged checks that every acknowledged change is there, with its content,
// and at most one more with what was adopted for it.
func (s powerState) acknowledged(ctx context.Context, store *core.Store) error {
	var last int64
	for _, a := range s.acks {
		last = a.change
		c, vs, err := vhistory.Change(ctx, store, a.change)
		switch {
		case err != nil:
			return fmt.Errorf("acknowledged %+v is lost: %w", a, err)
		case len(vs) == 0 && (a.what == "moved" && c.Kind == versions.KindRename || a.what == "removed" && c.Kind == versions.KindDelete): // an empty folder
		case a.what == "undone" && c.Kind == versions.KindUndo, a.what == "redone" && c.Kind == versions.KindRedo:
		case a.what == "moved" && slices.ContainsFunc(vs, func(v versions.Version) bool { return v.From.In(mustPath(a.path)) && v.Path.In(mustPath(a.more)) }):
		case !slices.ContainsFunc(vs, a.made):
			return fmt.Errorf("acknowledged %+v is not what the change made: %+v", a, vs)
		}
		for _, v := range vs {
			if v.Operation == versions.Deleted {
				continue
			}
			if b, err := vhistory.Content(ctx, store, v.ID); err != nil || versions.Sum(b) != v.SHA256 {
				return fmt.Errorf("content of acknowledged %+v: %w", a, err)
			}
		}
	}
	n, err := store.LastChange(ctx)
	if err == nil && n > last+3 {
		err = fmt.Errorf("%d changes, and the last that was acknowledged is %d", n, last)
	}
	return err
}

// strangers checks that nothing was taken for another program's that is not.
func strangers(ctx context.Context, store *core.Store) error {
	cs, err := vhistory.Changes(ctx, store, versions.Filter{Actor: versions.Outside}, 0, 1000)
	if err != nil {
		return err
	}
	for _, c := range cs {
		_, vs, err := vhistory.Change(ctx, store, c.Number)
		if err != nil {
			return err
		}
		for _, v := range vs {
			if v.Operation == versions.Deleted {
				return fmt.Errorf("change %d: the loss of %s was taken for another program's work", c.Number, v.Path)
			}
			if b, err := vhistory.Content(ctx, store, v.ID); err != nil || !strings.HasPrefix(string(b), outsidersMark) {
				return fmt.Errorf("change %d: %s with %q was taken for another program's work (%v)", c.Number, v.Path, b[:min(len(b), 80)], err)
			}
		}
	}
	return nil
}

// unharmed checks the invariants, and that the folder equals the heads.
func unharmed(ctx context.Context, store *core.Store) error {
	problems, err := check.Store(ctx, store)
	if len(problems) > 0 {
		err = errors.Join(err, fmt.Errorf("check: %s", strings.Join(problems, "; ")))
	}
	return err
}

// worksOn writes, and sees that nothing stays open.
func worksOn(ctx context.Context, store *core.Store) error {
	b := []byte("works\n" + hex.EncodeToString([]byte(time.Now().String())))
	if _, err := store.Write(ctx, alice, mustPath("next/write"), b, versions.Pre{}); err != nil {
		return fmt.Errorf("the next write: %w", err)
	}
	if err := core.FlushNow(ctx, store); err != nil {
		return err
	}
	open, err := core.OpenChanges(ctx, store, `1`)
	if err == nil && len(open) > 0 {
		err = fmt.Errorf("%d changes stay open", len(open))
	}
	return errors.Join(err, unharmed(ctx, store))
}

// README: "an acknowledged change survives kill -9 and power loss".
func TestALossOfPowerAtAnyMomentLosesNothing(t *testing.T) {
	t.Parallel()
	p := newPowerCut(t)
	defer p.done()
	moments := min(50, 1+*powerStates/int(numberOfKinds))
	for p.states < *powerStates && !t.Failed() {
		role := fmt.Sprintf("power-work monday %d %d", p.who.Uint64(), *powerActs)
		p.play(p.newBase(), role, moments, func(d *lazyDisk, acks []ack) { p.lookAt(d, "tuesday", acks) })
	}
}

// The power goes again while a process makes up for the first time.
// README: "a torn one is finished or undone at the next start".
func TestALossOfPowerWhileOneIsMadeUpForLosesNothing(t *testing.T) {
	t.Parallel()
	p := newPowerCut(t)
	defer p.done()
	for p.states < *powerStates/4 && !t.Failed() {
		var first []powerState
		role := fmt.Sprintf("power-work monday %d %d", p.who.Uint64(), *powerActs/4)
		p.play(p.newBase(), role, min(4, 1+*powerStates/100), func(d *lazyDisk, acks []ack) {
			s := p.state(d, []cut{onlySynced, someNames, emptyFiles, anyNames}[p.rnd.IntN(4)])
			s.acks = acks
			first = append(first, s)
		})
		for _, s := range first {
			role := fmt.Sprintf("power-open tuesday %d 2", p.who.Uint64())
			p.play(s.dir, role, min(10, 1+*powerStates/100), func(d *lazyDisk, acks []ack) { p.lookAt(d, "wednesday", slices.Concat(s.acks, acks)) })
		}
	}
}
