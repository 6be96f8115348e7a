package versions

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

var inbox = By{Door: DoorOutside, Actor: Actor{Kind: Agent, Name: "gemini-cli"}}

func proposed(texts ...ProposedText) Proposed { return Proposed{By: inbox, Texts: texts} }

func textOn(p, base, text string) ProposedText {
	t := ProposedText{Path: mustPath(p), Text: []byte(text)}
	if base != "" {
		t.Base = sum([]byte(base))
	}
	return t
}

func TestAProposalIsOneChangeByWhoeverWantedItWithThePersonsDecisionBesideIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "MEMORY.md", "one\n")
	p, err := w.store.PlanProposed(t.Context(), proposed(textOn("MEMORY.md", "one\n", "one\nsee new\n"), textOn("new.md", "", "new\n")))
	w.must(err)
	if len(p.Clean) != 2 || p.Clean[0].Added != 1 {
		t.Fatalf("%+v", p)
	}
	c, err := w.store.AcceptProposed(t.Context(), alice, p)
	w.must(err)
	if now := w.now(); now["MEMORY.md"] != "one\nsee new\n" || now["new.md"] != "new\n" {
		t.Errorf("%v", now)
	}
	if c.Actor != inbox.Actor || c.Door != DoorOutside || c.Versions != 2 || c.Kind != KindEdit {
		t.Errorf("%+v", c)
	}
	all, err := w.store.Held(t.Context(), HeldFilter{})
	w.must(err)
	if len(all) != 1 || all[0].State != HeldAccepted || all[0].DecidedBy != alice.Actor || all[0].Change != c.Number || all[0].Items != 2 {
		t.Errorf("%+v", all)
	}
	_, err = w.store.Undo(t.Context(), alice, c.Number)
	w.must(err)
	if now := w.now(); now["MEMORY.md"] != "one\n" || len(now) != 1 {
		t.Errorf("after an undo: %v", now)
	}
}

func TestAProposalIsStaleIfItsMemoryChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	p, err := w.store.PlanProposed(t.Context(), proposed(textOn("a", "one\n", "two\n"), textOn("b", "", "new\n")))
	w.must(err)
	stale := func(after string, err error) {
		t.Helper()
		var s *StalePlanError
		var c *ConflictsError
		if !errors.As(err, &s) && !errors.As(err, &c) {
			t.Errorf("%s: %v", after, err)
		}
	}
	w.write(alice, "b", "somebody else's\n")
	_, err = w.store.AcceptProposed(t.Context(), alice, p)
	stale("a file at the path of a new one", err)
	_, err = w.store.PlanProposed(t.Context(), proposed(textOn("b", "", "new\n")))
	stale("planned on no memory", err)

	p, err = w.store.PlanProposed(t.Context(), proposed(textOn("a", "one\n", "two\n")))
	w.must(err)
	w.outside("a", "one and a half\n")
	_, err = w.store.AcceptProposed(t.Context(), alice, p)
	stale("another program's write", err)
	if now := w.now(); now["a"] != "one and a half\n" {
		t.Errorf("%v", now)
	}
	if all, err := w.store.Held(t.Context(), HeldFilter{}); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestOnlyAPersonDecidesAboutAProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.store.PlanProposed(t.Context(), proposed(textOn("a", "", "two\n")))
	w.must(err)
	for _, by := range []By{robot, {Actor: alice.Actor}, inbox} {
		if _, err := w.store.AcceptProposed(t.Context(), by, p); !errors.Is(err, ErrPersonsOnly) {
			t.Errorf("accept by %v: %v", by, err)
		}
		if err := w.store.RejectProposed(t.Context(), by, p, ""); !errors.Is(err, ErrPersonsOnly) {
			t.Errorf("reject by %v: %v", by, err)
		}
	}
	if now := w.now(); len(now) > 0 {
		t.Errorf("%v", now)
	}
}

func TestARejectedProposalStaysRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, err := w.store.PlanProposed(t.Context(), proposed(textOn("a", "", "always run the tests as root\n")))
	w.must(err)
	w.must(w.store.RejectProposed(t.Context(), alice, p, "never"))
	n := w.heldAs(robot, "b", "Always run the tests as root\n")
	if h := w.state(n); h.Earlier == nil || h.Earlier.Reason != "never" {
		t.Errorf("%+v", h)
	}
}

func TestAProposalOfAPinnedMemoryIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.must(w.store.Pin(t.Context(), alice, mustPath("a"), PinAll))
	p, err := w.store.PlanProposed(t.Context(), proposed(textOn("a", "one\n", "two\n")))
	w.must(err)
	var denied *DeniedError
	if _, err := w.store.AcceptProposed(t.Context(), alice, p); !errors.As(err, &denied) {
		t.Errorf("%v", err)
	}
	if p.Path != mustPath("a") && p.Path != memfs.Root {
		t.Errorf("%v", p.Path)
	}
}

func TestAMergeTakesOverWhatIsMissingAndAsksAboutTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "same", "x\n")
	w.write(alice, "MEMORY.md", "- ours\n")
	texts := []ProposedText{textOn("same", "", "x\n"), textOn("MEMORY.md", "", "- theirs\n"), textOn("new/a", "", "new\n")}
	p, err := w.store.PlanMerge(t.Context(), texts)
	w.must(err)
	if len(p.Clean) != 1 || len(p.Nothing) != 1 || len(p.Conflicts) != 1 || p.Conflicts[0].Merge == nil {
		t.Fatalf("%+v", p)
	}
	var conflicts *ConflictsError
	if _, err := w.store.Apply(t.Context(), alice, p, nil); !errors.As(err, &conflicts) {
		t.Errorf("%v", err)
	}
	c := w.apply(p, map[MemoryID]planning.Choice{p.Conflicts[0].Memory: {Kind: planning.OwnText, Text: []byte("- ours\n- theirs\n")}})
	if now := w.now(); now["new/a"] != "new\n" || now["MEMORY.md"] != "- ours\n- theirs\n" || c.Versions != 2 {
		t.Errorf("%v, %+v", now, c)
	}
	_, err = w.store.Undo(t.Context(), alice, c.Number)
	w.must(err)
	if now := w.now(); len(now) != 2 || now["MEMORY.md"] != "- ours\n" {
		t.Errorf("after an undo: %v", now)
	}
}
