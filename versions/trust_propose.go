package versions

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/policy"
)

// Propose decides about a text that another program is about to write to the file at p by itself, and
// writes nothing. It returns nil if the program may go on, and otherwise a *HeldError or a *DeniedError.
// Accept applies a held text.
func (s *Store) Propose(ctx context.Context, by By, p memfs.Path, text []byte) error {
	if err := s.t.mayChange(); err != nil {
		return err
	}
	if err := s.takeReports(ctx, by); err != nil {
		return err
	}
	propose := mutator(func(d *mutation) error {
		plan, err := memfs.PlanWrite(d.tree(), p, text)
		if err != nil {
			return err
		}
		return d.follow(request{kind: KindEdit, path: p}, plan)
	})
	return s.exclusively(ctx, func(ctx context.Context) error { return s.act(ctx, propose.by(by), discard) })
}

// ProposeUnknown is Propose for a text that nobody knows yet. It can't be held: if the policy doesn't allow any
// text, the error is a *DeniedError.
func (s *Store) ProposeUnknown(ctx context.Context, by By, p memfs.Path) error {
	return s.proposeUnknown(ctx, by, p, false, policy.Act{Findings: policy.Findings}, "edit")
}

// ProposeShell is Propose for a shell's command line that may write, rename or delete p, or with below, some memories in
// the folder p. It can't be held, either. Of the text that it writes no more is known than what the line holds.
func (s *Store) ProposeShell(ctx context.Context, by By, p memfs.Path, below bool, line string) error {
	return s.proposeUnknown(ctx, by, p, below, policy.Act{Findings: kindsOf(guard.Check(p.String(), []byte(line)))}, "create", "edit", "rename", "delete")
}

func (s *Store) proposeUnknown(ctx context.Context, by By, p memfs.Path, below bool, act policy.Act, verbs ...string) error {
	if err := s.takeReports(ctx, by); err != nil {
		return err
	}
	pins, err := s.Pins(ctx)
	if err != nil {
		return err
	}
	for _, pin := range pins {
		if (p.In(pin.Path) || below && pin.Path.In(p)) && (pin.For == PinAll || !by.Person()) {
			return &DeniedError{Path: pin.Path, Why: pin.why()}
		}
	}
	rules, err := s.PolicyOf(ctx, by.Session)
	if err != nil {
		return err
	}
	in, err := s.t.Inputs(ctx, by.Session)
	if err != nil {
		return err
	}
	decide := rules.Decide
	if below {
		decide = rules.DecideBelow
	}
	act.Paths, act.Person, act.Actor, act.Door, act.After = []string{p.String()}, by.Person(), by.Actor.Name, by.Door.String(), in.Kinds()
	for _, act.Verb = range verbs {
		if action, rule := decide(act); action != policy.Allow {
			return &DeniedError{Path: p, Why: fmt.Sprintf("the store's policy says %q, and it is not known what the call would write", rule.Text)}
		}
	}
	return nil
}

// Governed reports whether anything but the open policy may decide about what a session writes to a
// store: rules, pins or rejected lines.
func (t *Trail) Governed(ctx context.Context, id StoreID, session SessionID) (governed bool, err error) {
	err = t.view(ctx, func(q reader) error {
		var row int64
		if err := q.Row(`SELECT id, salt IS NOT NULL OR EXISTS(SELECT 1 FROM pin WHERE store=store.id) FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(&row, &governed); err != nil {
			return notFound(err, ErrNoStore, string(id))
		}
		p, err := policyIn(q, row, session)
		governed = governed || p.Decides()
		return err
	})
	return governed, err
}
