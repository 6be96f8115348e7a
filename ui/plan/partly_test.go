package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// halting is a store that stops in the middle of applying a plan, as a hosted store can.
type halting struct {
	local.Store
	does []string // operations of the attempts that stop, in order
}

func (h *halting) Apply(ctx context.Context, by versions.By, p *plan.Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	if len(h.does) == 0 {
		return plan.Apply(ctx, h.Store.Store, by, p, choices)
	}
	do := h.does[0]
	h.does = h.does[1:]
	partly := &versions.PartlyError{Err: context.Canceled}
	some := map[versions.MemoryID]planning.Choice{}
	for _, list := range [][]versions.PlanItem{p.Clean, p.Merged, p.Conflicts} {
		for _, it := range list {
			if it.Now.Path.String() == do {
				partly.Done = append(partly.Done, it.Now.Path)
				some[it.Memory] = choices[it.Memory]
				continue
			}
			partly.Left = append(partly.Left, it.Now.Path)
			some[it.Memory] = planning.Choice{Kind: planning.Skip}
		}
	}
	c, err := plan.Apply(ctx, h.Store.Store, by, p, some)
	partly.Change = c.Number
	return c, errors.Join(partly, err)
}

func TestPlan_StoppedShowsWhatWasDoneAndCanContinue(t *testing.T) {
	s := newSim(t, 120, 30)
	h := &halting{Store: local.Store{Store: s.store}, does: []string{"/new.md", "/clean.md"}}
	s.Pane.store = h
	s.Keys("N a")
	if s.Left {
		t.Fatal("it is left with most of it undone")
	}
	s.Shows("1 of 5 done, a continues", "done · 1", "✓ done", "/new.md", "✓ now", "all decided")
	s.Hides("− delete")
	s.Keys("N a") // the engine checks that no decision was made again
	s.Shows("2 of 5 done, a continues", "done · 2", "/clean.md")
	s.Keys("G")
	s.Shows("Done: the service has it.")
	s.FitsEverySize()
	s.Pane.SetSize(120, 30)
	s.Keys("a")
	if !s.Left {
		t.Fatal("the rest is not done")
	}
	if got := s.content("new.md") + s.content("clean.md") + s.content("merged.md"); got != "no memory# clean\n\none\ntwo\nthree\nfour\nfive\n# merged\n\none\ntwo\nthree\nfour\nFIVE\n" {
		t.Errorf("%q", got)
	}
}

func TestPlan_MatchesMemoriesRestoredUnderANewID(t *testing.T) {
	sha := func(n byte) versions.Hash { return versions.Hash{n} }
	place := func(p string, n byte) versions.Place {
		path, err := memfs.ParsePath(p)
		if err != nil {
			t.Fatal(err)
		}
		return versions.Place{Path: path, SHA256: sha(n)}
	}
	p := &plan.Plan{Clean: []versions.PlanItem{
		{Memory: "mem_1", Then: place("/back.md", 1)}, {Memory: "mem_2", Now: place("/back.md", 1)},
		{Memory: "mem_3", Then: place("/other.md", 1)}, {Memory: "mem_4", Now: place("/other.md", 2)},
		{Memory: "mem_5", Now: place("/gone.md", 3)},
	}}
	list := func(partly *versions.PartlyError) string {
		out := ""
		for _, r := range rowsOf(p, partly) {
			if r.item == nil {
				out += r.heading + ":"
				continue
			}
			out += fmt.Sprintf(" %s", where(r.item))
		}
		return out
	}
	if got := list(nil); got != "deleted: /gone.md /other.mdrestored: /other.mdas is · 1: /back.md" {
		t.Error(got)
	}
	if got := list(&versions.PartlyError{Done: []memfs.Path{place("/back.md", 1).Path}}); got != "deleted: /gone.md /other.mdrestored: /other.mddone · 1: /back.md" {
		t.Error(got)
	}
}

// Memories without anything to do are listed as unchanged, except those that an earlier
// attempt wrote or deleted.
func TestPlan_ListsOnlyUntouchedMemoriesAsUntouched(t *testing.T) {
	place := func(p string) versions.Place {
		path, err := memfs.ParsePath(p)
		if err != nil {
			t.Fatal(err)
		}
		return versions.Place{Path: path, SHA256: versions.Hash{1}}
	}
	p := &plan.Plan{Nothing: []versions.PlanItem{
		{Memory: "mem_1", Now: place("/same.md"), Then: place("/same.md")},
		{Memory: "mem_2", Now: place("/done.md"), Then: place("/done.md")},
		{Memory: "mem_3"}, // it was deleted meanwhile
	}}
	list := func(partly *versions.PartlyError) (out []string) {
		for _, r := range rowsOf(p, partly) {
			if r.item == nil {
				out = append(out, r.heading)
				continue
			}
			out = append(out, where(r.item))
		}
		return out
	}
	if got, want := list(nil), []string{"as is · 3", "/", "/done.md", "/same.md"}; !slices.Equal(got, want) {
		t.Errorf("at first %q, want %q", got, want)
	}
	partly := &versions.PartlyError{Done: []memfs.Path{place("/done.md").Path}}
	if got, want := list(partly), []string{"done · 1", "/done.md", "as is · 1", "/same.md"}; !slices.Equal(got, want) {
		t.Errorf("after an attempt %q, want %q", got, want)
	}
}

func TestPlan_SaysThatItIsBeingApplied(t *testing.T) {
	s := &sim{store: store(t)}
	p := New(screentest.Env(t.Context()), local.Store{Store: s.store}, Task{Doing: "undo", By: dana,
		Goal: plan.UndoSession("sesn_bad")})
	s.Sim = screentest.New(t, p.env, p, 100, 30)
	s.Run(p.Start())
	s.Keys("N a")
	s.Shows("being applied")
	if why := p.disabled(); why != "it is being applied" {
		t.Error(why)
	}
	s.Run(p.applied(versions.Change{}, context.Canceled))
	s.Hides("being applied")
}
