package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/agent/proposals"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

// What other tools hold back has a name with a colon instead of a number.

func isProposal(arg string) bool { return strings.Contains(arg, ":") }

// numbersAndNames separates the numbers of held changes from the names of proposals.
func numbersAndNames(cmd *cobra.Command, args []string) (numbers []int64, names []string, err error) {
	var rest []string
	for _, arg := range args {
		if isProposal(arg) {
			names = append(names, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	numbers, err = heldNumbers(cmd, rest)
	return numbers, names, err
}

func labelOf(arg string) string {
	if isProposal(arg) {
		return arg
	}
	return "#" + strings.TrimPrefix(arg, "#")
}

// listQueue prints the review queue of a store: what waits, and below it what is applied and not reviewed. It
// returns how many lines that are.
func (p *printer) listQueue(ctx context.Context, s *versions.Store, f versions.HeldFilter) (int, error) {
	waiting, err := p.listWaiting(ctx, s, f)
	if err != nil {
		return waiting, err
	}
	made, err := p.listMade(ctx, s, f)
	return waiting + made, err
}

// listWaiting prints the held changes of a store, and what other tools hold back for it. It returns their number.
func (p *printer) listWaiting(ctx context.Context, s *versions.Store, f versions.HeldFilter) (int, error) {
	n, err := p.listHeld(ctx, s, f)
	if err != nil || f.Session != "" {
		return n, err
	}
	all := proposals.Read(proposals.Here(), s.Info())
	for _, x := range all {
		if p.json {
			p.emit(proposalOf(s, proposals.Waiting{Proposal: x}))
			continue
		}
		note := ""
		if x.Err != nil {
			note = "  can't be accepted: " + x.Err.Error()
		}
		p.println("%s  %s  %-16s  %s%s", p.safe(x.Name), when(x.Time), p.safe(actors.Name(x.By.Actor)), p.toolPath(x.Path(s.Info())), p.safe(note))
	}
	return n + len(all), nil
}

func proposalOf(s *versions.Store, w proposals.Waiting) heldJSON {
	j := heldOf(w.Held(s.Info()))
	j.Proposal, j.Note = w.Name, w.Note
	if w.Err != nil {
		j.Error = w.Err.Error()
	}
	if w.Plan != nil {
		made := planOf(w.Plan)
		j.Plan = &made
	}
	return j
}

// withProposals runs do for each of the named proposals, with the store that it is for.
func (p *program) withProposals(ctx context.Context, names []string, do func(*versions.Store, proposals.Waiting) error) error {
	if len(names) == 0 {
		return nil
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		for _, name := range names {
			if err := p.withProposal(ctx, t, name, do); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *program) withProposal(ctx context.Context, t *versions.Trail, name string, do func(*versions.Store, proposals.Waiting) error) error {
	infos, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	roots := proposals.Here()
	for _, info := range infos {
		for _, x := range proposals.Read(roots, info) {
			if x.Name != name {
				continue
			}
			return withOpen(ctx, t, info, p.synced(ctx, func(s *versions.Store) error {
				all, err := proposals.List(ctx, roots, s)
				for _, w := range all {
					if w.Name == name {
						return do(s, w)
					}
				}
				return errors.Join(err, fmt.Errorf("%s: %w", name, proposals.ErrGone))
			}))
		}
	}
	return &hinted{fmt.Errorf("%s: no store of the home has such a proposal", name), "`memend review --all-stores` lists what waits"}
}

func (p *printer) showProposal(ctx context.Context, s *versions.Store, w proposals.Waiting) error {
	if p.json {
		p.emit(proposalOf(s, w))
		return nil
	}
	h := w.Held(s.Info())
	p.println("%s %s, store %s", p.safe(w.Name), p.safe(string(h.Kind)+" "+h.Path.Tool()), p.safe(s.Info().Name))
	p.println("by        %s, on %s", p.safe(actors.Name(w.By.Actor)), when(w.Time))
	if w.Note != "" {
		p.println("note      %s", p.safe(w.Note))
	}
	if w.Plan == nil {
		p.println("can't be accepted: %s", p.safe(w.Err.Error()))
		return nil
	}
	return p.planDifferences(ctx, s, w.Plan)
}

func (p *program) acceptProposal(ctx context.Context, s *versions.Store, w proposals.Waiting) error {
	if w.Plan == nil {
		return &refusal{&hinted{fmt.Errorf("accept %s: %w", w.Name, w.Err), "`memend review reject` removes it"}}
	}
	if err := p.showProposal(ctx, s, w); err != nil {
		return err
	}
	if !p.confirm(fmt.Sprintf("Accept %s?", w.Name)) {
		return nil
	}
	c, err := proposals.Accept(ctx, s, p.caller, w)
	if errors.Is(err, proposals.ErrChanged) || errors.Is(err, proposals.ErrGone) {
		return &refusal{&hinted{err, "`memend review show` shows what is proposed now"}}
	}
	if err == nil && c.Number == 0 && !p.json {
		p.println("accepted %s: the memories were as it wants them already", p.safe(w.Name))
		return nil
	}
	return p.done(c, err)
}

func (p *program) rejectProposal(ctx context.Context, s *versions.Store, w proposals.Waiting, reason string) error {
	err := proposals.Reject(ctx, s, p.caller, w, reason)
	if errors.Is(err, proposals.ErrChanged) || errors.Is(err, proposals.ErrGone) {
		return &refusal{&hinted{err, "`memend review show` shows what is proposed now"}}
	}
	if err != nil {
		return err
	}
	if p.json {
		j := proposalOf(s, w)
		j.State, j.Plan = string(versions.HeldRejected), nil
		p.emit(j)
		return nil
	}
	p.println("rejected %s %s", p.safe(w.Name), p.toolPath(w.Path(s.Info())))
	return nil
}
