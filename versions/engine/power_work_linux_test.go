package engine_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

func init() {
	roles["power-work"] = func(args []string) { newPowered(args).work() }
	roles["power-open"] = func(args []string) { newPowered(args).reopen() }
}

// powered is the process whose power is cut. It says what was acknowledged, each
// line with one system call.
type powered struct {
	home, folder string
	boot         string
	rnd          *rand.Rand
	acts         int

	t *core.Trail
	s *core.Store
	n int
}

// newPowered takes the run of the system, a seed and a number of acts.
func newPowered(args []string) *powered {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	p := &powered{boot: args[0], rnd: rand.New(rand.NewPCG(seed, 7)), home: filepath.Join(os.Args[1], "home"), folder: filepath.Join(os.Args[1], "folder")}
	if p.acts, err = strconv.Atoi(args[2]); err != nil {
		panic(err)
	}
	return p
}

func say(format string, args ...any) {
	_, _ = os.Stdout.WriteString(fmt.Sprintf(format, args...) + "\n")
}

func (p *powered) must(err error) {
	if err != nil {
		say("bad %v", err)
		os.Exit(1)
	}
}

func (p *powered) open() {
	ctx := context.Background()
	var err error
	p.t, err = vengine.Open(ctx, p.home, versions.Options{Boot: p.boot, Now: inAnHour})
	p.must(err)
	p.s, err = openMoved(ctx, p.t, p.folder)
	p.must(err)
}

// openMoved opens the only store of a trail, whose folder is a copy of the one
// that it was made with; it makes the store when there is none yet.
func openMoved(ctx context.Context, t *core.Trail, folder string) (*core.Store, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		info, err := stores.CreateStore(ctx, t, alice, "", "", folder)
		if err != nil {
			return nil, err
		}
		return t.OpenStore(ctx, info.ID)
	}
	if real, err := disk.RealFolder(folder); err != nil {
		return nil, err
	} else if all[0].Folder != real {
		if err := stores.MoveStore(ctx, t, alice, all[0].ID, folder); err != nil {
			return nil, err
		}
	}
	return t.OpenStore(ctx, all[0].ID)
}

// work does random acts, waits now and then so that what is done gets flushed in
// between, and dies without closing anything.
func (p *powered) work() {
	p.open()
	for p.n < p.acts {
		p.n++
		if err := p.act(context.Background()); err != nil && !p.refused(err) {
			p.must(err)
		}
		if p.rnd.IntN(8) == 0 {
			time.Sleep(time.Duration(p.rnd.IntN(80)) * time.Millisecond)
		}
	}
	p.die()
}

// reopen is a process that comes after a loss of power.
func (p *powered) reopen() {
	p.open()
	for p.n < p.acts {
		p.n++
		p.must(p.write(context.Background(), mustPath(fmt.Sprintf("after/%d", p.n))))
	}
	p.must(errors.Join(p.s.Close(), p.t.Close()))
	p.die()
}

func (p *powered) die() {
	say("END")
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// refused are the answers to acts that make no sense as things stand.
func (p *powered) refused(err error) bool {
	var later *versions.LaterChangeError
	if errors.As(err, &later) {
		return true
	}
	for _, e := range []error{memfs.ErrExist, memfs.ErrNotExist, memfs.ErrIsFolder, memfs.ErrNotFolder, memfs.ErrIntoItself, versions.ErrNoMemory, versions.ErrNothing, versions.ErrUndone, versions.ErrNotUndone} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// path is one of few, so that files and folders come to stand where the others
// stood.
func (p *powered) path() memfs.Path {
	s := string("abc"[p.rnd.IntN(3)])
	for range p.rnd.IntN(3) {
		s += "/" + string("xyz"[p.rnd.IntN(3)])
	}
	return mustPath(s)
}

func (p *powered) act(ctx context.Context) error {
	switch p.rnd.IntN(14) {
	case 0, 1, 2, 3, 4, 5:
		return p.write(ctx, p.path())
	case 6, 7, 8:
		from, to := p.path(), p.path()
		c, err := p.s.Rename(ctx, robot, from, to)
		return p.tell(c, err, "moved %s %s", from, to)
	case 9, 10:
		at := p.path()
		c, err := p.s.Delete(ctx, robot, at)
		return p.tell(c, err, "removed %s", at)
	case 11:
		c, err := plan.Do(ctx, p.s, robot, plan.UndoLast{By: robot.Actor})
		return p.tell(c, err, "undone")
	case 12:
		c, err := plan.Do(ctx, p.s, robot, plan.RedoLast{By: robot.Actor})
		return p.tell(c, err, "redone")
	}
	return p.outsider(ctx)
}

func (p *powered) tell(c versions.Change, err error, format string, args ...any) error {
	if err == nil && c.Number > 0 {
		say("ack %d "+format, append([]any{c.Number}, args...)...)
	}
	return err
}

func (p *powered) write(ctx context.Context, at memfs.Path) error {
	b := []byte(strings.Repeat(fmt.Sprintf("act %d writes %s\n", p.n, at), []int{0, 1, 40, 400}[p.rnd.IntN(4)]))
	c, err := p.s.Write(ctx, robot, at, b, versions.Pre{})
	h := versions.Sum(b)
	return p.tell(c, err, "put %s %s", at, hex.EncodeToString(h[:]))
}

// outsidersMark is how everything begins that the other program writes.
const outsidersMark = "from outside"

// outsider is another program that saves a file with care; then the store looks.
func (p *powered) outsider(ctx context.Context) error {
	at := p.path()
	host := filepath.Join(p.folder, filepath.FromSlash(versions.Key(at)))
	if fi, err := os.Stat(filepath.Dir(host)); err != nil || !fi.IsDir() {
		return nil
	}
	if fi, err := os.Stat(host); err == nil && fi.IsDir() {
		return nil
	}
	tmp := filepath.Join(p.folder, ".other")
	f, err := os.Create(tmp)
	p.must(err)
	_, err = f.WriteString(strings.Repeat(fmt.Sprintf("%s, act %d\n", outsidersMark, p.n), 1+p.rnd.IntN(100)))
	p.must(errors.Join(err, f.Sync(), f.Close(), os.Rename(tmp, host)))
	for dir := filepath.Dir(host); len(dir) >= len(p.folder); dir = filepath.Dir(dir) {
		d, err := os.Open(dir)
		p.must(err)
		p.must(errors.Join(d.Sync(), d.Close()))
	}
	_, err = p.s.Sync(ctx)
	return err
}
