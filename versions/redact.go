package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// HeadChoice decides what happens to memories whose current text must be erased. A
// redaction can't change their files without that decision.
type HeadChoice int

const (
	HeadRefuse  HeadChoice = iota // redact nothing; for a Memory, redact its past only
	HeadReplace                   // replace their text
	HeadMask                      // with Match: replace each occurrence with Text
	HeadDelete                    // delete them
)

// RedactChoice says how to apply a plan.
type RedactChoice struct {
	Heads HeadChoice
	Text  []byte // for HeadReplace and HeadMask; empty removes the occurrences
	Scrub
}

// Scrub controls the last steps of a redaction.
type Scrub struct {
	Wait     time.Duration           // how long to wait for readers of the trail before the outcome is pending
	Progress func(done, total int64) // called with the bytes searched so far; may be nil
}

// Redact applies a plan: it erases content, path, hash and size of the planned versions,
// and keeps their existence, actors and times. It masks the given text everywhere else in
// the home. It writes nothing if a current memory holds the text and the choice doesn't
// decide about it (ErrCurrent), or if the plan is out of date (*StalePlanError). If an
// error comes with a receipt that has an ID, the search or the last steps failed; what was
// erased stays erased.
//
// These are the steps, in order. The process may die after any of them:
//
//	journal   one commit: the work to do, with the given text
//	service   of a hosted store: it does its part; see redact_hosted.go
//	heads     current memories get their new text or are deleted, by a normal change
//	flush     the intents of the store are deleted, because they hold hashes and paths
//	sweep     drafts, conversations, editors' copies and waiting calls are cleaned
//	erase     one commit: rows nulled, contents deleted (zeroed: secure_delete), names
//	          and descriptions masked, the given text deleted
//	clear     the repositories of branches are removed, and the free space in the database is
//	          zeroed: it holds old copies
//	truncate  the database's log is emptied into it; pending while anyone reads
//	search    every file of the home and of the store's folder is searched
//
// The next open of the trail does the remaining steps except the search and the service's
// part. So does a mutation of the store, for the steps after heads. The next Pull finishes
// the service's part; until then the outcome is pending.
func (s *Store) Redact(ctx context.Context, by By, p RedactPlan, c RedactChoice) (Receipt, error) {
	if err := s.MayRedact(ctx, by, p, c); err != nil {
		return Receipt{}, err
	}
	return s.redact(ctx, by, p, c, true)
}

// MayRedact returns the error with which Redact would refuse a plan.
func (s *Store) MayRedact(ctx context.Context, by By, p RedactPlan, c RedactChoice) error {
	stores := []StoreInfo{s.info}
	if p.Target.AllStores {
		var err error
		if stores, err = s.t.Stores(ctx); err != nil {
			return err
		}
	}
	for _, info := range stores {
		if err := s.t.mayAdminister(ctx, by, info.ID, "redact"); err != nil {
			return err
		}
	}
	if by.Actor.Kind == Agent {
		return fmt.Errorf("redact: %w", ErrPersonsOnly)
	}
	_, err := p.choose(c)
	return err
}

// redactHere is Redact for what the service of a hosted store has erased: nobody decides about it, and the service is not
// asked.
func (s *Store) redactHere(ctx context.Context, by By, p RedactPlan, _ sibling) (Receipt, error) {
	return s.redact(ctx, by, p, RedactChoice{}, false)
}

// redact is Redact. upstream reports whether the services of hosted stores must erase the
// versions too.
func (s *Store) redact(ctx context.Context, by By, p RedactPlan, c RedactChoice, upstream bool) (Receipt, error) {
	p, err := p.choose(c)
	if err = errors.Join(err, s.t.mayChange()); err != nil {
		return Receipt{}, err
	}
	if p.Empty() {
		return Receipt{}, fmt.Errorf("redact: %w", ErrNothing)
	}
	look, err := s.t.lookFor(ctx, p)
	if err != nil {
		return Receipt{}, err
	}
	r := &redacting{t: s.t, by: by, plan: p, choice: c}
	defer r.close()
	if err := r.open(ctx, s); err != nil {
		return Receipt{}, err
	}
	if err := r.apply(ctx, upstream); err != nil {
		return r.failed(ctx, err)
	}
	if len(r.ids) == 0 {
		return Receipt{}, fmt.Errorf("redact: %s", strings.Join(r.skipped, "; "))
	}
	return r.prove(ctx, look)
}

// redacting is a redaction in progress.
type redacting struct {
	t       *Trail
	by      By
	plan    RedactPlan
	choice  RedactChoice
	parts   []*redactedPart
	ids     []int64  // of the journal's rows
	skipped []string // stores that could not be processed
}

// redactedPart is the part of a redaction in one store.
type redactedPart struct {
	s        *Store
	borrowed bool
	plan     RedactPlan
	id       int64 // row in the journal; 0 if not yet journaled
	there    bool  // the store's service must erase its versions too
}

// open opens the stores concerned. It skips stores whose folder is gone.
func (r *redacting) open(ctx context.Context, own *Store) error {
	for _, plan := range r.plan.byStore(own) {
		part := &redactedPart{s: own, borrowed: true, plan: plan}
		if len(plan.Erase) > 0 && plan.Erase[0].store != own.id {
			part.borrowed = false
			var err error
			if part.s, err = r.t.OpenStore(ctx, plan.Erase[0].StoreID); err != nil {
				if r.skip(part, err) {
					continue
				}
				return err
			}
		}
		r.parts = append(r.parts, part)
	}
	return nil
}

// skip leaves out a store whose folder is gone, unless it is the caller's.
func (r *redacting) skip(part *redactedPart, err error) bool {
	gone := (*FolderError)(nil)
	if part.borrowed || !errors.As(err, &gone) {
		return false
	}
	r.skipped = append(r.skipped, fmt.Sprintf("%v: its versions were not redacted", gone))
	r.plan.keep(gone.Store.ID)
	return true
}

func (r *redacting) close() {
	for _, part := range r.parts {
		if !part.borrowed {
			_ = part.s.Close()
		}
	}
}

// apply journals the redaction, lets the services of hosted stores do their part, and
// removes the text from current memories. Once a service or this home may have begun, a
// cancellation no longer stops the redaction.
func (r *redacting) apply(ctx context.Context, upstream bool) error {
	release, err := r.lock(ctx, upstream)
	defer release()
	if err != nil {
		return err
	}
	for _, part := range r.parts {
		if part.id != 0 {
			continue
		}
		err := part.s.unchanged(ctx, r.by, part.plan)
		if err == nil {
			err = r.journal(ctx, part)
		}
		if err != nil && !r.skip(part, err) {
			return err
		}
	}
	var refused map[*redactedPart]error
	if upstream {
		if refused, err = r.askServices(ctx); err != nil {
			return err
		}
	}
	whole := context.WithoutCancel(ctx)
	for _, part := range r.parts {
		err := part.s.clearHeads(whole, part.id)
		if err != nil && r.skip(part, err) {
			err = r.withdraw(whole, part)
		}
		if err != nil {
			return err
		}
	}
	for _, part := range r.parts {
		if !upstream || !part.s.hosted() || part.id == 0 {
			continue
		}
		if refused[part] == nil { // versions added meanwhile must be erased too: deletions contain paths
			longer, end := outlasting(ctx, graceTime)
			_, _ = serviceOf(part.s).EraseUpstream(longer, part) // the receipt reports failures
			end()
		}
		if err := r.finish(whole, part); err != nil {
			return err
		}
	}
	return nil
}

// upstreamEraser is what the service of a hosted store does in a redaction; package replica implements it.
type upstreamEraser interface {
	// LockUpstream takes the upstream lock.
	LockUpstream(ctx context.Context) (release func(), err error)
	// RedactUpstream does the service's part of a redaction. begun reports whether the service did, or may have done, any of it.
	RedactUpstream(ctx context.Context, r *redacting, part *redactedPart) (begun bool, err error)
	// EraseUpstream makes the service erase the listed versions of a redaction. n counts the versions that are erased or
	// unknown there.
	EraseUpstream(ctx context.Context, part *redactedPart) (n int, err error)
}

func serviceOf(s *Store) upstreamEraser { return s.replica.(upstreamEraser) }

// lock takes the upstream locks of the hosted stores, ordered by id. So nobody else sends
// a request to a service before its part of the redaction, and this home's, are done.
func (r *redacting) lock(ctx context.Context, upstream bool) (release func(), err error) {
	var held []func()
	release = func() {
		for _, free := range slices.Backward(held) {
			free()
		}
	}
	var hosted []*redactedPart
	for _, part := range r.parts {
		if upstream && part.s.hosted() {
			hosted = append(hosted, part)
		}
	}
	slices.SortFunc(hosted, func(a, b *redactedPart) int { return strings.Compare(string(a.s.info.ID), string(b.s.info.ID)) })
	for _, part := range hosted {
		free, err := serviceOf(part.s).LockUpstream(ctx)
		if err != nil {
			return release, err
		}
		part.there = true
		held = append(held, free)
	}
	return release, nil
}

// askServices lets each service do its part. It fails only if the first failure comes
// before anything was done. After later failures the next pull does the rest.
func (r *redacting) askServices(ctx context.Context) (map[*redactedPart]error, error) {
	longer, end := outlasting(ctx, graceTime)
	defer end()
	refused := map[*redactedPart]error{}
	begun := false
	for _, part := range r.parts {
		if !part.s.hosted() || part.id == 0 {
			continue
		}
		some, err := serviceOf(part.s).RedactUpstream(longer, r, part)
		begun = begun || some || ctx.Err() != nil // a cancellation doesn't stop what is journaled
		if err == nil {
			continue
		}
		if !begun {
			return nil, fmt.Errorf("redact: the service of store %s has erased nothing, and nothing was erased here: %w", part.s.info.Name, err)
		}
		refused[part] = err
	}
	return refused, nil
}

// unchanged rejects a plan if another program changed a memory that the plan erases from.
func (s *Store) unchanged(ctx context.Context, by By, p RedactPlan) error {
	if len(p.Current()) == 0 {
		return nil
	}
	_, err := s.mutateLocked(ctx, by, func(d *mutation) error {
		for _, v := range p.Current() {
			h, err := d.current(v.Path)
			if err != nil {
				return err
			}
			if h.version != v.row {
				return &StalePlanError{"redact", v.Path}
			}
		}
		return nil
	})
	return err
}

// journal records the redaction's work in all its open stores.
func (r *redacting) journal(ctx context.Context, first *redactedPart) error {
	leave, err := first.s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ctx = context.WithoutCancel(ctx)
	x, err := first.s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	var ids []int64
	var parts []*redactedPart
	for _, part := range r.parts {
		if part.id != 0 {
			continue
		}
		id, err := r.journalPart(x, part)
		if err != nil {
			return err
		}
		ids, parts = append(ids, id), append(parts, part)
	}
	if err := r.t.step("before-journal-commit"); err != nil {
		return err
	}
	if err := x.Commit(); err != nil {
		return err
	}
	for i, part := range parts {
		part.id = ids[i]
	}
	r.ids = append(r.ids, ids...)
	return r.t.step("after-journal-commit")
}

// journalPart checks and journals the work in one store.
func (r *redacting) journalPart(first *txn, part *redactedPart) (int64, error) {
	own := *first
	x, p := &own, part.plan
	x.s = part.s
	if err := errors.Join(p.stale(x), p.stillCurrent(x)); err != nil {
		return 0, err
	}
	if err := x.mayWrite(r.by); err != nil {
		return 0, err
	}
	if len(p.Current()) > 0 && r.choice.Heads != HeadDelete {
		if err := x.refuseArchived(); err != nil {
			return 0, err
		}
	}
	out := Receipt{Store: part.s.info.ID, Name: part.s.info.Name, Outcome: OutcomePending, Versions: len(p.Erase)}
	t := p.Target
	out.todo = &todo{Changes: p.changes, Memory: t.Memory, Match: t.Match, IgnoreCase: t.IgnoreCase, Regexp: t.Regexp, AllStores: t.AllStores,
		Heads: r.choice.Heads, Text: r.choice.Text, Newest: p.newest, There: part.there}
	for _, v := range p.Erase {
		out.todo.Versions = append(out.todo.Versions, v.row)
		if part.there {
			out.there = append(out.there, v.row)
		}
	}
	for _, place := range r.plan.Places {
		if !place.Stays && !place.file && part == r.parts[0] {
			out.Places = append(out.Places, place)
		}
	}
	err := x.startRedaction(r.by, &out, stagePlanned)
	return out.ID, err
}

// withdraw removes a store's part, which has not begun, from the journal.
func (r *redacting) withdraw(ctx context.Context, part *redactedPart) error {
	unlock, err := r.t.db.Acquire(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer unlock()
	if err := r.t.updateLocked(context.WithoutCancel(ctx), `DELETE FROM redaction WHERE id=? AND pending=?`, part.id, stagePlanned); err != nil {
		return err
	}
	r.ids = slices.DeleteFunc(r.ids, func(id int64) bool { return id == part.id })
	return nil
}

// failed withdraws the parts that have not begun, and returns the receipt of the others.
func (r *redacting) failed(ctx context.Context, err error) (Receipt, error) {
	for _, part := range r.parts {
		if part.id == 0 {
			continue
		}
		var stage int
		if serr := r.t.db.Row(context.WithoutCancel(ctx), `SELECT pending FROM redaction WHERE id=?`, part.id).Scan(&stage); serr == nil && stage == stagePlanned {
			err = errors.Join(err, r.withdraw(ctx, part))
		}
	}
	if len(r.ids) == 0 {
		return Receipt{}, err
	}
	all, rerr := r.receipts(context.WithoutCancel(ctx))
	return together(all), errors.Join(err, rerr)
}

// receipts reads the receipts of the parts from the trail.
func (r *redacting) receipts(ctx context.Context) ([]Receipt, error) {
	return r.t.redactions(ctx, `r.id IN (SELECT value FROM json_each(?))`, asJSON(r.ids))
}

// keep excludes the versions of a store from the erasure.
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

// choose applies the choice about current memories to the plan.
func (p RedactPlan) choose(c RedactChoice) (RedactPlan, error) {
	live := p.Current()
	if len(live) == 0 {
		return p, nil
	}
	switch c.Heads {
	case HeadRefuse:
		if p.Target.Memory == "" {
			return p, fmt.Errorf("redact: %s: %w", live[0].Path.Tool(), ErrCurrent)
		}
		p.Erase = slices.DeleteFunc(slices.Clone(p.Erase), func(v PlannedVersion) bool { return v.Current })
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
		if p.tellsPath(v.Path) {
			return p, fmt.Errorf("redact: %s: %w in its path: rename it first, or delete it", v.Path.Tool(), ErrCurrent)
		}
		if c.Heads == HeadReplace && v.SHA256 == sum(c.Text) {
			return p, fmt.Errorf("redact %s: the new text is the one to be erased", v.Path.Tool())
		}
	}
	if p.needle.In(c.Text) {
		return p, errors.New("redact: the new text holds the one to be erased")
	}
	return p, nil
}

// byStore splits a plan by store. Its first part gets the changes whose rows contain a
// path.
func (p RedactPlan) byStore(s *Store) []RedactPlan {
	parts := map[int64]*RedactPlan{}
	var order []int64
	part := func(store int64) *RedactPlan {
		if parts[store] == nil {
			parts[store] = &RedactPlan{Target: p.Target, newest: p.newest, needle: p.needle}
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

// forgetCounts clears the cached line counts, whose contents may be erased.
func (s *Store) forgetCounts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
}
