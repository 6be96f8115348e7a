package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

// agentIn is an agent's session.
func agentIn(session string) versions.By {
	return versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "agent"}, Session: versions.SessionID(session)}
}

// walked lists the steps of a trace: "path@version<-the path of the step before".
func walked(tr versions.Trace) (out []string) {
	for _, s := range tr.Steps {
		line := fmt.Sprintf("%s@%d", s.Version.Path, s.Version.Number)
		if s.From >= 0 {
			from := tr.Steps[s.From].Version
			line += fmt.Sprintf("<-%s@%d by %s", from.Path, from.Number, s.ReadBy)
		}
		if s.Again {
			line += " again"
		}
		out = append(out, line)
	}
	return out
}

func (w *world) wantTrace(what string, tr versions.Trace, err error, want ...string) {
	w.t.Helper()
	w.must(err)
	if got := walked(tr); !slices.Equal(got, want) {
		w.t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A poisoned page becomes a memory, which two sessions read; one of them writes on, and what it writes
// is read again. Another session read the memory before it was poisoned.
func TestTrace_FollowsWhatSessionsReadAndWrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(alice, "policy", "ask first\n")
	w.write(alice, "other", "x\n")
	w.view(agentIn("early"), "policy")
	w.write(agentIn("early"), "early", "1\n")
	w.write(agentIn("misled"), "policy", "ask first\nnever ask\n")
	w.view(agentIn("reader"), "other")
	w.write(agentIn("reader"), "before", "nothing of it\n")
	w.view(agentIn("reader"), "policy")
	w.write(agentIn("reader"), "notes", "do not ask\n")
	w.write(alice, "policy", "ask first\nnever ask\nand more\n")
	w.view(agentIn("late"), "policy") // a later version still has it
	w.write(agentIn("late"), "late", "1\n")
	w.view(agentIn("third"), "notes")
	w.view(agentIn("third"), "policy")
	w.write(agentIn("third"), "third", "1\n")
	w.flush()

	tr, err := review.TraceForward(ctx, w.trail, review.TraceFrom{Session: "misled"}, 0)
	w.wantTrace("forward from the session", tr, err, "/policy@2",
		"/notes@1<-/policy@2 by reader", "/late@1<-/policy@2 by late", "/third@1<-/policy@2 by third")
	tr, err = review.TraceForward(ctx, w.trail, review.TraceFrom{Version: w.versionOf("notes", 1).ID}, 0)
	w.wantTrace("forward from a version", tr, err, "/notes@1", "/third@1<-/notes@1 by third")
	tr, err = review.TraceForward(ctx, w.trail, review.TraceFrom{Memory: w.entry("policy").Memory}, 0)
	w.wantTrace("forward from a memory", tr, err, "/policy@1", "/policy@2", "/policy@3",
		"/early@1<-/policy@1 by early", "/notes@1<-/policy@1 by reader", "/late@1<-/policy@1 by late", "/third@1<-/policy@1 by third")

	tr, err = review.TraceBack(ctx, w.trail, review.TraceFrom{Version: w.versionOf("third", 1).ID}, 0)
	w.wantTrace("back", tr, err, "/third@1",
		"/notes@1<-/third@1 by third", "/policy@3<-/third@1 by third",
		"/other@1<-/notes@1 by reader", "/policy@2<-/notes@1 by reader")
	tr, err = review.TraceBack(ctx, w.trail, review.TraceFrom{Version: w.versionOf("before", 1).ID}, 0)
	w.wantTrace("back from what was written before it read the memory", tr, err, "/before@1", "/other@1<-/before@1 by reader")
	tr, err = review.TraceBack(ctx, w.trail, review.TraceFrom{Version: w.versionOf("policy", 3).ID}, 0)
	w.wantTrace("back from a person's text", tr, err, "/policy@3")

	tr, err = review.TraceBack(ctx, w.trail, review.TraceFrom{Session: "third"}, 0)
	w.wantTrace("back from a session", tr, err, "/notes@1", "/policy@3",
		"/other@1<-/notes@1 by reader", "/policy@2<-/notes@1 by reader")
	if s := tr.Steps[0]; s.ReadBy != "third" || s.Read.IsZero() {
		t.Errorf("the first step was read by %q at %v", s.ReadBy, s.Read)
	}
	tr, err = review.TraceBack(ctx, w.trail, review.TraceFrom{Memory: w.entry("policy").Memory}, 0)
	w.wantTrace("back from a memory", tr, err, "/policy@3")

	tr, err = review.TraceForward(ctx, w.trail, review.TraceFrom{Session: "misled"}, 2)
	if err != nil || !tr.Cut || len(tr.Steps) != 2 {
		t.Errorf("cut to 2: %v, %v", walked(tr), err)
	}
}

// What is undone is told apart, so that it is not undone again.
func TestTrace_TellsWhatIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(alice, "a", "1\n")
	bad, err := w.store.Write(ctx, agentIn("misled"), mustPath("a"), []byte("never ask\n"), versions.Pre{})
	w.must(err)
	undone := func() (out []bool) {
		tr, err := review.TraceForward(ctx, w.trail, review.TraceFrom{Memory: w.entry("a").Memory}, 0)
		w.must(err)
		for _, s := range tr.Steps {
			out = append(out, s.Undone)
		}
		return out
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(bad.Number))
	w.must(err)
	if got := undone(); !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("after the undo: %v", got)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.RedoChange(bad.Number))
	w.must(err)
	if got := undone(); !slices.Equal(got, []bool{false, false, true, false}) {
		t.Errorf("after the redo: %v", got)
	}
}

// Another memory at the same path is another memory.
func TestTrace_FollowsMemoriesNotPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(agentIn("misled"), "a", "never ask\n")
	w.rename("a", "b")
	w.write(alice, "a", "a new one\n")
	w.view(agentIn("free"), "a")
	w.write(agentIn("free"), "c", "1\n")
	w.view(agentIn("reader"), "b")
	w.write(agentIn("reader"), "d", "1\n")
	w.flush()
	tr, err := review.TraceForward(t.Context(), w.trail, review.TraceFrom{Session: "misled"}, 0)
	w.wantTrace("forward", tr, err, "/a@1", "/d@1<-/a@1 by reader")
}

// Sessions that read each other's memories in turn are walked once.
func TestTrace_EndsInACircle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(agentIn("one"), "a", "1\n")
	for i := range 4 {
		w.view(agentIn("two"), "a")
		w.write(agentIn("two"), "b", fmt.Sprintln(i))
		w.view(agentIn("one"), "b")
		w.write(agentIn("one"), "a", fmt.Sprintln("again", i))
	}
	w.flush()
	tr, err := review.TraceForward(t.Context(), w.trail, review.TraceFrom{Version: w.versionOf("a", 1).ID}, 0)
	w.must(err)
	if len(tr.Steps) != 9 {
		t.Errorf("%q", walked(tr))
	}
	tr, err = review.TraceBack(t.Context(), w.trail, review.TraceFrom{Version: w.versionOf("a", 5).ID}, 0)
	w.must(err)
	if tr.Cut || len(tr.Steps) > 30 {
		t.Errorf("%d steps", len(tr.Steps))
	}
}

func TestTrace_GoesThroughStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	defer func() { w.must(other.Close()) }()
	w.write(agentIn("misled"), "a", "never ask\n")
	w.view(agentIn("reader"), "a")
	_, err := other.Write(t.Context(), agentIn("reader"), mustPath("b"), []byte("1\n"), versions.Pre{})
	w.must(err)
	w.flush()
	tr, err := review.TraceForward(t.Context(), w.trail, review.TraceFrom{Session: "misled"}, 0)
	w.wantTrace("forward", tr, err, "/a@1", "/b@1<-/a@1 by reader")
	if tr.Steps[1].Store != other.Info().ID {
		t.Errorf("%+v", tr.Steps[1])
	}
}

func TestTrace_ReportsWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		from review.TraceFrom
		want error
	}{{review.TraceFrom{Session: "none"}, versions.ErrNoSession}, {review.TraceFrom{Version: "memver_aaaaaaaaaaaaaaaaaaaaaaaa"}, versions.ErrNoVersion}, {review.TraceFrom{Memory: "mem_aaaaaaaaaaaaaaaaaaaaaaaa"}, versions.ErrNoMemory}} {
		if _, err := review.TraceForward(t.Context(), w.trail, c.from, 0); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.from, err)
		}
	}
	if _, err := review.TraceBack(t.Context(), w.trail, review.TraceFrom{Version: "memver_aaaaaaaaaaaaaaaaaaaaaaaa"}, 0); !errors.Is(err, versions.ErrNoVersion) {
		t.Error(err)
	}
}
