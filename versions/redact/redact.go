package redact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Do applies a plan: it erases content, path, hash and size of the planned versions,
// and keeps their existence, actors and times. It masks the given text everywhere else in
// the home. It writes nothing if a current memory holds the text and the choice doesn't
// decide about it (ErrCurrent), or if the plan is out of date (*StalePlanError). If an
// error comes with a receipt that has an ID, the search or the last steps failed; what was
// erased stays erased.
//
// These are the steps, in order. The process may die after any of them:
//
//	journal   one commit: the work to do, with the given text
//	service   of a hosted store: it does its part; see replica/redact.go
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
func Do(ctx context.Context, s *core.Store, by versions.By, p Plan, c versions.RedactChoice) (versions.Receipt, error) {
	if err := May(ctx, s, by, p, c); err != nil {
		return versions.Receipt{}, err
	}
	return redact(ctx, s, by, p, c, true)
}

// May returns the error with which Redact would refuse a plan.
func May(ctx context.Context, s *core.Store, by versions.By, p Plan, c versions.RedactChoice) error {
	stores := []versions.StoreInfo{s.Opened}
	if p.Target.AllStores {
		var err error
		if stores, err = s.Trail.Stores(ctx); err != nil {
			return err
		}
	}
	for _, info := range stores {
		if err := core.MayAdministerStore(ctx, s.Trail, by, info.ID, "redact"); err != nil {
			return err
		}
	}
	if by.Actor.Kind == versions.Agent {
		return fmt.Errorf("redact: %w", versions.ErrPersonsOnly)
	}
	_, err := p.choose(c)
	return err
}

// DoHere is Redact for what the service of a hosted store has erased: nobody decides about it, and the service is not
// asked.
func DoHere(ctx context.Context, s *core.Store, by versions.By, p Plan, _ core.Sibling) (versions.Receipt, error) {
	return redact(ctx, s, by, p, versions.RedactChoice{}, false)
}

// redact is Redact. upstream reports whether the services of hosted stores must erase the
// versions too.
func redact(ctx context.Context, s *core.Store, by versions.By, p Plan, c versions.RedactChoice, upstream bool) (versions.Receipt, error) {
	p, err := p.choose(c)
	if err = errors.Join(err, core.MayChange(s.Trail)); err != nil {
		return versions.Receipt{}, err
	}
	if p.Empty() {
		return versions.Receipt{}, fmt.Errorf("redact: %w", versions.ErrNothing)
	}
	look, err := lookFor(ctx, s.Trail, p)
	if err != nil {
		return versions.Receipt{}, err
	}
	r := &Redacting{Trail: s.Trail, By: by, plan: p, Choice: c}
	defer r.close()
	if err := r.open(ctx, s); err != nil {
		return versions.Receipt{}, err
	}
	if err := r.apply(ctx, upstream); err != nil {
		return r.failed(ctx, err)
	}
	if len(r.IDs) == 0 {
		return versions.Receipt{}, fmt.Errorf("redact: %s", strings.Join(r.skipped, "; "))
	}
	return r.Prove(ctx, look)
}

// Redacting is a redaction in progress.
type Redacting struct {
	Trail   *core.Trail
	By      versions.By
	plan    Plan
	Choice  versions.RedactChoice
	parts   []*RedactedPart
	IDs     []int64  // of the journal's rows
	skipped []string // stores that could not be processed
}

// RedactedPart is the part of a redaction in one store.
type RedactedPart struct {
	Store    *core.Store
	borrowed bool
	Plan     Plan
	ID       int64 // row in the journal; 0 if not yet journaled
	there    bool  // the store's service must erase its versions too
}

// open opens the stores concerned. It skips stores whose folder is gone.
func (r *Redacting) open(ctx context.Context, own *core.Store) error {
	for _, plan := range r.plan.byStore(own) {
		part := &RedactedPart{Store: own, borrowed: true, Plan: plan}
		if len(plan.Erase) > 0 && plan.Erase[0].StoreRow != own.Row {
			part.borrowed = false
			var err error
			if part.Store, err = r.Trail.OpenStore(ctx, plan.Erase[0].StoreID); err != nil {
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
func (r *Redacting) skip(part *RedactedPart, err error) bool {
	gone := (*versions.FolderError)(nil)
	if part.borrowed || !errors.As(err, &gone) {
		return false
	}
	r.skipped = append(r.skipped, fmt.Sprintf("%v: its versions were not redacted", gone))
	r.plan.keep(gone.Store.ID)
	return true
}

func (r *Redacting) close() {
	for _, part := range r.parts {
		if !part.borrowed {
			_ = part.Store.Close()
		}
	}
}

// apply journals the redaction, lets the services of hosted stores do their part, and
// removes the text from current memories. Once a service or this home may have begun, a
// cancellation no longer stops the redaction.
func (r *Redacting) apply(ctx context.Context, upstream bool) error {
	release, err := r.lock(ctx, upstream)
	defer release()
	if err != nil {
		return err
	}
	for _, part := range r.parts {
		if part.ID != 0 {
			continue
		}
		err := unchanged(ctx, part.Store, r.By, part.Plan)
		if err == nil {
			err = r.journal(ctx, part)
		}
		if err != nil && !r.skip(part, err) {
			return err
		}
	}
	var refused map[*RedactedPart]error
	if upstream {
		if refused, err = r.askServices(ctx); err != nil {
			return err
		}
	}
	whole := context.WithoutCancel(ctx)
	for _, part := range r.parts {
		err := clearCurrent(whole, part.Store, part.ID)
		if err != nil && r.skip(part, err) {
			err = r.withdraw(whole, part)
		}
		if err != nil {
			return err
		}
	}
	for _, part := range r.parts {
		if !upstream || !core.Hosted(part.Store) || part.ID == 0 {
			continue
		}
		if refused[part] == nil { // versions added meanwhile must be erased too: deletions contain paths
			longer, end := Outlasting(ctx, GraceTime)
			_, _ = serviceOf(part.Store).EraseUpstream(longer, part) // the receipt reports failures
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
	RedactUpstream(ctx context.Context, r *Redacting, part *RedactedPart) (begun bool, err error)
	// EraseUpstream makes the service erase the listed versions of a redaction. n counts the versions that are erased or
	// unknown there.
	EraseUpstream(ctx context.Context, part *RedactedPart) (n int, err error)
}

func serviceOf(s *core.Store) upstreamEraser { return s.Replica.(upstreamEraser) }

// lock takes the upstream locks of the hosted stores, ordered by id. So nobody else sends
// a request to a service before its part of the redaction, and this home's, are done.
func (r *Redacting) lock(ctx context.Context, upstream bool) (release func(), err error) {
	var held []func()
	release = func() {
		for _, free := range slices.Backward(held) {
			free()
		}
	}
	var hosted []*RedactedPart
	for _, part := range r.parts {
		if upstream && core.Hosted(part.Store) {
			hosted = append(hosted, part)
		}
	}
	slices.SortFunc(hosted, func(a, b *RedactedPart) int {
		return strings.Compare(string(a.Store.Opened.ID), string(b.Store.Opened.ID))
	})
	for _, part := range hosted {
		free, err := serviceOf(part.Store).LockUpstream(ctx)
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
func (r *Redacting) askServices(ctx context.Context) (map[*RedactedPart]error, error) {
	longer, end := Outlasting(ctx, GraceTime)
	defer end()
	refused := map[*RedactedPart]error{}
	begun := false
	for _, part := range r.parts {
		if !core.Hosted(part.Store) || part.ID == 0 {
			continue
		}
		some, err := serviceOf(part.Store).RedactUpstream(longer, r, part)
		begun = begun || some || ctx.Err() != nil // a cancellation doesn't stop what is journaled
		if err == nil {
			continue
		}
		if !begun {
			return nil, fmt.Errorf("redact: the service of store %s has erased nothing, and nothing was erased here: %w", part.Store.Opened.Name, err)
		}
		refused[part] = err
	}
	return refused, nil
}

// unchanged rejects a plan if another program changed a memory that the plan erases from.
func unchanged(ctx context.Context, s *core.Store, by versions.By, p Plan) error {
	if len(p.Current()) == 0 {
		return nil
	}
	_, err := core.MutateLocked(ctx, s, by, func(d *core.Mutation) error {
		for _, v := range p.Current() {
			h, err := d.Current(v.Path)
			if err != nil {
				return err
			}
			if h.Version != v.Row {
				return &versions.StalePlanError{Doing: "redact", Path: v.Path}
			}
		}
		return nil
	})
	return err
}

// journal records the redaction's work in all its open stores.
func (r *Redacting) journal(ctx context.Context, first *RedactedPart) error {
	unlock, err := core.Enter(ctx, first.Store)
	if err != nil {
		return err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	x, err := core.Begin(ctx, first.Store)
	if err != nil {
		return err
	}
	defer x.Rollback()
	var ids []int64
	var parts []*RedactedPart
	for _, part := range r.parts {
		if part.ID != 0 {
			continue
		}
		id, err := r.journalPart(x, part)
		if err != nil {
			return err
		}
		ids, parts = append(ids, id), append(parts, part)
	}
	if err := core.AtStep(r.Trail, "before-journal-commit"); err != nil {
		return err
	}
	if err := x.Commit(); err != nil {
		return err
	}
	for i, part := range parts {
		part.ID = ids[i]
	}
	r.IDs = append(r.IDs, ids...)
	return core.AtStep(r.Trail, "after-journal-commit")
}

// journalPart checks and journals the work in one store.
func (r *Redacting) journalPart(first *core.Txn, part *RedactedPart) (int64, error) {
	own := *first
	x, p := &own, part.Plan
	x.Store = part.Store
	if err := errors.Join(p.stale(x), p.stillCurrent(x)); err != nil {
		return 0, err
	}
	if err := x.MayWrite(r.By); err != nil {
		return 0, err
	}
	if len(p.Current()) > 0 && r.Choice.Heads != versions.HeadDelete {
		if err := x.RefuseArchived(); err != nil {
			return 0, err
		}
	}
	e := Entry{Receipt: versions.Receipt{Store: part.Store.Opened.ID, Name: part.Store.Opened.Name, Outcome: versions.OutcomePending, Versions: len(p.Erase)}}
	t := p.Target
	e.Todo = &Todo{Changes: p.changes, Memory: t.Memory, Match: t.Match, IgnoreCase: t.IgnoreCase, Regexp: t.Regexp, AllStores: t.AllStores,
		Heads: r.Choice.Heads, Text: r.Choice.Text, Newest: p.Newest, Upstream: part.there}
	for _, v := range p.Erase {
		e.Todo.Versions = append(e.Todo.Versions, v.Row)
		if part.there {
			e.Upstream = append(e.Upstream, v.Row)
		}
	}
	for _, place := range r.plan.Places[r.plan.beside:] {
		if !place.Stays && part == r.parts[0] {
			e.Places = append(e.Places, place)
		}
	}
	err := Start(x, r.By, &e, tables.StagePlanned)
	return e.ID, err
}

// withdraw removes a store's part, which has not begun, from the journal.
func (r *Redacting) withdraw(ctx context.Context, part *RedactedPart) error {
	unlock, err := r.Trail.DB.Acquire(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer unlock()
	if err := core.UpdateLocked(context.WithoutCancel(ctx), r.Trail, `DELETE FROM redaction WHERE id=? AND pending=?`, part.ID, tables.StagePlanned); err != nil {
		return err
	}
	r.IDs = slices.DeleteFunc(r.IDs, func(id int64) bool { return id == part.ID })
	return nil
}

// failed withdraws the parts that have not begun, and returns the receipt of the others.
func (r *Redacting) failed(ctx context.Context, err error) (versions.Receipt, error) {
	for _, part := range r.parts {
		if part.ID == 0 {
			continue
		}
		var stage int
		if serr := r.Trail.DB.Row(context.WithoutCancel(ctx), `SELECT pending FROM redaction WHERE id=?`, part.ID).Scan(&stage); serr == nil && stage == tables.StagePlanned {
			err = errors.Join(err, r.withdraw(ctx, part))
		}
	}
	if len(r.IDs) == 0 {
		return versions.Receipt{}, err
	}
	all, rerr := r.entries(context.WithoutCancel(ctx))
	return together(all), errors.Join(err, rerr)
}

// entries reads the parts from the trail.
func (r *Redacting) entries(ctx context.Context) ([]Entry, error) {
	return Entries(ctx, r.Trail, `r.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(r.IDs))
}

// keep excludes the versions of a store from the erasure.
func (p *Plan) keep(store versions.StoreID) {
	var rest []versions.PlannedVersion
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
func (p Plan) choose(c versions.RedactChoice) (Plan, error) {
	live := p.Current()
	if len(live) == 0 {
		return p, nil
	}
	if c.Heads == versions.HeadDelete {
		return p, nil
	}
	for _, v := range live {
		if p.tellsPath(v.Path) {
			return p, fmt.Errorf("redact: %s: %w: rename it first, or delete it", v.Path.Tool(), versions.ErrInPath)
		}
	}
	switch c.Heads {
	case versions.HeadRefuse:
		if p.Target.Memory == "" {
			return p, fmt.Errorf("redact: %s: %w", live[0].Path.Tool(), versions.ErrCurrent)
		}
		p.Erase = slices.DeleteFunc(slices.Clone(p.Erase), func(v versions.PlannedVersion) bool { return v.Current })
		for _, v := range live {
			if p.erases(v.Blob) {
				p.Kept = append(p.Kept, v)
			}
		}
		return p, nil
	case versions.HeadMask:
		if p.Target.Match == nil {
			return p, errors.New("redact: only a text can be masked: replace the memory, or delete it")
		}
	}
	for _, v := range live {
		if c.Heads == versions.HeadReplace && v.SHA256 == versions.Sum(c.Text) {
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
func (p Plan) byStore(s *core.Store) []Plan {
	parts := map[int64]*Plan{}
	var order []int64
	part := func(store int64) *Plan {
		if parts[store] == nil {
			parts[store] = &Plan{Target: p.Target, Newest: p.Newest, needle: p.needle}
			order = append(order, store)
		}
		return parts[store]
	}
	for _, v := range p.Erase {
		q := part(v.StoreRow)
		q.Erase = append(q.Erase, v)
	}
	if len(order) == 0 {
		part(s.Row)
	}
	parts[order[0]].changes = p.changes
	var out []Plan
	for _, id := range order {
		out = append(out, *parts[id])
	}
	return out
}

// ForgetCounts clears the cached line counts, whose contents may be erased.
func ForgetCounts(s *core.Store) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	clear(s.Counts)
}
