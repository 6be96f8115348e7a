package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	vreview "github.com/memend/memend/versions/review"
)

// brokenStore fails to undo as long as it has an error.
type brokenStore struct {
	Store
	err *error
}

func (s brokenStore) Unmark(ctx context.Context, before vreview.Marks) error {
	if *s.err != nil {
		return *s.err
	}
	return s.Store.Unmark(ctx, before)
}

func (s brokenStore) Do(ctx context.Context, by versions.By, g plan.Goal) (versions.Change, error) {
	if *s.err != nil {
		return versions.Change{}, *s.err
	}
	return s.Store.Do(ctx, by, g)
}

// twoDecided is a queue with decisions about two memories, made with a key: /b.md was decided last.
func twoDecided(t *testing.T, key string) (q *queue, fail *error) {
	q, fail = newQueue(t, 120, 36), new(error)
	*q.app.root.decisions = *deciding.New(q.app.env(), brokenStore{q.app.cfg.Store, fail}, &q.app.tree.Review, reviewer)
	q.policy("open")
	q.writes(reviewer, "a.md", "one\ntwo\nthree\n")
	q.writes(reviewer, "b.md", "one\n")
	q.writes(robot, "b.md", "uno\n")
	q.writes(robot, "a.md", "one\nTWO\nthree\n")
	q.keys("! enter " + key)
	q.arrives()
	q.keys(key)
	q.arrives()
	q.shows(" of /b.md · u ")
	return q, fail
}

func TestUndo_TriesADecisionAgainThatFailed(t *testing.T) {
	t.Parallel()
	for _, key := range []string{".", "-"} {
		q, fail := twoDecided(t, key)
		*fail = errors.New("disk is full")
		q.keys("u")
		q.shows("1 hunk of /b.md: disk is full")
		*fail = nil
		q.keys("u")
		q.arrives()
		q.shows("undid your decision: ", "1 hunk of /b.md")
		q.keys("u")
		q.arrives()
		q.shows("undid your decision: ", "1 hunk of /a.md")
	}
}

func TestUndo_GoesOnAfterADecisionThatCanNeverBeUndone(t *testing.T) {
	t.Parallel()
	q, fail := twoDecided(t, ".")
	*fail = fmt.Errorf("undo change 9: %w", versions.ErrRedacted)
	q.keys("u")
	q.shows("1 hunk of /b.md: undo change 9: content was redacted: it can never be undone")
	*fail = nil
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: ", "1 hunk of /a.md")
}

// The plan of what conflicts may be left without a decision.
func TestUndo_ShowsThePlanOfADecisionUntilItIsApplied(t *testing.T) {
	t.Parallel()
	q, _ := twoDecided(t, "-")
	q.writes(robot, "b.md", "eins\n")
	for range 2 {
		q.keys("u")
		q.shows("undo", "conflict", "/b.md")
		q.keys("esc")
		q.hides("conflict")
	}
	q.keys("u b a")
	q.arrives()
	if got := q.content("b.md"); got != "uno\n" {
		t.Fatalf("b.md is %q", got)
	}
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: undid 1 hunk of /a.md")
}

// Two presses may both have looked at what was done last before the first undoes it.
func TestUndo_OneDecisionAtATime(t *testing.T) {
	t.Parallel()
	q, _ := twoDecided(t, ".")
	first, _ := q.app.root.UndoDecision()
	second, ok := q.app.root.UndoDecision()
	if !ok {
		t.Error("the second press would undo another change")
	}
	q.run(first)
	q.run(second)
	q.arrives()
	q.keys("u")
	q.arrives()
	q.shows("undid your decision: ", "1 hunk of /a.md")
}
