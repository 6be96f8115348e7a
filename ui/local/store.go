// Package local gives the screens the stores of this machine: each method is the function of the
// engine with its name, or the one that its body calls.
package local

import (
	"context"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/watch"
)

// Store is a store as the screens use it.
type Store struct{ *engine.Store }

func (s Store) Activity(ctx context.Context, f versions.ActivityFilter, before versions.Cursor, limit int) ([]versions.Activity, versions.Cursor, error) {
	return history.Activity(ctx, s.Store, f, before, limit)
}

func (s Store) Acts(ctx context.Context, oldest versions.Change, newest versions.Change) ([]versions.Bulk, error) {
	return history.Acts(ctx, s.Store, oldest, newest)
}

func (s Store) Blame(ctx context.Context, id versions.VersionID) (*versions.Blame, error) {
	return history.Blame(ctx, s.Store, id)
}

func (s Store) Bulks(ctx context.Context, since time.Time) ([]versions.Bulk, error) {
	return history.Bulks(ctx, s.Store, since)
}

func (s Store) Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error) {
	return history.Change(ctx, s.Store, n)
}

func (s Store) Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error) {
	return history.Changes(ctx, s.Store, f, before, limit)
}

func (s Store) Content(ctx context.Context, id versions.VersionID) ([]byte, error) {
	return history.Content(ctx, s.Store, id)
}

func (s Store) DiffTrees(ctx context.Context, from int64, to int64) ([]versions.TreeDiff, error) {
	return history.DiffTrees(ctx, s.Store, from, to)
}

func (s Store) EntryAt(ctx context.Context, p memfs.Path, n int64) (versions.Entry, error) {
	return history.EntryAt(ctx, s.Store, p, n)
}

func (s Store) History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error) {
	return history.Of(ctx, s.Store, m, before, limit)
}

func (s Store) MomentAt(ctx context.Context, t time.Time) (versions.Moment, error) {
	return history.MomentAt(ctx, s.Store, t)
}

func (s Store) Near(ctx context.Context, q versions.Query) ([]match.NearWord, error) {
	return history.Near(ctx, s.Store, q)
}

func (s Store) ReadStats(ctx context.Context, memories ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error) {
	return history.ReadStats(ctx, s.Store, memories...)
}

func (s Store) Search(ctx context.Context, q versions.Query, each func(versions.Hit) bool) (versions.Found, error) {
	return history.Search(ctx, s.Store, q, each)
}

func (s Store) SearchHistory(ctx context.Context, q versions.Query, each func(versions.HistoryHit) bool) error {
	return history.SearchHistory(ctx, s.Store, q, each)
}

func (s Store) Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error) {
	return history.Sessions(ctx, s.Store, f, before, limit)
}

func (s Store) Tree(ctx context.Context) ([]versions.Entry, error) {
	return history.Tree(ctx, s.Store)
}

func (s Store) TreeAt(ctx context.Context, n int64) ([]versions.Entry, error) {
	return history.TreeAt(ctx, s.Store, n)
}

func (s Store) Version(ctx context.Context, id versions.VersionID) (versions.Version, error) {
	return history.Version(ctx, s.Store, id)
}

func (s Store) Apply(ctx context.Context, by versions.By, p *plan.Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	if p.Held != 0 {
		return review.Accept(ctx, s.Store, by, p, choices)
	}
	return plan.Apply(ctx, s.Store, by, p, choices)
}

func (s Store) Do(ctx context.Context, by versions.By, g plan.Goal) (versions.Change, error) {
	return plan.Do(ctx, s.Store, by, g)
}

func (s Store) Plan(ctx context.Context, g plan.Goal) (*plan.Plan, error) {
	return plan.Make(ctx, s.Store, g)
}

func (s Store) PlanRedact(ctx context.Context, target versions.RedactTarget) (redact.Plan, error) {
	return redact.Prepare(ctx, s.Store, target)
}

func (s Store) Redact(ctx context.Context, by versions.By, p redact.Plan, c versions.RedactChoice) (versions.Receipt, error) {
	return redact.Do(ctx, s.Store, by, p, c)
}

func (s Store) VerifyErased(ctx context.Context, target versions.RedactTarget, c versions.Scrub) (versions.Receipt, error) {
	return redact.Verify(ctx, s.Store, target, c)
}

func (s Store) DropPolicy(ctx context.Context, by versions.By, session versions.SessionID) error {
	return review.DropPolicy(ctx, s.Store, by, session)
}

func (s Store) Held(ctx context.Context, f versions.HeldFilter) ([]versions.Held, error) {
	return review.Held(ctx, s.Store, f)
}

func (s Store) MarkAllReviewed(ctx context.Context, change int64) (review.Marks, error) {
	return review.MarkAllReviewed(ctx, s.Store, change)
}

func (s Store) MarkReviewed(ctx context.Context, seen map[versions.MemoryID]int64) (review.Marks, error) {
	return review.MarkReviewed(ctx, s.Store, seen)
}

func (s Store) Pin(ctx context.Context, by versions.By, p memfs.Path, whom versions.PinFor) error {
	return review.Pin(ctx, s.Store, by, p, whom)
}

func (s Store) Weigh(ctx context.Context, me versions.Actor, made []versions.Version) (map[versions.MemoryID]review.Facts, error) {
	return review.Weigh(ctx, s.Store, me, made)
}

func (s Store) Pins(ctx context.Context) ([]versions.Pin, error) {
	return review.Pins(ctx, s.Store)
}

func (s Store) PlansHeld(ctx context.Context, numbers ...int64) (map[int64]*plan.Plan, error) {
	return review.PlansHeld(ctx, s.Store, numbers...)
}

func (s Store) Policies(ctx context.Context) ([]versions.PolicySet, error) {
	return review.Policies(ctx, s.Store)
}

func (s Store) Reject(ctx context.Context, by versions.By, n int64, reason string) error {
	return review.Reject(ctx, s.Store, by, n, reason)
}

func (s Store) RejectUndone(ctx context.Context, by versions.By, undo int64, reason string) ([]int64, error) {
	return review.RejectUndone(ctx, s.Store, by, undo, reason)
}

func (s Store) ReviewState(ctx context.Context) (*versions.ReviewState, error) {
	return review.ReviewState(ctx, s.Store)
}

func (s Store) SetPolicy(ctx context.Context, by versions.By, session versions.SessionID, text string) error {
	return review.SetPolicy(ctx, s.Store, by, session, text)
}

func (s Store) SetView(ctx context.Context, view []byte) error {
	return review.SetView(ctx, s.Store, view)
}

func (s Store) Unpin(ctx context.Context, by versions.By, p memfs.Path) error {
	return review.Unpin(ctx, s.Store, by, p)
}

func (s Store) Unreviewed(ctx context.Context, me versions.Actor, limit int) ([]versions.Version, error) {
	return review.Unreviewed(ctx, s.Store, me, limit)
}

func (s Store) HasUnreviewedChanges(ctx context.Context, e *versions.Entry, upTo int64, me versions.Actor) (bool, error) {
	return review.HasUnreviewedChanges(ctx, s.Store, e, upTo, me)
}

func (s Store) UnreviewedDeletions(ctx context.Context, me versions.Actor) ([]versions.Entry, error) {
	return review.UnreviewedDeletions(ctx, s.Store, me)
}

func (s Store) View(ctx context.Context) ([]byte, error) {
	return review.View(ctx, s.Store)
}

func (s Store) SyncAndWatch(ctx context.Context) (<-chan versions.Event, versions.SyncReport, error) {
	return watch.SyncAndWatch(ctx, s.Store)
}

func (s Store) Watch(ctx context.Context) (<-chan versions.Event, error) {
	return watch.Watch(ctx, s.Store)
}

func (s Store) Pending(ctx context.Context, m versions.MemoryID, me versions.Actor) (review.Pending, error) {
	return review.PendingOf(ctx, s.Store, m, me)
}

func (s Store) Keep(ctx context.Context, me versions.Actor, p review.Pending, was review.Side) (review.Marks, error) {
	return review.Keep(ctx, s.Store, me, p, was)
}

func (s Store) Unmark(ctx context.Context, before review.Marks) error {
	return review.Unmark(ctx, s.Store, before)
}

func (s Store) UndoHunks(ctx context.Context, by versions.By, p review.Pending, without review.Side) (versions.Change, review.Marks, error) {
	return review.Undo(ctx, s.Store, by, p, without)
}

// HunkWriters returns who wrote the hunks of a memory.
func (s Store) HunkWriters(ctx context.Context, p review.Pending) ([][]versions.Version, error) {
	return review.Writers(ctx, s.Store, p)
}

func (s Store) EditHunk(ctx context.Context, by versions.By, p review.Pending, text []byte, h review.Hunk) (versions.Change, review.Marks, error) {
	return review.Edit(ctx, s.Store, by, p, text, h)
}
