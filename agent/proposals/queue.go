package proposals

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/memend/memend/versions"
)

// Store is the part of a store that a Queue needs.
type Store interface {
	Info() versions.StoreInfo
	PlanProposed(ctx context.Context, of versions.Proposed) (*versions.Plan, error)
	AcceptProposed(ctx context.Context, by versions.By, p *versions.Plan) (versions.Change, error)
	RejectProposed(ctx context.Context, by versions.By, p *versions.Plan, reason string) error
}

// Waiting is a proposal that waits for a person, with the plan of what accepting it does. There is no plan if
// accepting it would fail: see Proposal.Err.
type Waiting struct {
	Proposal
	Plan *versions.Plan
}

// Held describes the proposal as a held change that has no number.
func (w Waiting) Held(store versions.StoreInfo) versions.Held {
	h := versions.Held{Store: store.ID, Kind: versions.KindEdit, Path: w.Path(store), By: w.By, Time: w.Time, Items: len(w.Texts), State: versions.HeldWaiting}
	if w.Plan != nil {
		h.Kind = w.Plan.Kind
	}
	return h
}

// Errors that a decision returns.
var (
	// ErrGone means that the tool's file is gone: somebody decided in the tool.
	ErrGone = errors.New("it was decided by other means meanwhile")
	// ErrChanged means that the proposal, or a file that it changes, is not as it was shown. Nothing was written.
	ErrChanged = errors.New("it changed since it was shown")
)

// Read returns the proposals that wait for a store. It does not need the store to be open.
func Read(roots Roots, info versions.StoreInfo) []Proposal {
	if info.Hosted() {
		return nil
	}
	return read(roots, info.Folder)
}

// List returns the proposals that wait for a store, with their plans.
func List(ctx context.Context, roots Roots, store Store) (out []Waiting, err error) {
	for _, p := range Read(roots, store.Info()) {
		w := Waiting{Proposal: p}
		if w.Err == nil {
			w.Plan, w.Err = plan(ctx, store, p)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// plan plans a proposal. Conflicts mean that its plan can't be applied: the tool knows no merge.
func plan(ctx context.Context, store Store, p Proposal) (*versions.Plan, error) {
	of := versions.Proposed{By: p.By}
	for _, t := range p.Texts {
		at, _ := pathIn(store.Info().Folder, t.File)
		text := versions.ProposedText{Path: at, Text: t.After}
		if t.Exists {
			text.Base = sha256.Sum256(t.Before)
		}
		of.Texts = append(of.Texts, text)
	}
	made, err := store.PlanProposed(ctx, of)
	if err == nil && len(made.Conflicts) > 0 {
		return nil, fmt.Errorf("%s: %w", p.Name, made.Conflicts[0].Reason)
	}
	return made, err
}

// Accept does what the tool's own accept does: it writes the texts, as one change that the engine records, and
// removes the tool's file. It returns ErrGone or ErrChanged if the proposal is not as it was shown.
// Only a person may accept. The change is zero if the memories are as the proposal wants them already.
func Accept(ctx context.Context, store Store, by versions.By, w Waiting) (c versions.Change, err error) {
	if w.Plan == nil {
		return c, fmt.Errorf("accept %s: %w", w.Name, w.Err)
	}
	if !by.Person() {
		return c, fmt.Errorf("accept %s: %w", w.Name, versions.ErrPersonsOnly)
	}
	if err := w.asShown(); err != nil {
		return c, fmt.Errorf("accept %s: %w", w.Name, err)
	}
	unlock, err := lock(ctx, w.lock)
	if err != nil {
		return c, fmt.Errorf("accept %s: %w", w.Name, err)
	}
	c, err = store.AcceptProposed(ctx, by, w.Plan)
	unlock()
	var stale *versions.StalePlanError
	var conflicts *versions.ConflictsError
	switch {
	case errors.As(err, &stale) || errors.As(err, &conflicts):
		return c, fmt.Errorf("accept %s: %w", w.Name, ErrChanged)
	case err != nil:
		return c, fmt.Errorf("accept %s: %w", w.Name, err)
	}
	if err := w.remove(); err != nil {
		return c, fmt.Errorf("accept %s: it is applied, but its file stays: %w", w.Name, err)
	}
	return c, nil
}

// Reject does what the tool's own reject does: it removes the tool's file. The engine remembers the decision, and
// the lines that are not to come back. Only a person may reject.
func Reject(ctx context.Context, store Store, by versions.By, w Waiting, reason string) error {
	if !by.Person() {
		return fmt.Errorf("reject %s: %w", w.Name, versions.ErrPersonsOnly)
	}
	if err := w.asShown(); err != nil {
		return fmt.Errorf("reject %s: %w", w.Name, err)
	}
	if w.Plan != nil {
		if err := store.RejectProposed(ctx, by, w.Plan, reason); err != nil {
			return fmt.Errorf("reject %s: %w", w.Name, err)
		}
	}
	if err := w.remove(); err != nil {
		return fmt.Errorf("reject %s: %w", w.Name, err)
	}
	return nil
}

// asShown returns ErrGone or ErrChanged if the tool's file is not as it was read.
func (p *Proposal) asShown() error {
	b, _, err := content(p.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrGone
	case err != nil:
		return err
	case sha256.Sum256(b) != p.digest:
		return ErrChanged
	}
	return nil
}

func (p *Proposal) remove() error {
	if err := os.Remove(p.file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
