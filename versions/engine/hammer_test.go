//go:build unix

package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

var hammerTime = flag.Duration("hammer.time", 200*time.Millisecond, "how long four processes count in one file")

func init() { roles["hammer"] = hammer }

// hammer adds one to the counter as often as it can, until its standard input
// ends, and says how often that was and how long the longest took.
func hammer(args []string) {
	ctx := context.Background()
	v := victim{home: os.Args[1], folder: os.Args[2]}
	if err := v.open(ctx, versions.Options{}); err != nil {
		v.say("bad %v", err)
		os.Exit(1)
	}
	v.say("ready")
	begin := make([]byte, 1)
	_, _ = os.Stdin.Read(begin)
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	var done int
	var worst time.Duration
	for {
		select {
		case <-over:
			v.say("done %d %d", done, worst)
			os.Exit(0)
		default:
		}
		began := time.Now()
		err := v.increase(ctx)
		worst = max(worst, time.Since(began))
		var c *versions.ConflictError
		switch {
		case err == nil:
			done++
		case !errors.As(err, &c) && !errors.Is(err, memfs.ErrUnstable):
			v.say("bad %v", err)
			os.Exit(1)
		}
	}
}

// increase writes the counter once, if nobody else did since it was read.
func (v *victim) increase(ctx context.Context) error {
	p := mustPath("counter")
	e, err := vhistory.Entry(ctx, v.s, p)
	if err != nil {
		return err
	}
	next, pre, err := v.counted(ctx, e)
	if err == nil {
		_, err = v.s.Write(ctx, robot, p, next, pre)
	}
	return err
}

func TestFourProcessesLoseNoUpdateAndNoneStarves(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t)
	w.write(alice, "counter", "0")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type counter struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out io.Reader
	}
	var all []counter
	for range 4 {
		c := counter{cmd: exec.Command(exe, w.home, w.folder)}
		c.cmd.Env = append(os.Environ(), roleEnv+"=hammer")
		c.cmd.Stderr = os.Stderr
		if c.in, err = c.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if c.out, err = c.cmd.StdoutPipe(); err != nil {
			t.Fatal(err)
		}
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.in.Close(); _ = c.cmd.Process.Kill(); _ = c.cmd.Wait() }()
		all = append(all, c)
	}
	for _, c := range all {
		var word string
		if _, err := fmt.Fscan(c.out, &word); err != nil || word != "ready" {
			t.Fatal(word, err)
		}
	}
	for _, c := range all {
		if _, err := c.in.Write([]byte("!")); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(*hammerTime)
	sum, counts := 0, []int{}
	var worst time.Duration
	for _, c := range all {
		_ = c.in.Close()
	}
	for _, c := range all {
		said, err := io.ReadAll(c.out)
		var n int
		var longest time.Duration
		if _, serr := fmt.Sscanf(strings.TrimSpace(string(said)), "done %d %d", &n, &longest); err != nil || serr != nil {
			t.Fatalf("%q, %v", said, err)
		}
		sum, counts, worst = sum+n, append(counts, n), max(worst, longest)
	}
	t.Logf("%d updates in %v, by process %v; the longest took %v", sum, *hammerTime, counts, worst.Round(time.Millisecond))
	vs := w.history("counter")
	if vs[0].Number != sum+1 || w.file("counter") != strconv.Itoa(sum) { // that the numbers have no gap is checked at the end
		t.Errorf("%d updates acknowledged, %d versions, the file holds %s", sum, vs[0].Number, w.file("counter"))
	}
	if least := slices.Min(counts); least < sum/len(counts)/10 {
		t.Errorf("one process made %d of %d updates", least, sum)
	}
}
