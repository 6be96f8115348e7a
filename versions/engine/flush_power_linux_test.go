package engine_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/internal/core"
)

func init() {
	// Removes a memory, and while that is flushed the folder above, which it may make again.
	roles["power-flush"] = func(args []string) {
		p := newPowered(args)
		ctx := context.Background()
		at := p.acts % 10 // which sync of a folder the other change precedes
		again := p.acts >= 10
		p.open()
		p.t.FlushDelay = time.Hour // only the flush that is called below
		p.n = 10                   // a text of this act is like none of the others
		p.must(p.write(ctx, mustPath("b/y/y")))
		p.n++
		p.must(p.write(ctx, mustPath("b/x")))
		p.must(core.FlushNow(ctx, p.s))

		calls := 0
		p.s.Dir.Hook = func(step string, _ memfs.Path) error {
			if step != "sync-dir" {
				return nil
			}
			if calls++; calls != at {
				return nil
			}
			c, err := p.s.Delete(ctx, robot, mustPath("b"))
			p.must(p.tell(c, err, "removed b"))
			if again {
				p.n++
				p.must(p.write(ctx, mustPath("b/y/z")))
			}
			return nil
		}
		c, err := p.s.Delete(ctx, robot, mustPath("b/y/y"))
		p.must(p.tell(c, err, "removed b/y/y"))
		p.must(core.FlushNow(ctx, p.s))
		p.n++
		p.must(p.write(ctx, mustPath("c"))) // makes durable that the flush is done
		p.die()
	}
}

// A flush covers a removal also where the folder is removed, or made again, while it runs.
func TestALossOfPowerAfterAFlushBringsNoRemovedMemoryBack(t *testing.T) {
	t.Parallel()
	p := newPowerCut(t)
	defer p.done()
	for _, how := range sampled([]int{2, 3, 1, 13, 12, 11}) { // before the sync of b/y, of b or of the root; from 11 on it is made again
		before := p.states
		p.play(p.newBase(), "power-flush monday 1 "+strconv.Itoa(how), math.MaxInt, func(d *lazyDisk, acks []ack) {
			if len(acks) == 0 || acks[len(acks)-1].path != "/c" {
				return
			}
			s := p.state(d, onlySynced)
			s.boot, s.acks = "tuesday", acks
			s.name = fmt.Sprintf("state %d of %d", p.states, how)
			p.work <- s
		})
		if p.states == before {
			t.Error("no state was looked at")
		}
	}
}
