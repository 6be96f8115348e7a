package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/write"
)

// newTwinAndOwn is a home with a hosted store and one of its own.
func newTwinAndOwn(t *testing.T) (*twin, *core.Store) {
	w := newTwin(t)
	w.pull()
	own := w.second()
	t.Cleanup(func() { _ = own.Close() })
	return w, own
}

// writeText writes a memory of a store.
func writeText(t *testing.T, s *core.Store, by versions.By, p, text string) {
	t.Helper()
	if _, err := s.Write(t.Context(), by, mustPath(p), []byte(text), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
}

// acrossAt returns what the current version of a memory was copied from.
func acrossAt(t *testing.T, s *core.Store, p string) versions.Across {
	t.Helper()
	v, err := s.VersionAt(t.Context(), mustPath(p), 0)
	if err != nil || v.Across == nil {
		t.Fatalf("%s: %+v, %v", p, v, err)
	}
	return *v.Across
}

// authorsOf returns who wrote each part of a memory, according to its blame.
func authorsOf(t *testing.T, s *core.Store, p string) (out []string) {
	t.Helper()
	v, err := s.VersionAt(t.Context(), mustPath(p), 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := vhistory.Blame(t.Context(), s, v.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range b.Runs {
		out = append(out, r.By.Actor.Name)
	}
	return out
}

// A copy from a hosted store is one change of the other store, as between own stores. What another program wrote
// to the replica's folder waits for review and is not copied.
func TestCopyTo_FromAHostedStoreIsOneChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	w.there("/d/a.md", "one\n")
	w.there("/d/b.md", "b\n")
	w.pull()
	w.outside("d/a.md", "one\ntwo\n")
	c, err := write.CopyTo(ctx, w.store, alice, own, versions.Transfer{From: mustPath("d"), To: mustPath("from/d")})
	w.must(err)
	if c.Number != 1 || c.Versions != 2 || c.Kind != versions.KindCreate || textIn(t, own, "from/d/a.md") != "one\n" || textIn(t, own, "from/d/b.md") != "b\n" {
		t.Fatalf("%+v, %q", c, textIn(t, own, "from/d/a.md"))
	}
	from := acrossAt(t, own, "from/d/a.md")
	if from.Store != w.store.Info().ID || from.Name != "hosted" || from.Version != w.idsThere("/d/a.md")[0] {
		t.Errorf("it comes from %+v", from)
	}
	if got := authorsOf(t, own, "from/d/a.md"); !slices.Equal(got, []string{"apikey_2"}) {
		t.Errorf("the lines are by %q", got)
	}
	if got := w.heldAside(); !slices.Equal(got, []string{"d/a.md: one\ntwo\n"}) {
		t.Errorf("%q waits", got)
	}
	_, err = plan.Do(ctx, own, alice, plan.UndoChange(c.Number))
	w.must(err)
	if textIn(t, own, "from/d/a.md") != "(none)" || textIn(t, w.store, "d/a.md") != "one\n" {
		t.Error("the undo")
	}
	_, err = plan.Do(ctx, own, alice, plan.RedoChange(c.Number))
	w.must(err)
	if textIn(t, own, "from/d/a.md") != "one\n" {
		t.Error("the redo")
	}
	w.must(review.SetPolicy(ctx, own, alice, "", "hold actor:agent"))
	_, err = write.CopyTo(ctx, w.store, robot, own, versions.Transfer{From: mustPath("d/b.md"), To: mustPath("held.md")})
	if !errors.As(err, new(*versions.HeldError)) || textIn(t, own, "held.md") != "(none)" {
		t.Errorf("held by the own store: %v", err)
	}
}

// Without its service, a hosted store is copied from as it was last known, since reads use the replica.
func TestCopyTo_FromAHostedStoreThatIsOffline(t *testing.T) {
	t.Parallel()
	w, own := newTwinAndOwn(t)
	w.there("/a.md", "one\n")
	w.pull()
	w.there("/a.md", "not known here\n")
	w.up.fault = offline
	_, err := write.CopyTo(t.Context(), w.store, alice, own, versions.Transfer{From: mustPath("a.md"), To: mustPath("a.md")})
	w.must(err)
	if textIn(t, own, "a.md") != "one\n" {
		t.Errorf("%q", textIn(t, own, "a.md"))
	}
	w.up.fault = nil
}

func offline(string) (before, after error) {
	return &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}, nil
}

// A copy to a hosted store creates each memory at its service, from an own store and from another hosted one. It is
// one change, names what it was copied from, and counts as written after what the writer had taken in.
func TestCopyTo_AHostedStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, from := range []string{"own", "hosted"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			w, source := newTwinAndOwn(t)
			if from == "hosted" {
				source = w.secondHosted()
				defer source.Close()
			}
			w.must(w.trail.NoteInputs(ctx, robot, versions.InputWeb, w.trail.Now()))
			writeText(t, source, alice, "d/a.md", "one\n")
			writeText(t, source, robot, "d/a.md", "one\ntwo\n")
			writeText(t, source, alice, "d/b.md", "b\n")
			c, err := write.CopyTo(ctx, source, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("to/d")})
			w.must(err)
			if c.Kind != versions.KindCreate || c.Versions != 2 || c.Actor != alice.Actor || c.Inputs.SecondHand() != versions.InputWeb {
				t.Errorf("%+v", c)
			}
			if a, b := textIn(t, w.up.s, "to/d/a.md"), textIn(t, w.up.s, "to/d/b.md"); a != "one\ntwo\n" || b != "b\n" || w.up.calls["create"] != 2 {
				t.Errorf("the service has %q and %q after %d requests", a, b, w.up.calls["create"])
			}
			if textIn(t, w.store, "to/d/a.md") != "one\ntwo\n" || textIn(t, source, "d/a.md") != "one\ntwo\n" {
				t.Error("it is not in both")
			}
			if is := acrossAt(t, w.store, "to/d/a.md"); is.Store != source.Info().ID || is.Number != 2 || is.Path != mustPath("d/a.md") {
				t.Errorf("it comes from %+v", is)
			}
			if got := authorsOf(t, w.store, "to/d/a.md"); !slices.Equal(got, []string{alice.Actor.Name, robot.Actor.Name}) {
				t.Errorf("the lines are by %q", got)
			}
			w.agree()
			_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(c.Number))
			w.must(err)
			if textIn(t, w.up.s, "to/d/a.md") != "(none)" || textIn(t, source, "d/a.md") != "one\ntwo\n" {
				t.Error("the undo")
			}
			w.agree()
		})
	}
}

// Nothing is sent if one of the destinations is taken, here or only at the service.
func TestCopyTo_AHostedStoreNeedsFreePlaces(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "a.md", "one\n")
	writeText(t, own, alice, "b.md", "two\n")
	w.there("/b.md", "theirs\n")
	w.pull()
	both := []versions.Transfer{{From: mustPath("a.md"), To: mustPath("a.md")}, {From: mustPath("b.md"), To: mustPath("b.md")}}
	if _, err := write.CopyTo(ctx, own, alice, w.store, both...); !errors.Is(err, memfs.ErrExist) || w.up.calls["create"] != 0 {
		t.Errorf("%v, after %d requests", err, w.up.calls["create"])
	}
	w.there("/c.md", "theirs\n") // not known here
	if _, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("a.md"), To: mustPath("c.md")}); !errors.Is(err, memfs.ErrExist) {
		t.Errorf("%v", err)
	}
	if textIn(t, w.up.s, "a.md") != "(none)" || textIn(t, w.up.s, "b.md") != "theirs\n" || textIn(t, w.up.s, "c.md") != "theirs\n" {
		t.Error("the service was written to")
	}
	w.agree()
}

// What a service can't keep is refused before anything is sent, and so is everything while it is out of reach.
func TestCopyTo_AHostedStoreThatCannotTakeIt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "d/a.md", "one\n")
	copied := func() error {
		_, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
		return err
	}
	w.up.fault = offline
	if err := copied(); !errors.As(err, new(*versions.UpstreamError)) || textIn(t, w.store, "d/a.md") != "(none)" {
		t.Errorf("offline: %v", err)
	}
	w.up.fault = nil
	writeText(t, own, alice, "d/z", "\xff\xfe\n")
	if err := copied(); !errors.Is(err, versions.ErrInvalid) || w.up.calls["create"] != 1 {
		t.Errorf("not UTF-8: %v, after %d requests", err, w.up.calls["create"])
	}
	_, err := own.Delete(ctx, alice, mustPath("d/z"))
	w.must(err)
	w.must(copied())
	w.agree()
}

// If the service fails in the middle, the error says what was created and what was not, and the created copies are a
// change that names where they come from.
// README: "a failure while sending leaves what is done".
func TestCopyTo_AHostedStoreThatFailsInTheMiddle(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	for _, p := range []string{"d/a.md", "d/b.md", "d/c.md"} {
		writeText(t, own, alice, p, p+"\n")
	}
	w.up.fault = func(call string) (before, after error) {
		if call == "create" && w.up.calls["create"] > 1 {
			return &versions.HostedRefusal{Message: "the store is full"}, nil
		}
		return nil, nil
	}
	_, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("to")})
	w.up.fault = nil
	var partly *versions.PartlyError
	if !errors.As(err, &partly) || !slices.Equal(partly.Done, []memfs.Path{mustPath("to/a.md")}) || !slices.Equal(partly.Left, []memfs.Path{mustPath("to/b.md"), mustPath("to/c.md")}) {
		t.Fatalf("%v", err)
	}
	if textIn(t, w.store, "to/a.md") != "d/a.md\n" || textIn(t, w.store, "to/b.md") != "(none)" || acrossAt(t, w.store, "to/a.md").Store != own.Info().ID {
		t.Error("what was done is not here")
	}
	w.agree()
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(partly.Change))
	w.must(err)
	_, err = write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("to")})
	w.must(err)
	w.agree()
}

// The policy of a hosted store holds a copy, and an accepted one is sent.
func TestCopyTo_AHostedStoreThatHoldsIt(t *testing.T) {
	t.Parallel()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "a.md", "one\n")
	w.policy("hold actor:agent")
	_, err := write.CopyTo(t.Context(), own, robot, w.store, versions.Transfer{From: mustPath("a.md"), To: mustPath("b.md")})
	n := w.heldNumber(err)
	if textIn(t, w.up.s, "b.md") != "(none)" {
		t.Fatal("it was sent")
	}
	w.accept(n)
	if textIn(t, w.up.s, "b.md") != "one\n" || textIn(t, w.store, "b.md") != "one\n" {
		t.Error("the accepted copy")
	}
	w.agree()
}

// A text that is redacted while its copy waits for the service is not sent.
func TestCopyTo_AHostedStoreSendsNothingThatWasRedactedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "a.md", "the secret 0123456789 of a copy\n")
	first := true
	w.up.fault = func(call string) (before, after error) {
		if call != "create" || !first {
			return nil, nil
		}
		first = false
		p, err := redact.Prepare(ctx, own, versions.RedactTarget{Match: []byte("the secret 0123456789 of a copy")})
		w.must(err)
		_, err = redact.Do(ctx, own, alice, p, versions.RedactChoice{Heads: versions.HeadDelete})
		w.must(err)
		return &versions.HostedConflict{Err: memfs.ErrExist}, nil // the copy is tried again
	}
	_, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("a.md"), To: mustPath("b.md")})
	w.up.fault = nil
	if !errors.Is(err, versions.ErrRedacted) || first || textIn(t, w.up.s, "b.md") != "(none)" {
		t.Errorf("%v", err)
	}
	w.agree()
}

// A redaction of a memory finds its copy in a hosted store, and makes the service erase it.
func TestARedactionOfAMemoryErasesItsHostedCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "a.md", "the secret of the copied memory 0123456789\n")
	_, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("a.md"), To: mustPath("b.md")})
	w.must(err)
	p, err := redact.Prepare(ctx, own, versions.RedactTarget{Match: []byte("the secret of the copied memory"), AllStores: true})
	w.must(err)
	r, err := redact.Do(ctx, own, alice, p, versions.RedactChoice{Heads: versions.HeadDelete})
	w.must(err)
	if r.Outcome != versions.OutcomeGone || r.Versions != 2 || textIn(t, w.up.s, "b.md") != "(none)" {
		t.Errorf("%+v", r)
	}
	all, err := vhistory.Content(ctx, w.up.s, w.copiedVersion())
	if !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("the service still has %q, %v", all, err)
	}
	w.agree()
}

// copiedVersion returns the id of the service's first version.
func (w *twin) copiedVersion() versions.VersionID {
	w.t.Helper()
	_, vs, err := vhistory.Change(w.t.Context(), w.up.s, 1)
	w.must(err)
	return vs[0].ID
}

// A memory moves to a hosted store, or from one, and is merged with one there, as between own stores.
func TestMoveToAndMergeInto_AHostedStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	w.write(alice, "d/a.md", "one\n")
	w.write(alice, "d/b.md", "two\n")
	texts := func(when string, there, here [2]string) {
		t.Helper()
		if got := [2]string{textIn(t, w.up.s, "d/a.md"), textIn(t, w.up.s, "d/b.md")}; got != there {
			t.Fatalf("%s: the service has %q", when, got)
		}
		if got := [2]string{textIn(t, own, "d/a.md"), textIn(t, own, "d/b.md")}; got != here {
			t.Fatalf("%s: the own store has %q", when, got)
		}
		w.agree()
	}
	none, both := [2]string{"(none)", "(none)"}, [2]string{"one\n", "two\n"}
	here, there, err := write.MoveTo(ctx, w.store, alice, own, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	w.must(err)
	texts("moved from it", none, both)
	v, err := w.store.VersionAt(ctx, mustPath("d/a.md"), 2)
	if w.must(err); v.Across == nil || v.Across.Store != own.Info().ID {
		t.Errorf("it went to %+v", v.Across)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(here.Number))
	w.must(err)
	texts("the deletion undone", both, both)
	_, err = plan.Do(ctx, own, alice, plan.UndoChange(there.Number))
	w.must(err)
	_, _, err = write.MoveTo(ctx, w.store, alice, own, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	w.must(err)
	_, _, err = write.MoveTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	w.must(err)
	texts("moved to it", both, none)

	writeText(t, own, alice, "d/b.md", "three\n")
	_, _, err = write.MergeInto(ctx, w.trail, alice, mergingOf(t, w.store, "d/a.md"), mergingOf(t, own, "d/b.md"), []byte("one\nthree\n"))
	w.must(err)
	texts("merged into it", [2]string{"one\nthree\n", "two\n"}, none)
	writeText(t, own, alice, "d/a.md", "four\n")
	_, _, err = write.MergeInto(ctx, w.trail, alice, mergingOf(t, own, "d/a.md"), mergingOf(t, w.store, "d/b.md"), []byte("two\nfour\n"))
	w.must(err)
	texts("merged from it", [2]string{"one\nthree\n", "(none)"}, [2]string{"two\nfour\n", "(none)"})
}

// If the service doesn't delete the original, it stays, and so does the copy.
func TestMoveTo_FromAHostedStoreThatKeepsTheOriginal(t *testing.T) {
	t.Parallel()
	w, own := newTwinAndOwn(t)
	w.write(alice, "a.md", "one\n")
	w.up.fault = func(call string) (before, after error) {
		if call == "delete" {
			return &versions.HostedRefusal{Message: "the store is frozen"}, nil
		}
		return nil, nil
	}
	_, _, err := write.MoveTo(t.Context(), w.store, alice, own, versions.Transfer{From: mustPath("a.md"), To: mustPath("b.md")})
	w.up.fault = nil
	if !errors.As(err, new(*versions.OriginalError)) || !errors.As(err, new(*versions.HostedRefusal)) {
		t.Errorf("%v", err)
	}
	if textIn(t, w.store, "a.md") != "one\n" || textIn(t, w.up.s, "a.md") != "one\n" || textIn(t, own, "b.md") != "one\n" {
		t.Error("the texts")
	}
	w.agree()
}

// If the service takes only some of the copies, no original is deleted.
func TestMoveTo_AHostedStoreThatTakesAPartDeletesNothing(t *testing.T) {
	t.Parallel()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "d/a.md", "one\n")
	writeText(t, own, alice, "d/b.md", "two\n")
	w.up.fault = func(call string) (before, after error) {
		if call == "create" && w.up.calls["create"] > 1 {
			return &versions.HostedRefusal{Message: "the store is full"}, nil
		}
		return nil, nil
	}
	_, _, err := write.MoveTo(t.Context(), own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	w.up.fault = nil
	if !errors.As(err, new(*versions.PartlyError)) || errors.As(err, new(*versions.OriginalError)) || textIn(t, own, "d/a.md") != "one\n" || textIn(t, own, "d/b.md") != "two\n" {
		t.Errorf("%v", err)
	}
	w.agree()
}

// A process that dies at any step of a copy to a hosted store, or after any of its requests, leaves each memory whole or
// absent, on both sides. The original stays. The next pull records the copies that the service made as that process would have.
func TestCopyTo_AHostedStoreThatIsKilledLeavesWholeMemories(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"a.md": "one\n", "b.md": "two\n"}
	absent, whole := 0, 0
	for n, reached := 1, true; reached; n += *caseEach {
		reached = false
		w, own := newTwinAndOwn(t)
		ownID := own.Info().ID
		for p, text := range texts {
			writeText(t, own, alice, "d/"+p, text)
		}
		count := 0
		die := func() {
			if count++; count == n {
				reached = true
				panic(errKilled)
			}
		}
		w.atStep(func(string, int) error { die(); return nil })
		w.up.fault = func(call string) (before, after error) {
			die()
			return nil, nil
		}
		w.killed(func() {
			_, err := write.CopyTo(t.Context(), own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("to")})
			w.must(err)
		})
		w.up.fault = nil
		w.must(own.Close())
		w.close()
		w.reopen()
		w.agree()
		for p, text := range texts {
			here, there := textIn(t, w.store, "to/"+p), textIn(t, w.up.s, "to/"+p)
			switch {
			case here != there || here != text && here != "(none)":
				t.Errorf("killed at %d: %s is %q here, %q there", n, p, here, there)
			case here == text:
				whole++
				v, err := w.store.VersionAt(t.Context(), mustPath("to/"+p), 0)
				if w.must(err); v.Across == nil || v.Across.Store != ownID || v.Across.Path != mustPath("d/"+p) || v.Actor != alice.Actor || v.Kind != versions.KindCreate {
					t.Errorf("killed at %d: %s is recorded as %+v", n, p, v)
				}
			default:
				absent++
			}
		}
		info, err := w.trail.FindStore(t.Context(), "second")
		w.must(err)
		own, err = w.trail.OpenStore(t.Context(), info.ID)
		w.must(err)
		if got := textIn(t, own, "d/a.md") + textIn(t, own, "d/b.md"); got != "one\ntwo\n" {
			t.Errorf("killed at %d: the originals are %q", n, got)
		}
		w.must(own.Close())
	}
	if absent == 0 || whole == 0 {
		t.Errorf("%d copies absent, %d whole", absent, whole)
	}
}
