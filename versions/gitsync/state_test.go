package gitsync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/watch"
)

// What waits on both sides is known between two syncs without asking the repository, and when that was known.
func TestTheStateSaysWhatASyncWouldDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	state := func(send, comes, waiting int) versions.BranchState {
		t.Helper()
		all, err := Branches(t.Context(), bob.trail)
		w.must(err)
		b, ok := all[bob.s.Info().ID]
		if !ok || b.ToSend != send || b.Comes != comes || b.Waiting != waiting {
			t.Errorf("%+v", b)
		}
		return b
	}
	ann.write("a.md", "one\n")
	ann.sync()
	if all, err := Branches(t.Context(), bob.trail); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	bob.sync()
	first := state(0, 0, 0).Seen
	if time.Since(first) > time.Minute {
		t.Errorf("seen at %s", first)
	}
	bob.write("b.md", "b\n")
	bob.write("a.md", "bob's\n")
	ann.write("a.md", "ann's\n")
	ann.sync()
	if seen := state(2, 0, 0).Seen; !seen.Equal(first) {
		t.Errorf("seen at %s", seen) // nobody looked
	}
	b, _, err := Branch(t.Context(), bob.s)
	w.must(err)
	_, err = Look(t.Context(), bob.s, bob.me, b, Options{})
	w.must(err)
	second := state(2, 1, 0).Seen
	if !second.After(first) {
		t.Errorf("seen at %s and %s", first, second)
	}
	if p, err := Look(t.Context(), bob.s, bob.me, b, Options{}); err != nil || p.Goes != 1 || p.Waiting != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	bob.sync()
	delayed := func(n int) {
		t.Helper()
		b := state(0, 0, 1)
		p, err := Look(t.Context(), bob.s, bob.me, b.Branch, Options{})
		if err != nil || b.Delayed != n || p.Goes != 0 || p.Waiting != n {
			t.Errorf("%d changes go out after the review, %+v, %v", b.Delayed, p, err)
		}
	}
	delayed(1) // that of a.md
	_, err = bob.s.Rename(t.Context(), bob.me, at("a.md"), at("d.md"))
	w.must(err)
	bob.write("d.md", "more\n")
	delayed(3)
	w.git(w.url, "update-ref", "refs/heads/main", "main~2")
	dir := w.clone()
	w.commit(dir, "instead", map[string]string{"c.md": "c\n"})
	if _, err := bob.trySync(Options{}); err == nil {
		t.Error("a rewritten branch was taken in")
	}
	state(0, 1, 1) // it was looked at all the same
}

// A program that shows the store is told what another one found on the branch.
func TestALookIsAnEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "one\n")
	ann.sync()
	ctx, stop := context.WithCancel(t.Context())
	events, _, err := watch.SyncAndWatch(ctx, ann.s)
	w.must(err)
	ann.sync()
	select {
	case e := <-events:
		if !e.Trust {
			t.Errorf("%+v", e)
		}
	case <-time.After(10 * time.Second):
		t.Error("no event")
	}
	stop()
	for range events {
	}
}

func TestASyncReportsItsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	var said []string
	ctx := versions.WithProgress(t.Context(), func(p versions.Progress) { said = append(said, p.String()) })
	run := func(h *home) {
		_, err := Sync(ctx, h.s, h.me, versions.Branch{URL: w.url, Name: "main"}, Options{Me: func() (name, email string) { return }, Subject: func(r versions.Change, _ string) string { return string(r.Kind) }})
		w.must(err)
	}
	ann.write("a.md", "one\n")
	run(ann)
	run(bob)
	ann.write("a.md", "two\n")
	run(ann)
	run(bob)
	if !slices.Contains(said, "1 of 1 change sent") || !slices.Contains(said, "1 of 1 commit read") {
		t.Errorf("%q", said)
	}
}

// A first sync that is stopped goes on without the repository being named again.
func TestAStoppedFirstSyncKnowsItsBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "one\n")
	ann.write("a.md", "two\n")
	ann.sync()
	bob.write("b.md", "b\n") // so that it takes in commit by commit
	ctx, stop := context.WithCancel(t.Context())
	ctx = versions.WithProgress(ctx, func(versions.Progress) { stop() })
	if _, err := Sync(ctx, bob.s, bob.me, versions.Branch{URL: w.url, Name: "main"}, Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if b, ok, err := Branch(t.Context(), bob.s); err != nil || !ok || b.URL != w.url || b.Name != "main" || b.Head != "" {
		t.Errorf("%+v, %v, %v", b, ok, err)
	}
	bob.sync()
	bob.stands(map[string]string{"a.md": "two\n", "b.md": "b\n"})
	if n := len(bob.told()); n != 3 {
		t.Errorf("there are %d changes", n)
	}
}

// What a repository does not take is still to send.
func TestTheStateCountsWhatIsNotPushed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	toSend := func(want int) {
		t.Helper()
		all, err := Branches(t.Context(), ann.trail)
		w.must(err)
		if b := all[ann.s.Info().ID]; b.ToSend != want {
			t.Errorf("%+v, want %d to send", b, want)
		}
	}
	ann.write("a.md", "a\n")
	ann.sync()
	toSend(0)
	bob.sync()
	bob.write("bob.md", "bob\n")
	bob.sync()
	hook := filepath.Join(w.url, "hooks", "pre-receive")
	w.must(os.MkdirAll(filepath.Dir(hook), 0o755))
	w.must(os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	ann.write("b.md", "b\n")
	toSend(1)
	if _, err := ann.trySync(Options{}); !errors.As(err, new(*RefusedError)) {
		t.Fatal(err)
	}
	toSend(1)
	ann.write("c.md", "c\n")
	toSend(2)
	w.must(os.Remove(hook))
	ann.sync()
	toSend(0)
}
