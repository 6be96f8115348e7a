package core

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/policy"
)

// HeldBack is the result of a decision to hold a change. It says what the change would do.
type HeldBack struct {
	By      versions.By
	Asked   Request
	inputs  versions.Inputs
	Rule    string
	earlier int64
	items   []tables.HeldItem
	Stored  []tables.StoredItem // instead of items: a change that was made on top of other texts
	Shared  []string            // the names that it has on the branch

	conflicts bool // see versions.HeldError
}

func (h *HeldBack) Error() string { return h.Asked.Path.Tool() + ": held for review" }

// decide decides about a planned mutation, before anything is written or sent. It is the only place
// that does, for stores of all kinds and for all doors. What a person does, or accepted, needs no
// policy that speaks of agents only, but rules may name persons too.
func (d *Mutation) decide() error {
	if d.Change == nil || d.Decided {
		return nil
	}
	g, err := d.Txn.governance(d.By.Session)
	if err != nil {
		return err
	}
	if g.pins {
		if err := d.refusePinned(); err != nil {
			return err
		}
	}
	if d.Accepts != nil {
		return nil
	}
	action, rule, path, err := d.ask(g.rules)
	if err != nil {
		return err
	}
	h := &HeldBack{By: d.By, Asked: d.Asked, inputs: d.Change.inputs, Rule: rule.Text}
	if action != policy.Deny && !d.By.Person() {
		if h.earlier, err = d.bringsBack(g.salt); err != nil {
			return err
		}
		if h.earlier != 0 && action == policy.Allow {
			action, h.Rule = policy.Hold, ""
		}
	}
	switch action {
	case policy.Deny:
		return &versions.DeniedError{Path: path, Why: fmt.Sprintf("line %d of the store's policy says %q", rule.Line, rule.Text)}
	case policy.Hold:
		if h.items, err = d.heldItems(); err != nil {
			return err
		}
		if len(h.items) == 0 {
			return &versions.DeniedError{Path: d.Asked.Path, Why: fmt.Sprintf("the store's policy says %q, and only changes of memories can wait for a person", rule.Text)}
		}
		return h
	}
	return nil
}

// MayAdministerStore rejects an act on a whole store, or a redaction, that its caller or the store's policy
// does not allow. Such an act can't be held.
func MayAdministerStore(ctx context.Context, t *Trail, by versions.By, id versions.StoreID, verb string) error {
	if err := t.MayAdminister(ctx, by); err != nil {
		return err
	}
	var row int64
	if err := t.DB.Row(ctx, `SELECT id FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(&row); err != nil {
		return tables.IgnoreNoRows(err) // the caller reports it
	}
	return View(ctx, t, func(q tables.Reader) error {
		p, err := tables.PolicyIn(q, row, by.Session)
		if err != nil {
			return err
		}
		in, err := tables.InputsOf(q.Row(tables.InputsBefore+` WHERE session=(`+tables.SessionNamed+`)`, string(by.Session)))
		if err != nil {
			return err
		}
		action, rule := p.Decide(policy.Act{Verb: verb, Paths: []string{memfs.Root.String()}, Person: by.Person(), Actor: by.Actor.Name, Title: by.Actor.Title, Door: by.Door.String(), After: in.Kinds()})
		if action == policy.Allow {
			return nil
		}
		return &versions.DeniedError{Path: memfs.Root, Why: fmt.Sprintf("line %d of the store's policy says %q, and a person has to do this", rule.Line, rule.Text)}
	})
}

// ask returns the strongest decision of a policy about the memories of the mutation, with its rule
// and the path of the memory.
func (d *Mutation) ask(p policy.Policy) (action policy.Action, rule policy.Rule, path memfs.Path, err error) {
	act := policy.Act{Person: d.By.Person(), Actor: d.By.Actor.Name, Title: d.By.Actor.Title, Door: d.By.Door.String(), After: d.Change.inputs.Kinds()}
	path = d.Asked.Path
	ask := func(at memfs.Path) {
		if a, r := p.Decide(act); a > action || rule.Line == 0 {
			action, rule, path = a, r, at
		}
	}
	for i := range d.Versions {
		v := &d.Versions[i]
		act.Verb, act.Paths, act.Findings = d.verbOf(v), []string{v.Path.String()}, nil
		if !v.Origin.IsRoot() {
			act.Paths = append(act.Paths, v.Origin.String())
		}
		if p.Asks("finding") {
			if act.Findings, err = d.findings(v); err != nil {
				return action, rule, path, err
			}
		}
		ask(v.Path)
	}
	if len(d.Versions) == 0 { // links, special files, empty folders
		act.Verb, act.Paths = verbs[d.Asked.Kind], []string{d.Asked.Path.String(), d.Asked.To.String()}
		ask(d.Asked.Path)
	}
	return action, rule, path, nil
}

// maxGuarded is the largest text that is searched for findings while the lock is held. A larger one counts
// as a finding by its size.
const maxGuarded = 256 << 10

// findings returns the kinds of what the guard finds in the text that the mutation adds to a memory.
func (d *Mutation) findings(v *VersionRow) (kinds []string, err error) {
	if v.Op == versions.Deleted || v.Blob == 0 {
		return nil, nil
	}
	before, after, err := d.texts(v)
	if err != nil || bytes.Equal(before, after) {
		return nil, err
	}
	if len(after) > maxGuarded {
		return []string{string(guard.Size)}, nil
	}
	return KindsOf(guard.Added(v.Path.String(), before, after)), nil
}

// KindsOf lists the kinds of findings, each once.
func KindsOf(found []guard.Finding) (kinds []string) {
	for _, f := range found {
		if kind := string(f.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// texts returns the text of a memory before the mutation and after it. The text before is empty if there is
// none, or if it can't be read.
func (d *Mutation) texts(v *VersionRow) (before, after []byte, err error) {
	if after, err = blobs.Get(d.Txn, v.Blob); err != nil {
		return nil, nil, err
	}
	now, err := tables.NowOf(d.Txn, v.Memory)
	if err != nil || !now.Live() {
		return nil, after, err
	}
	before, err = textUnlessErased(d.Txn, now)
	return before, after, err
}

// verbs are the words of policies for the kinds of changes.
var verbs = map[versions.ChangeKind]string{versions.KindCreate: "create", versions.KindEdit: "edit", versions.KindRename: "rename", versions.KindDelete: "delete",
	versions.KindRestore: "restore", versions.KindUndo: "undo", versions.KindRedo: "redo", versions.KindUndoHunks: "undo", versions.KindImport: "import"}

// verbOf returns what the mutation does to one memory, in the words of policies.
func (d *Mutation) verbOf(v *VersionRow) string {
	switch {
	case d.Asked.Kind != versions.KindEdit && d.Asked.Kind != versions.KindCreate:
		return verbs[d.Asked.Kind]
	case v.Op == versions.Created:
		return "create"
	case v.Op == versions.Deleted:
		return "delete"
	}
	return "edit"
}

// heldItems returns what the mutation does to each memory, apart from the transaction that it was
// planned in.
func (d *Mutation) heldItems() (out []tables.HeldItem, err error) {
	for _, v := range d.Versions {
		i := slices.IndexFunc(out, func(it tables.HeldItem) bool { return it.Row == v.Memory })
		if i < 0 { // else a later version of the same memory
			now, err := d.Txn.HeadOf(v.Memory)
			if err != nil {
				return nil, err
			}
			it := tables.HeldItem{Row: v.Memory, From: now.Path, Base: now.SHA, There: now.Live()}
			if err := d.Txn.Row(`SELECT uid FROM memory WHERE id=?`, v.Memory).Scan(&it.Memory); err != nil {
				return nil, err
			}
			i, out = len(out), append(out, it)
		}
		it := &out[i]
		it.Path, it.Gone, it.Text = v.Path, v.Op == versions.Deleted, nil
		if !it.Gone && !(it.There && v.Facts.SHA == it.Base) {
			text, err := blobs.Get(d.Txn, v.Blob)
			if err != nil {
				return nil, err
			}
			it.Text = versions.NonNil(text)
		}
	}
	return out, nil
}
