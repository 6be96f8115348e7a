package review

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/policy"
)

// Propose decides about a text that another program is about to write to the file at p by itself, and
// writes nothing. It returns nil if the program may go on, and otherwise a *HeldError or a *DeniedError.
// Accept applies a held text.
func Propose(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, text []byte) error {
	if err := core.MayChange(s.Trail); err != nil {
		return err
	}
	if err := core.TakeReports(ctx, s, by); err != nil {
		return err
	}
	propose := core.Mutator(func(d *core.Mutation) error {
		plan, err := memfs.PlanWrite(d.Tree(), p, text)
		if err != nil {
			return err
		}
		return d.Follow(core.Request{Kind: versions.KindEdit, Path: p}, plan)
	})
	return core.Exclusively(ctx, s, func(ctx context.Context) error { return core.Act(ctx, s, propose.By(by), core.Discard) })
}

// ProposeUnknown is Propose for a text that nobody knows yet. It can't be held: if the policy doesn't allow any
// text, the error is a *DeniedError.
func ProposeUnknown(ctx context.Context, s *core.Store, by versions.By, p memfs.Path) error {
	return proposeUnknown(ctx, s, by, p, false, policy.Act{Findings: policy.Findings}, "edit")
}

// ProposeShell is Propose for a shell's command line that may write, rename or delete p, or with below, some memories in
// the folder p. It can't be held, either. Of the text that it writes no more is known than what the line holds.
func ProposeShell(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, below bool, line string) error {
	return proposeUnknown(ctx, s, by, p, below, policy.Act{Findings: core.KindsOf(guard.Check(p.String(), []byte(line)))}, "create", "edit", "rename", "delete")
}

func proposeUnknown(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, below bool, act policy.Act, verbs ...string) error {
	if err := core.TakeReports(ctx, s, by); err != nil {
		return err
	}
	pins, err := Pins(ctx, s)
	if err != nil {
		return err
	}
	for _, pin := range pins {
		if (p.In(pin.Path) || below && pin.Path.In(p)) && (pin.For == versions.PinAll || !by.Person()) {
			return versions.PinnedError(pin.Path, pin)
		}
	}
	rules, err := PolicyOf(ctx, s, by.Session)
	if err != nil {
		return err
	}
	in, err := s.Trail.Inputs(ctx, by.Session)
	if err != nil {
		return err
	}
	decide := rules.Decide
	if below {
		decide = rules.DecideBelow
	}
	act.Paths, act.Person, act.Actor, act.Title, act.Door, act.After = []string{p.String()}, by.Person(), by.Actor.Name, by.Actor.Title, by.Door.String(), in.Kinds()
	for _, act.Verb = range verbs {
		if action, rule := decide(act); action != policy.Allow {
			return &versions.DeniedError{Path: p, Why: fmt.Sprintf("the store's policy says %q, and it is not known what the call would write", rule.Text)}
		}
	}
	return nil
}

// Governed reports whether anything but the open policy may decide about what a session writes to a
// store: rules, pins or rejected lines.
func Governed(ctx context.Context, t *core.Trail, id versions.StoreID, session versions.SessionID) (governed bool, err error) {
	err = core.View(ctx, t, func(q tables.Reader) error {
		var row int64
		if err := q.Row(`SELECT id, salt IS NOT NULL OR EXISTS(SELECT 1 FROM pin WHERE store=store.id) FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(&row, &governed); err != nil {
			return tables.NotFound(err, versions.ErrNoStore, string(id))
		}
		p, err := tables.PolicyIn(q, row, session)
		governed = governed || p.Decides()
		return err
	})
	return governed, err
}
