//go:build unix

package engine_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

func init() { roles["killed"] = beKilled }

// beKilled is a process that works until it is killed.
func beKilled(args []string) {
	v := victim{home: os.Args[1], folder: os.Args[2], boot: os.Args[3]}
	if _, err := fmt.Sscan(strings.Join(args, " "), &v.id, &v.seed, &v.diePerMille); err != nil {
		panic(err)
	}
	go func() { // whoever is to kill us is gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	if v.id < 0 {
		v.scribble()
	}
	v.work()
}

// victim is a process that works on a store until it is killed. Each line that it
// prints went out with one system call, so that it is there whole or not at all.
type victim struct {
	id           int
	seed         uint64
	diePerMille  int    // chance of dying by itself at each named step
	target       string // a step at which the chance is much larger
	home, folder string
	boot         string
	rnd          *rand.Rand
	s            *core.Store
	n            int
}

func (v *victim) say(format string, args ...any) {
	_, _ = os.Stdout.WriteString(fmt.Sprintf(format, args...) + "\n")
}

// scribble writes the folder as other programs do: by truncating, by renaming a
// whole file into place, by removing.
func (v *victim) scribble() {
	r := rand.New(rand.NewPCG(v.seed, 1))
	ext := filepath.Join(v.folder, "ext")
	for i := 0; ; i++ {
		_ = os.MkdirAll(ext, 0o755)
		p := filepath.Join(ext, strconv.Itoa(r.IntN(4)))
		b := []byte(strings.Repeat(fmt.Sprintf("scribble %d\n", i), 1+r.IntN(50)))
		switch r.IntN(5) {
		case 0, 1:
			_ = os.WriteFile(p, b, 0o644)
		case 2, 3:
			tmp := filepath.Join(ext, ".saving")
			if os.WriteFile(tmp, b, 0o644) == nil {
				_ = os.Rename(tmp, p)
			}
		case 4:
			_ = os.Remove(p)
		}
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
	}
}

func (v *victim) work() {
	v.rnd = rand.New(rand.NewPCG(v.seed, 2))
	die := rand.New(rand.NewPCG(v.seed, 3))
	if v.diePerMille > 0 {
		v.target = killSteps[die.IntN(len(killSteps))]
	}
	var dice sync.Mutex // a flush has steps too
	ctx := context.Background()
	err := v.open(ctx, versions.Options{Boot: v.boot, Hook: func(step string) error {
		dice.Lock()
		defer dice.Unlock()
		if n := die.IntN(1000); n < v.diePerMille || step == v.target && n < 50*v.diePerMille {
			v.say("die %s", step)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}})
	if err != nil {
		v.say("bad open: %v", err)
		os.Exit(1)
	}
	v.say("ready")
	for {
		v.n++
		if err := v.act(ctx); err != nil && !expected(err) {
			v.say("bad act: %v", err)
		}
	}
}

func (v *victim) open(ctx context.Context, o versions.Options) error {
	t, err := vengine.Open(ctx, v.home, o)
	if err != nil {
		return err
	}
	info, err := t.FindStore(ctx, v.folder)
	if err != nil {
		return err
	}
	v.s, err = t.OpenStore(ctx, info.ID)
	return err
}

// expected are the refusals that other writers may cause.
func expected(err error) bool {
	var c *versions.ConflictError
	return errors.As(err, &c) || errors.Is(err, memfs.ErrNotExist) || errors.Is(err, memfs.ErrExist) ||
		errors.Is(err, versions.ErrNoMemory) || errors.Is(err, core.ErrForeign) || errors.Is(err, memfs.ErrUnstable)
}

func (v *victim) act(ctx context.Context) error {
	own := mustPath(fmt.Sprintf("w%d", v.id))
	file := func() memfs.Path { return mustPath(fmt.Sprintf("%s/f%d", own, v.rnd.IntN(5))) }
	switch v.rnd.IntN(15) {
	case 0, 1, 2:
		return v.count(ctx)
	case 3, 4, 5:
		return v.put(ctx, file(), versions.Pre{}, v.content())
	case 6:
		return v.put(ctx, mustPath(fmt.Sprintf("s/%d/f%d", v.rnd.IntN(2), v.rnd.IntN(3))), versions.Pre{}, v.content())
	case 7:
		return v.put(ctx, mustPath(fmt.Sprintf("ext/%d", v.rnd.IntN(4))), versions.Pre{}, v.content())
	case 8:
		return v.remove(ctx, file())
	case 9:
		return v.remove(ctx, mustPath("s"))
	case 11:
		return v.hold(ctx)
	case 12, 13:
		return v.decide(ctx)
	case 10:
		from, to := file(), mustPath(fmt.Sprintf("%s/r%d", own, v.rnd.IntN(3)))
		c, err := v.s.Rename(ctx, robot, from, to)
		if err == nil {
			v.say("ack %d moved %s %s", c.Number, from, to)
		}
		return err
	}
	return v.remove(ctx, mustPath(fmt.Sprintf("%s/r%d", own, v.rnd.IntN(3))))
}

// hold writes what the policy holds, each time to another path.
func (v *victim) hold(ctx context.Context) error {
	p := mustPath(fmt.Sprintf("held/%d-%d-%d", v.id, v.seed, v.n))
	_, err := v.s.Write(ctx, robot, p, v.content(), versions.Pre{})
	var held *versions.HeldError
	if !errors.As(err, &held) {
		return fmt.Errorf("%s was not held: %w", p, err)
	}
	v.say("held %d", held.Number)
	return nil
}

// decide accepts one of the waiting writes, or rejects it. All workers do so at once.
func (v *victim) decide(ctx context.Context) error {
	waiting, err := review.Held(ctx, v.s, versions.HeldFilter{State: versions.HeldWaiting})
	if err != nil || len(waiting) == 0 {
		return err
	}
	h := waiting[v.rnd.IntN(min(len(waiting), 3))] // so that two often take the same
	if v.rnd.IntN(5) == 0 {
		err = review.Reject(ctx, v.s, alice, h.Number, "")
	} else {
		var p *plan.Plan
		if p, err = plan.Make(ctx, v.s, plan.Accept(h.Number)); err == nil && len(p.Clean) == 1 {
			sha := p.Clean[0].Then.SHA256
			var c versions.Change
			if c, err = plan.Apply(ctx, v.s, alice, p, nil); err == nil {
				v.say("ack %d put %s %s", c.Number, h.Path, sha)
			}
		}
	}
	if errors.As(err, new(*versions.DecidedError)) || errors.As(err, new(*versions.StalePlanError)) {
		return nil // another worker was faster
	}
	return err
}

func (v *victim) content() []byte {
	return []byte(strings.Repeat(fmt.Sprintf("worker %d, seed %d, act %d\n", v.id, v.seed, v.n), 1+v.rnd.IntN(60)))
}

// count adds one to the counter that all share.
func (v *victim) count(ctx context.Context) error {
	p := mustPath("counter")
	e, err := vhistory.Entry(ctx, v.s, p)
	if errors.Is(err, versions.ErrNoMemory) {
		return v.put(ctx, p, versions.Pre{Absent: true}, []byte("1"))
	}
	if err != nil {
		return err
	}
	next, pre, err := v.counted(ctx, e)
	if err != nil {
		return err
	}
	return v.put(ctx, p, pre, next)
}

// counted is the counter's next text, and what it must hold for that to be true.
func (v *victim) counted(ctx context.Context, e versions.Entry) (next []byte, pre versions.Pre, err error) {
	b, err := vhistory.Content(ctx, v.s, e.Version)
	if err != nil {
		return nil, pre, err
	}
	n, err := strconv.Atoi(string(b))
	return []byte(strconv.Itoa(n + 1)), versions.Pre{SHA256: versions.Sum(b)}, err
}

func (v *victim) put(ctx context.Context, p memfs.Path, pre versions.Pre, b []byte) error {
	c, err := v.s.Write(ctx, robot, p, b, pre)
	if err == nil {
		h := versions.Sum(b)
		v.say("ack %d put %s %s", c.Number, p, hex.EncodeToString(h[:]))
	}
	return err
}

func (v *victim) remove(ctx context.Context, p memfs.Path) error {
	c, err := v.s.Delete(ctx, robot, p)
	if err == nil {
		v.say("ack %d removed %s", c.Number, p)
	}
	return err
}
