package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/planning"
)

// Proposed is a change that another program holds back itself, in a form of its own, until a person
// decides. It has no number until then.
type Proposed struct {
	By    By             // who wants it
	Texts []ProposedText // what that program would write if it was accepted
}

// ProposedText is the text that a proposal gives to one memory.
type ProposedText struct {
	Path memfs.Path
	Base Hash // of the text that it was made from; zero: the memory doesn't exist yet
	Text []byte
}

// offer is the goal of a proposal, or of a merge: its items, with the states that they replace.
type offer struct {
	merge bool
	by    By
	asked request
	items []storedItem
}

// PlanProposed plans what accepting a proposal of another program would do now. It returns a *StalePlanError if
// a memory differs from the base of its text.
func (s *Store) PlanProposed(ctx context.Context, of Proposed) (*Plan, error) {
	if s.hosted() {
		return nil, fmt.Errorf("plan a proposal: %w: the store is hosted", errors.ErrUnsupported)
	}
	return s.plan(ctx, func(q reader) (goal, error) {
		g := goal{offer: &offer{by: of.By, asked: request{kind: KindEdit}}}
		var paths []memfs.Path
		for _, t := range of.Texts {
			it, err := s.offered(q, t)
			if err != nil {
				return goal{}, err
			}
			if it.base.SHA256 != t.Base {
				return goal{}, &StalePlanError{g.doing(), t.Path}
			}
			paths = append(paths, t.Path)
			g.offer.items = append(g.offer.items, it)
		}
		g.offer.asked.path = common(paths)
		if len(of.Texts) == 1 && of.Texts[0].Base == (Hash{}) {
			g.offer.asked.kind = KindCreate
		}
		return g, nil
	})
}

// offered returns the item of one proposed text.
func (s *Store) offered(q db.Queryer, t ProposedText) (it storedItem, err error) {
	it = storedItem{path: t.Path, text: nonNil(t.Text)}
	var row int64
	err = q.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, s.id, key(t.Path)).Scan(&row, &it.memory)
	if err := unlessNone(err); err != nil {
		return it, err
	}
	if it.memory == nil {
		it.memory = s.freshUID()
		return it, nil
	}
	it.base, err = nowOf(q, row)
	return it, err
}

// PlanMerge plans to take over the texts that memories elsewhere have. A memory that exists here with another text is
// a conflict, because nothing says which text is the later one. The bases of the texts don't matter. Apply makes it one
// change, which can be undone.
func (s *Store) PlanMerge(ctx context.Context, texts []ProposedText) (*Plan, error) {
	return s.plan(ctx, func(q reader) (goal, error) {
		g := goal{offer: &offer{merge: true, asked: request{kind: KindEdit}}}
		var paths []memfs.Path
		for _, t := range texts {
			it, err := s.offered(q, t)
			if err != nil {
				return goal{}, err
			}
			if it.base.Live() { // as if both sides had begun with nothing
				it.base = planning.WithText(t.Path, []byte{})
			}
			paths = append(paths, t.Path)
			g.offer.items = append(g.offer.items, it)
		}
		g.offer.asked.path = common(paths)
		return g, nil
	})
}

// collectOffer adds the memories of a proposal to the plan.
func (p *planner) collectOffer() error {
	p.asked = p.goal.offer.asked
	return p.collectItems(p.goal.offer.items)
}

// AcceptProposed applies a proposal as its plan showed it. It returns a *StalePlanError if the memories changed
// since. Like a held change that is accepted, the change is recorded as made by whoever wanted it, with the
// person's decision beside it. If the memories are as the proposal wants them already, the change is zero. Only a
// person may accept.
func (s *Store) AcceptProposed(ctx context.Context, by By, p *Plan) (Change, error) {
	of := p.goal.offer
	if !by.Person() {
		return Change{}, fmt.Errorf("%s: %w", p.goal.doing(), ErrPersonsOnly)
	}
	return s.mutate(ctx, by, func(d *mutation) error {
		d.by = of.by
		d.accepts = &acceptance{by: by}
		err := d.fulfil(p.goal, p, nil)
		if err != nil || d.c == nil {
			return err
		}
		if d.accepts.number, err = d.x.addOffer(of); err != nil {
			return err
		}
		return d.x.accept(d.accepts, d.c.number)
	})
}

// RejectProposed records a person's decision against a proposal, and remembers the lines that it would have
// added, as Reject does. Only a person may reject.
func (s *Store) RejectProposed(ctx context.Context, by By, p *Plan, reason string) error {
	return s.asPerson(ctx, by, "reject the proposal", func(x *txn) error {
		n, err := x.addOffer(p.goal.offer)
		if err != nil {
			return err
		}
		if err := x.rememberRejected(n); err != nil {
			return err
		}
		return x.decided(n, HeldRejected, by, 0, reason)
	})
}

// addOffer adds a proposal to the held changes; the caller records the decision.
func (x *txn) addOffer(of *offer) (n int64, err error) {
	if n, err = x.addHeldRow(&heldBack{by: of.by, asked: of.asked}); err != nil {
		return 0, err
	}
	for i, it := range of.items {
		var base any
		if it.base.Row != 0 {
			base = it.base.Row
		}
		if err := x.addHeldItem(n, i, it.memory, base, it.path, it.gone, it.text); err != nil {
			return 0, err
		}
	}
	return n, nil
}
