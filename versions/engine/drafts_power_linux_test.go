package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	vengine "github.com/memend/memend/versions/engine"
)

func init() {
	roles["power-drafts"] = func(args []string) {
		p := newPowered(args)
		p.open()
		info := p.s.Info()
		d := p.t.Drafts(info.ID)
		for p.n < p.acts {
			p.n++
			id, err := d.Keep(drafts.Draft{Path: mustPath("a"), Text: []byte(strings.Repeat("x", p.n))}, p.n)
			p.must(err)
			say("ack %d %s", p.n, id)
		}
		p.die()
	}
}

// A draft that was kept is there after a loss of power, with its name.
func TestALossOfPowerTakesNoDraft(t *testing.T) {
	t.Parallel()
	p := newPowerCut(t)
	close(p.work) // states are looked at here
	p.play(p.newBase(), "power-drafts monday 1 3", 1000, func(d *lazyDisk, acks []ack) {
		if len(acks) == 0 {
			return
		}
		last := acks[len(acks)-1]
		s := p.state(d, onlySynced)
		trail, err := vengine.Open(context.Background(), filepath.Join(s.dir, "home"), versions.Options{Boot: "tuesday"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = trail.Close() }()
		all, err := trail.Stores(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		drafts, err := trail.Drafts(all[0].ID).List()
		if err != nil || len(drafts) != 1 || int64(len(drafts[0].Text)) < last.change {
			t.Errorf("after %+v: %+v, %v", last, drafts, err)
		}
	})
}
