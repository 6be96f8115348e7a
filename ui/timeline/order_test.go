package timeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
)

// flakyStore is a store in which some reads of differences fail for a while.
type flakyStore struct {
	local.Store
	r        *rand.Rand
	reliable bool
}

func (s *flakyStore) DiffTrees(ctx context.Context, from, to int64) ([]versions.TreeDiff, error) {
	if !s.reliable && s.r.IntN(3) == 0 {
		return nil, errors.New("the disk is slow")
	}
	return history.DiffTrees(ctx, s.Store.Store, from, to)
}

// race runs a timeline whose commands end in any order and whose answers are delayed.
type race struct {
	r    *rand.Rand
	pane *Pane
	cmds []tea.Cmd // running
	msgs []tea.Msg // not delivered
}

func (g *race) add(cmd tea.Cmd) {
	if cmd != nil {
		g.cmds = append(g.cmds, cmd)
	}
}

// anyOf removes a random element.
func anyOf[T any](r *rand.Rand, from *[]T) T {
	i := r.IntN(len(*from))
	x := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return x
}

// step completes one command or delivers one answer.
func (g *race) step() {
	switch run := g.r.IntN(2) == 0; {
	case len(g.cmds) > 0 && (run || len(g.msgs) == 0):
		msg := anyOf(g.r, &g.cmds)()
		if several := screentest.Several(msg); several != nil {
			g.cmds = append(g.cmds, several...)
		} else if msg != nil {
			g.msgs = append(g.msgs, msg)
		}
	case len(g.msgs) > 0:
		if reply, ok := anyOf(g.r, &g.msgs).(screen.Reply); ok {
			g.add(reply.Take())
		}
	}
}

func (g *race) steps() {
	for range g.r.IntN(6) {
		g.step()
	}
}

func (g *race) key(seq ...string) {
	cmd, _ := g.pane.Press(seq, 0)
	g.add(cmd)
}

// A key takes effect whenever it is typed: while changes are loading, while a moment is
// loading, before or after an undo, and after a failed read.
func TestKeys_MoveCorrectlyDuringPendingLoads(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("-timeline.seed=%d", n)
	for round := range *rounds {
		r := rand.New(rand.NewPCG(n+round, 0))
		st := story(t)
		store := &flakyStore{Store: local.Store{Store: st}, r: r}
		g := &race{r: r, pane: New(screentest.Env(t.Context()), store, 0, memfs.Root)}
		g.pane.SetSize(100, 24)
		newest := int64(5)
		sendEvent := func() {
			list, err := history.Changes(t.Context(), st, versions.Filter{}, 0, 10)
			if err != nil {
				t.Fatal(err)
			}
			var e versions.Event
			for i := len(list) - 1; i >= 0; i-- {
				if list[i].Number > newest {
					e.Changes = append(e.Changes, list[i])
				}
			}
			newest = list[0].Number
			g.add(g.pane.Event(e))
		}
		g.add(g.pane.Start())
		g.steps()
		storetest.Must(t)(plan.Do(t.Context(), st, by("eve"), plan.UndoLast{By: by("eve").Actor}))
		g.steps()
		sendEvent()
		if r.IntN(3) == 0 {
			g.add(g.pane.Event(versions.Event{Reload: true}))
		}
		g.steps()
		g.key("[")
		g.steps()
		want := int64(0)
		store.reliable = true // pending commands may have failed
		switch r.IntN(3) {
		case 0:
			g.key("g", "g")
		case 1:
			want = 2
			g.key("g", "g")
			g.steps()
			g.key("l")
			g.steps()
			g.key("l")
		case 2:
			want = 7 // with the event below
			g.key("G")
		}
		g.steps()
		storetest.Write(t, st, by("kim"), "late.md", "late\n")
		sendEvent()
		for range 1000 {
			g.step()
		}
		if p := g.pane; p.at != want || p.marks.last() != 7 || p.err != nil {
			t.Fatalf("round %d: at %d of %d, want %d: %v", round, p.at, p.marks.last(), want, p.err)
		}
	}
}

func TestReload_KeepsThePositionAndDropsPendingLoads(t *testing.T) {
	for _, c := range []struct {
		key  string
		want int64
	}{{"home", 0}, {"end", 6}, {"[", 4}} {
		st := story(t)
		s := newSim(t, st, 0, "", 100, 24)
		s.Keys(c.key)
		reading := s.Pane.Event(versions.Event{Reload: true})
		made := storetest.Write(t, st, by("kim"), "late.md", "late\n")
		s.Run(s.Pane.Event(versions.Event{Changes: []versions.Change{made}}))
		s.Run(reading)
		if s.Pane.at != c.want || s.Pane.marks.last() != 6 {
			t.Errorf("after %s and a reload it is at %d of %d, want %d", c.key, s.Pane.at, s.Pane.marks.last(), c.want)
		}
	}
	s := newSim(t, story(t), 0, "", 100, 24)
	cmd, _ := s.Pane.Press([]string{"home"}, 0)
	before := cmd() // the state before a redaction
	s.Pane.Event(versions.Event{Reload: true})
	before.(screen.Reply).Take()
	if s.Pane.at != -1 {
		t.Error("it shows what was read before the reload")
	}
}
