package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtrail/memtrail/memfs"
)

// HeadChoice is what becomes of memories that hold, as they stand, what is to be
// erased. Their files can't just be emptied of it without somebody saying how.
type HeadChoice int

const (
	HeadRefuse  HeadChoice = iota // redact nothing then; of a Memory, redact its past only
	HeadReplace                   // they get another text
	HeadMask                      // with Match: the text stands there in place of each occurrence
	HeadDelete                    // they are deleted
)

// RedactChoice is how a plan is to be carried out.
type RedactChoice struct {
	Heads HeadChoice
	Text  []byte // for HeadReplace and HeadMask; none cuts the occurrences out
	Scrub
}

// Scrub is how much patience there is for the end of an erasing.
type Scrub struct {
	Wait     time.Duration           // for readers of the trail, before the outcome is pending
	Progress func(done, total int64) // told of bytes searched; may be nil
}

// Redact carries a plan out: it erases content, path, hash and size of the
// planned versions, and keeps that they were, who made them and when. Nothing is
// written when a memory holds the text as it stands and the choice does not say
// what becomes of it (ErrStands), or when the plan is no longer what would be done
// (*StalePlanError). An error that comes with a receipt's ID is one of the search or
// of the last steps; what was erased stays erased.
//
// The order of steps, each of which a dead process may have been the last to do:
//
//	change    memories that stand get their new text, or go; with the same commit the
//	          redaction is journaled as started, with the rows that it is to erase
//	settle    the intents of the store, which hold hashes and paths, go
//	erase     one commit: rows nulled, contents deleted (zeroed: secure_delete)
//	clear     what no row owns in the database's pages is zeroed: old copies are there
//	truncate  the log of the database is emptied into it; pending until nobody reads
//	search    every file of the home and of the store's folder
//
// Whoever opens the trail or writes next does what is left of the middle four.
func (s *Store) Redact(ctx context.Context, by By, p RedactPlan, c RedactChoice) (Receipt, error) {
	return s.redact(ctx, by, p, c, true)
}

// redact is Redact; upstream says whether the services of hosted stores are to erase it
// too.
func (s *Store) redact(ctx context.Context, by By, p RedactPlan, c RedactChoice, upstream bool) (Receipt, error) {
	p, err := p.choose(c)
	if err != nil {
		return Receipt{}, err
	}
	if p.Empty() {
		return Receipt{}, fmt.Errorf("redact: %w", ErrNothing)
	}
	look, err := s.t.lookFor(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	var all []Receipt
	var skipped []string
	for _, part := range p.byStore(s) {
		r, err := s.redactPart(ctx, by, part, c, upstream)
		if r.ID != 0 {
			all = append(all, r)
		}
		// The others don't wait for a store whose folder is gone.
		if gone := (*FolderError)(nil); errors.As(err, &gone) && gone.Store.ID != s.info.ID {
			skipped = append(skipped, fmt.Sprintf("%v: its versions were not redacted", gone))
			p.keep(gone.Store.ID)
		} else if err != nil {
			return together(all), err
		}
	}
	if len(all) == 0 {
		return Receipt{}, fmt.Errorf("redact: %s", strings.Join(skipped, "; "))
	}
	return s.t.prove(ctx, all, look, p, c, skipped...)
}

// keep takes the versions of a store out of what is erased.
func (p *RedactPlan) keep(store StoreID) {
	var rest []PlannedVersion
	for _, v := range p.Erase {
		if v.StoreID == store {
			p.Kept = append(p.Kept, v)
		} else {
			rest = append(rest, v)
		}
	}
	p.Erase = rest
}

// choose holds the plan against what is to become of memories that stand.
func (p RedactPlan) choose(c RedactChoice) (RedactPlan, error) {
	live := p.Live()
	if len(live) == 0 {
		return p, nil
	}
	switch c.Heads {
	case HeadRefuse:
		if p.Target.Memory == "" {
			return p, fmt.Errorf("redact: %s: %w", live[0].Path.Tool(), ErrStands)
		}
		p.Erase = slices.DeleteFunc(slices.Clone(p.Erase), func(v PlannedVersion) bool { return v.Live })
		for _, v := range live {
			if p.erases(v.blob) {
				p.Kept = append(p.Kept, v)
			}
		}
		return p, nil
	case HeadDelete:
		return p, nil
	case HeadMask:
		if p.Target.Match == nil {
			return p, errors.New("redact: only a text can be masked: replace the memory, or delete it")
		}
	}
	for _, v := range live {
		if p.Target.tellsPath(v.Path) {
			return p, fmt.Errorf("redact: %s: %w in its path: rename it first, or delete it", v.Path.Tool(), ErrStands)
		}
	}
	if p.Target.Match != nil && bytes.Contains(c.Text, p.Target.Match) {
		return p, errors.New("redact: the new text holds the one to be erased")
	}
	return p, nil
}

// byStore splits a plan. With the first part go the changes that tell a path.
func (p RedactPlan) byStore(s *Store) []RedactPlan {
	parts := map[int64]*RedactPlan{}
	var order []int64
	part := func(store int64) *RedactPlan {
		if parts[store] == nil {
			parts[store] = &RedactPlan{Target: p.Target, newest: p.newest}
			order = append(order, store)
		}
		return parts[store]
	}
	for _, v := range p.Erase {
		q := part(v.store)
		q.Erase = append(q.Erase, v)
	}
	if len(order) == 0 {
		part(s.id)
	}
	parts[order[0]].changes = p.changes
	var out []RedactPlan
	for _, id := range order {
		out = append(out, *parts[id])
	}
	return out
}

// redactPart does what concerns one store, up to the erasing commit.
func (s *Store) redactPart(ctx context.Context, by By, p RedactPlan, c RedactChoice, upstream bool) (Receipt, error) {
	if len(p.Erase) == 0 || p.Erase[0].store == s.id {
		if upstream && s.hosted() {
			return s.redactHosted(ctx, by, p, c)
		}
		return s.redactOwn(ctx, by, p, c)
	}
	other, err := s.t.OpenStore(ctx, p.Erase[0].StoreID)
	if err != nil {
		return Receipt{}, err
	}
	r, err := other.redactPart(ctx, by, p, c, upstream)
	return r, errors.Join(err, other.Close())
}

func (s *Store) redactOwn(ctx context.Context, by By, p RedactPlan, c RedactChoice) (Receipt, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return Receipt{}, err
	}
	defer leave()
	ctx = context.WithoutCancel(ctx)
	if err := s.dir.Sweep(); err != nil { // what writes of the dead left may hold it
		return Receipt{}, err
	}
	r := Receipt{Store: s.info.ID, Name: s.info.Name, By: by.Actor, Session: by.Session, Outcome: OutcomePending, todo: todo{Changes: p.changes},
		Change: p.taken, ErasedThere: p.erasedThere, DroppedThere: p.droppedThere}
	for _, v := range p.Erase {
		r.todo.Versions = append(r.todo.Versions, v.row)
	}
	r.Versions = len(p.Erase)
	if len(p.Live()) > 0 {
		if err := s.seeToHeads(ctx, by, p, c, &r); err != nil {
			return Receipt{}, err
		}
	}
	if err := s.settleHeld(ctx); err != nil {
		return r, err
	}
	if err := s.t.step("before-erase"); err != nil {
		return r, err
	}
	x, err := s.begin(ctx)
	if err != nil {
		return r, err
	}
	defer x.rollback()
	if err := x.mayWrite(by); err != nil {
		return r, err
	}
	if r.ID == 0 {
		if err := errors.Join(p.stale(x), p.stillLive(x)); err != nil {
			return Receipt{}, err
		}
		if err := x.startRedaction(by, &r); err != nil {
			return Receipt{}, err
		}
	}
	if err := x.eraseRows(&r); err != nil {
		return r, err
	}
	if err := s.t.step("before-erase-commit"); err != nil {
		return r, err
	}
	if err := x.commit(); err != nil {
		return r, err
	}
	s.forgetCounts()
	s.t.announce()
	return r, s.t.step("after-erase-commit")
}

// takeOutAll takes the text out of all memories that stand.
func (d *draft) takeOutAll(p RedactPlan, c RedactChoice) error {
	if err := errors.Join(p.stale(d.x), p.stillLive(d.x)); err != nil {
		return err
	}
	var paths []memfs.Path
	for _, v := range p.Live() {
		paths = append(paths, v.Path)
	}
	d.asked = asked{kind: KindEdit, path: common(paths)}
	if c.Heads == HeadDelete {
		d.asked.kind = KindDelete
	}
	for _, v := range p.Live() {
		if err := d.takeOut(v, p, c); err != nil {
			return err
		}
	}
	if d.c == nil {
		return errors.New("redact: the new text is the one to be erased")
	}
	return nil
}

// seeToHeads takes the text out of memories that stand, as a change like any
// other; in one commit with it the redaction is journaled.
func (s *Store) seeToHeads(ctx context.Context, by By, p RedactPlan, c RedactChoice, r *Receipt) error {
	planned := r.todo
	want := func(d *draft) error {
		if err := d.takeOutAll(p, c); err != nil {
			return err
		}
		r.ID, r.Change, r.todo = 0, d.c.number, planned
		d.eraseToo(p, r)
		return d.x.startRedaction(by, r)
	}
	for try := 1; ; try++ {
		done, err := s.attempt(ctx, by, want)
		if err == nil {
			s.t.announce()
			r.Change = done.Number
			return nil
		}
		// A change that was taken back leaves its journaled redaction behind.
		if _, derr := s.t.w.ExecContext(ctx, `DELETE FROM redaction WHERE id=? AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`, r.ID); derr != nil {
			return errors.Join(err, diskError(derr))
		}
		if !errors.Is(err, errForeign) || try == maxTries {
			return err
		}
	}
}

// eraseToo adds what the draft itself tells of a path that is to go.
func (d *draft) eraseToo(p RedactPlan, r *Receipt) {
	r.todo.Versions, r.todo.Changes, r.Deletions = slices.Clone(r.todo.Versions), slices.Clone(r.todo.Changes), 0
	for _, v := range d.versions {
		if v.op == Deleted && (p.Target.Memory != "" || p.Target.tellsPath(v.path)) {
			r.todo.Versions = append(r.todo.Versions, v.id)
			r.Deletions++
		}
	}
	if p.Target.tellsPath(d.asked.path) {
		r.todo.Changes = append(r.todo.Changes, d.c.id)
	}
}

// takeOut gives one memory that stands its new text, or deletes it.
func (d *draft) takeOut(v PlannedVersion, p RedactPlan, c RedactChoice) error {
	h, err := d.current(v.Path)
	if err != nil {
		return err
	}
	if h.version != v.row {
		return &StalePlanError{"redact", v.Path}
	}
	switch c.Heads {
	case HeadDelete:
		return d.remove(v.Path)
	case HeadMask:
		b, err := blobContent(d.x, v.blob)
		if err != nil {
			return err
		}
		return d.put(v.Path, bytes.ReplaceAll(b, p.Target.Match, c.Text), 0, 0)
	}
	if h.sha == sum(c.Text) {
		return fmt.Errorf("redact %s: the new text is the one to be erased", v.Path.Tool())
	}
	return d.put(v.Path, c.Text, 0, 0)
}

// forgetCounts drops what was worked out from contents that may be gone.
func (s *Store) forgetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
}
