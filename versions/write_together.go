package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// part is what an act does in one of the stores concerned. Parts of the same store share its transaction.
type part struct {
	s     *Store
	want  mutator
	reads bool // it only reads, so whoever reads may do it, of a hosted store too
}

// ErrServed means that a store is kept by a service, which can't commit together with this home. It can be
// read from, and copied to.
var ErrServed = errors.New("a hosted store can't take part in a move or merge between stores, because that must be one act: copy the memory to the other store, then delete the original")

// mutateTogether changes several stores of the home by one act. All of it is one commit, so that a process
// that dies leaves all of it or nothing: the steps of each store are finished by its next critical section.
// The changes are those of the parts, in their order; the zero Change for one that had nothing to do.
func (t *Trail) mutateTogether(ctx context.Context, by By, parts ...part) (out []Change, err error) {
	if err := t.mayChange(); err != nil {
		return nil, err
	}
	for _, p := range parts {
		if p.s.hosted() && !p.reads {
			return nil, inStore(p.s, ErrServed)
		}
	}
	first := parts[0].s
	err = first.exclusively(ctx, func(ctx context.Context) error {
		for _, p := range parts {
			if p.s == first {
				continue
			}
			if err := p.s.followFolder(ctx); err != nil {
				return inStore(p.s, err)
			}
			if err := p.s.catchUp(ctx); err != nil {
				return inStore(p.s, err)
			}
		}
		out, err = t.attemptTogether(ctx, by, parts)
		if err == nil {
			t.notify()
		}
		return err
	})
	for _, p := range parts {
		if p.s.crowded() {
			_ = p.s.flushNow(ctx) // the next batch retries what fails
		}
	}
	return out, err
}

// inStore adds the name of a store to an error of one of several stores.
func inStore(s *Store, err error) error { return fmt.Errorf("store %s: %w", s.info.Name, err) }

func (t *Trail) attemptTogether(ctx context.Context, by By, parts []part) ([]Change, error) {
	x, err := parts[0].s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer x.Rollback()
	txns, err := beginTogether(x, parts)
	if err != nil {
		return nil, err
	}
	all, failed, planned := planTogether(txns, by, parts)
	late := slices.ContainsFunc(all, func(d *mutation) bool { return d.c != nil && d.x.adoptedSince(d.c.number) })
	if planned != nil || late {
		x.Rollback()
		for _, half := range txns {
			if err := half.s.adoptFirst(ctx, half); err != nil {
				return nil, errors.Join(planned, err)
			}
		}
		if late {
			return nil, errForeign
		}
		return nil, failed.hold(ctx, planned)
	}
	out := make([]Change, len(all))
	var doing []*mutation
	for i, d := range all {
		if d.c == nil {
			continue
		}
		if err := d.write(); err != nil {
			return nil, err
		}
		if !d.x.s.lazy(d.steps) {
			if err := d.x.flushFirst(); err != nil {
				return nil, err
			}
		}
		d.x.keep = d.c.number
		out[i], doing = d.change(), append(doing, d)
	}
	if err := t.step("before-intent-commit"); err != nil {
		return nil, err
	}
	for _, each := range txns {
		if err := each.seal(); err != nil {
			return nil, err
		}
	}
	if err := x.trailTxn.Commit(); err != nil && len(doing) > 0 {
		return nil, x.s.uncommitted(ctx, doing[0], err)
	} else if err != nil {
		return nil, err
	}
	return out, t.applyTogether(ctx, doing)
}

// beginTogether returns the transactions of the stores of several parts, one for each store. All of them are x,
// the transaction of the first store, in the home's database.
func beginTogether(x *txn, parts []part) ([]*txn, error) {
	txns := []*txn{x}
	for _, p := range parts {
		if txnOf(txns, p.s) != nil {
			continue
		}
		beside, err := p.s.beginIn(x.trailTxn)
		if err != nil {
			return nil, err
		}
		txns = append(txns, beside)
	}
	return txns, nil
}

// txnOf returns the transaction of a store, or nil.
func txnOf(txns []*txn, s *Store) *txn {
	if i := slices.IndexFunc(txns, func(x *txn) bool { return x.s == s }); i >= 0 {
		return txns[i]
	}
	return nil
}

// planTogether plans the parts in their order. At the first that can't be done it returns the reason, and the
// store of that part.
func planTogether(txns []*txn, by By, parts []part) (all []*mutation, failed *Store, err error) {
	for _, p := range parts {
		x := txnOf(txns, p.s)
		d := &mutation{x: x, by: by}
		if p.reads {
			err = p.want(d)
		} else {
			d, err = x.plan(by, p.want)
		}
		if err != nil {
			return all, p.s, heldApart(p.s, err, parts)
		}
		all = append(all, d)
	}
	return all, nil, nil
}

// heldApart turns a decision to hold one of several changes of an act into a denial. Such an act can't wait:
// a person could accept a part of it in one store, and reject the other in another.
func heldApart(s *Store, planned error, parts []part) error {
	writes := 0
	for _, p := range parts {
		if !p.reads {
			writes++
		}
	}
	var h *heldBack
	if writes < 2 || !errors.As(planned, &h) {
		return planned
	}
	why := "it brings back text that was rejected"
	if h.rule != "" {
		why = fmt.Sprintf("the policy of store %s says %q", s.info.Name, h.rule)
	}
	return &DeniedError{Path: h.asked.path, Why: why + ", and what changes two stores can't wait in two queues: change the store that gets the text first, which can wait, and delete the other memory when that was accepted"}
}

// applyTogether applies committed mutations of several stores to their folders. If one fails, all are
// reverted and removed from the trail.
func (t *Trail) applyTogether(ctx context.Context, all []*mutation) error {
	for i, d := range all {
		forget := func(ctx context.Context, _ *mutation) error {
			for _, before := range slices.Backward(all[:i]) {
				for _, st := range slices.Backward(before.steps) {
					if err := before.x.s.revertStep(ctx, st); err != nil {
						return err
					}
				}
			}
			return t.forgetTogether(ctx, all)
		}
		if err := d.x.s.applySteps(ctx, d, forget); err != nil {
			return inStore(d.x.s, err)
		}
		if err := t.step("between-stores"); err != nil {
			return err
		}
	}
	return nil
}

// forgetTogether removes the changes of mutations that never reached their folders, in one commit.
func (t *Trail) forgetTogether(ctx context.Context, all []*mutation) error {
	x, err := t.beginWrite(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	for _, d := range slices.Backward(all) {
		one, err := d.x.s.beginIn(x)
		if err != nil {
			return err
		}
		if err := one.forget(d); err != nil {
			return err
		}
	}
	return x.Commit()
}

// link is the other change of an act that changed two stores: a memory moved from one to the other, or was merged
// into one there.
type link struct{ store, change int64 }

// ErrWhole means that an undo would undo only a part of an act that changed several stores.
var ErrWhole = errors.New("memories were moved or merged between stores by this change, and that is undone for all of them or for none: leave none out")

// links returns the other changes of the acts that made changes of the store, as far as they are in effect.
func (s *Store) links(q db.Queryer, changes []int64) (out []link, err error) {
	all, err := linksOf(q, s.id, changes)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		var effective bool
		if err := q.Row(`SELECT `+inEffect+` FROM change c WHERE store=? AND number=?`, l.store, l.change).Scan(&effective); err != nil {
			return nil, err
		}
		if effective {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b link) int { return cmp.Or(cmp.Compare(a.store, b.store), cmp.Compare(a.change, b.change)) })
	return slices.Compact(out), nil
}

// linksOf returns the other changes of acts. The deletion of a memory that moved, or was merged, names the version
// that it became in the other store, which names the version that it had here. Undos of linked changes are linked too.
func linksOf(q db.Queryer, store int64, changes []int64) (out []link, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	// CROSS JOIN keeps this order: most changes have no version that names another one.
	const these = ` FROM json_each(?2) j CROSS JOIN change d ON d.store=?1 AND d.number=j.value CROSS JOIN version v ON v.change=d.id AND v.source IS NOT NULL
		CROSS JOIN version o ON o.id=v.source CROSS JOIN memory om ON om.id=o.memory AND om.store<>d.store `
	out, err = scanLinks(q, `SELECT om.store,c.number`+these+`CROSS JOIN change c ON c.id=o.change WHERE v.op='deleted'
		UNION SELECT om.store,c.number`+these+`CROSS JOIN version g ON g.memory=o.memory AND g.op='deleted' AND g.source=v.id CROSS JOIN change c ON c.id=g.change WHERE v.op<>'deleted'`,
		store, asJSON(changes))
	if err != nil {
		return nil, err
	}
	undone, err := scanLinks(q, `SELECT d.number,u.number FROM json_each(?2) j CROSS JOIN change d ON d.store=?1 AND d.number=j.value AND d.kind IN ('undo','redo')
		CROSS JOIN change u ON u.store=?1 AND u.undone_by=d.number`, store, asJSON(changes))
	if err != nil || len(undone) == 0 {
		return out, err
	}
	var earlier []int64
	for _, l := range undone {
		earlier = append(earlier, l.change)
	}
	others, err := linksOf(q, store, earlier)
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		by, err := scanLinks(q, `SELECT store,undone_by FROM change WHERE store=? AND number=? AND undone_by IS NOT NULL`, o.store, o.change)
		if err != nil {
			return nil, err
		}
		out = append(out, by...)
	}
	return out, nil
}

func scanLinks(q db.Queryer, query string, args ...any) (out []link, err error) {
	for row, err := range q.Each(query, args...) {
		if err != nil {
			return nil, err
		}
		var l link
		if err := row.Scan(&l.store, &l.change); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// Linked is a change of another store that is undone with a change, because both are one act.
type Linked struct {
	Store  StoreID
	Name   string
	Change int64
}

// linked returns the changes of other stores that are undone with changes of this one.
func (s *Store) linked(q db.Queryer, changes []int64) (out []Linked, err error) {
	links, err := s.links(q, changes)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		var uid []byte
		one := Linked{Change: l.change}
		if err := q.Row(`SELECT uid,name FROM store WHERE id=?`, l.store).Scan(&uid, &one.Name); err != nil {
			return nil, err
		}
		one.Store = StoreID(ids.Format(ids.StorePrefix, uid))
		out = append(out, one)
	}
	return out, nil
}

// linkedError means that the mutation undoes a part of acts that changed other stores too.
type linkedError struct{ with []link }

func (e *linkedError) Error() string { return "it is one act with changes of other stores" }

// undoing is mutate for what may undo changes. An act that changed several stores is undone in all of them.
func (s *Store) undoing(ctx context.Context, by By, want mutator) (Change, error) {
	var with []link
	whole := func(d *mutation) error {
		if err := want(d); err != nil || d.x.s.hosted() {
			return err
		}
		if apart, err := s.links(d.x, d.partly); err != nil || len(apart) > 0 {
			return cmp.Or(err, ErrWhole)
		}
		links, err := s.links(d.x, d.undone)
		if err != nil || slices.Equal(links, with) {
			return err
		}
		return &linkedError{links}
	}
	c, err := s.mutate(ctx, by, whole)
	var linked *linkedError
	for try := 1; errors.As(err, &linked) && try < maxTries; try++ {
		with = linked.with
		c, err = s.undoTogether(ctx, by, whole, with)
	}
	return c, err
}

// undoTogether makes a change that undoes a part of acts in this store, and undoes their other parts.
func (s *Store) undoTogether(ctx context.Context, by By, want mutator, with []link) (Change, error) {
	parts := []part{{s: s, want: want}}
	for i := 0; i < len(with); {
		store := with[i].store
		var numbers []int64
		for ; i < len(with) && with[i].store == store; i++ {
			numbers = append(numbers, with[i].change)
		}
		other, err := s.t.openRow(ctx, store)
		if err != nil {
			return Change{}, fmt.Errorf("it is one act with a change of another store: %w", err)
		}
		defer other.Close()
		parts = append(parts, part{s: other, want: func(d *mutation) error {
			g := goal{changes: numbers}
			if len(numbers) == 1 {
				g = goal{change: numbers[0]}
			}
			err := d.fulfil(g, nil, nil)
			if c := (*ConflictsError)(nil); errors.As(err, &c) {
				err = c.Conflicts[0].Reason
			}
			if err != nil {
				return fmt.Errorf("it is one act with a change of another store: %w", inStore(other, err))
			}
			return nil
		}})
	}
	cs, err := s.t.mutateTogether(ctx, by, parts...)
	if err != nil {
		return Change{}, err
	}
	return cs[0], nil
}

// openRow opens the store of a row.
func (t *Trail) openRow(ctx context.Context, row int64) (*Store, error) {
	var uid []byte
	if err := t.db.Row(ctx, `SELECT uid FROM store WHERE id=?`, row).Scan(&uid); err != nil {
		return nil, err
	}
	return t.OpenStore(ctx, StoreID(ids.Format(ids.StorePrefix, uid)))
}
