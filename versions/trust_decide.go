package versions

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/guard"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/policy"
)

// HeldError reports a change that waits until a person accepts it. Nothing was written.
type HeldError struct {
	Number  int64 // of the held change, in the home; 0 after a rehearsal
	Path    memfs.Path
	Rule    string // of the policy; empty if Earlier is set
	Earlier *Rejection
}

// Rejection is an earlier decision against the same text.
type Rejection struct {
	Number int64 // of the held change that was rejected
	Reason string
}

func (e *HeldError) Error() string { return e.Path.Tool() + ": " + e.What() }

// What says what became of the change, without its path.
func (e *HeldError) What() string {
	if e.Number == 0 {
		return "it would be held for review, and written when a person accepts it"
	}
	s := fmt.Sprintf("held for review as #%d: nothing is written until a person accepts it", e.Number)
	if e.Earlier != nil {
		s += fmt.Sprintf("; it brings back text that was rejected as #%d", e.Earlier.Number)
		if e.Earlier.Reason != "" {
			s += ": " + e.Earlier.Reason
		}
	}
	return s
}

// DeniedError reports a change that the policy of the store denies, or that a pin prevents. Nothing
// was written.
type DeniedError struct {
	Path memfs.Path
	Why  string
}

func (e *DeniedError) Error() string { return fmt.Sprintf("%s: denied: %s", e.Path.Tool(), e.Why) }

// heldBack is the result of a decision to hold a change. It says what the change would do.
type heldBack struct {
	by      By
	asked   request
	inputs  Inputs
	rule    string
	earlier int64
	items   []heldItem
	stored  []storedItem // instead of items: a change that was made on top of other texts
	shared  []string     // the names that it has on the branch
}

func (h *heldBack) Error() string { return h.asked.path.Tool() + ": held for review" }

// decide decides about a planned mutation, before anything is written or sent. It is the only place
// that does, for stores of all kinds and for all doors. What a person does, or accepted, needs no
// policy that speaks of agents only, but rules may name persons too.
func (d *mutation) decide() error {
	if d.c == nil || d.decided {
		return nil
	}
	g, err := d.x.governance(d.by.Session)
	if err != nil {
		return err
	}
	if g.pins {
		if err := d.refusePinned(); err != nil {
			return err
		}
	}
	if d.accepts != nil {
		return nil
	}
	action, rule, path, err := d.ask(g.rules)
	if err != nil {
		return err
	}
	h := &heldBack{by: d.by, asked: d.asked, inputs: d.c.inputs, rule: rule.Text}
	if action != policy.Deny && !d.by.Person() {
		if h.earlier, err = d.bringsBack(g.salt); err != nil {
			return err
		}
		if h.earlier != 0 && action == policy.Allow {
			action, h.rule = policy.Hold, ""
		}
	}
	switch action {
	case policy.Deny:
		return &DeniedError{Path: path, Why: fmt.Sprintf("line %d of the store's policy says %q", rule.Line, rule.Text)}
	case policy.Hold:
		if h.items, err = d.heldItems(); err != nil {
			return err
		}
		if len(h.items) == 0 {
			return &DeniedError{Path: d.asked.path, Why: fmt.Sprintf("the store's policy says %q, and only changes of memories can wait for a person", rule.Text)}
		}
		return h
	}
	return nil
}

// mayAdminister rejects an act on a whole store, or a redaction, that its caller or the store's policy
// does not allow. Such an act can't be held.
func (t *Trail) mayAdminister(ctx context.Context, by By, id StoreID, verb string) error {
	if err := t.MayAdminister(ctx, by); err != nil {
		return err
	}
	var row int64
	if err := t.db.Row(ctx, `SELECT id FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(&row); err != nil {
		return ignoreNoRows(err) // the caller reports it
	}
	return t.view(ctx, func(q reader) error {
		p, err := policyIn(q, row, by.Session)
		if err != nil {
			return err
		}
		in, err := inputsOf(q.Row(inputsBefore+` WHERE session=(`+sessionNamed+`)`, string(by.Session)))
		if err != nil {
			return err
		}
		action, rule := p.Decide(policy.Act{Verb: verb, Paths: []string{memfs.Root.String()}, Person: by.Person(), Actor: by.Actor.Name, Door: by.Door.String(), After: in.Kinds()})
		if action == policy.Allow {
			return nil
		}
		return &DeniedError{Path: memfs.Root, Why: fmt.Sprintf("line %d of the store's policy says %q, and a person has to do this", rule.Line, rule.Text)}
	})
}

// ask returns the strongest decision of a policy about the memories of the mutation, with its rule
// and the path of the memory.
func (d *mutation) ask(p policy.Policy) (action policy.Action, rule policy.Rule, path memfs.Path, err error) {
	act := policy.Act{Person: d.by.Person(), Actor: d.by.Actor.Name, Door: d.by.Door.String(), After: d.c.inputs.Kinds()}
	path = d.asked.path
	ask := func(at memfs.Path) {
		if a, r := p.Decide(act); a > action || rule.Line == 0 {
			action, rule, path = a, r, at
		}
	}
	for i := range d.versions {
		v := &d.versions[i]
		act.Verb, act.Paths, act.Findings = d.verbOf(v), []string{v.path.String()}, nil
		if !v.origin.IsRoot() {
			act.Paths = append(act.Paths, v.origin.String())
		}
		if p.Asks("finding") {
			if act.Findings, err = d.findings(v); err != nil {
				return action, rule, path, err
			}
		}
		ask(v.path)
	}
	if len(d.versions) == 0 { // links, special files, empty folders
		act.Verb, act.Paths = verbs[d.asked.kind], []string{d.asked.path.String(), d.asked.to.String()}
		ask(d.asked.path)
	}
	return action, rule, path, nil
}

// maxGuarded is the largest text that is searched for findings while the lock is held. A larger one counts
// as a finding by its size.
const maxGuarded = 256 << 10

// findings returns the kinds of what the guard finds in the text that the mutation adds to a memory.
func (d *mutation) findings(v *versionRow) (kinds []string, err error) {
	if v.op == Deleted || v.blob == 0 {
		return nil, nil
	}
	before, after, err := d.texts(v)
	if err != nil || bytes.Equal(before, after) {
		return nil, err
	}
	if len(after) > maxGuarded {
		return []string{string(guard.Size)}, nil
	}
	return kindsOf(guard.Added(v.path.String(), before, after)), nil
}

func kindsOf(found []guard.Finding) (kinds []string) {
	for _, f := range found {
		if kind := string(f.Kind); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// texts returns the text of a memory before the mutation and after it. The text before is empty if there is
// none, or if it can't be read.
func (d *mutation) texts(v *versionRow) (before, after []byte, err error) {
	if after, err = blobs.Get(d.x, v.blob); err != nil {
		return nil, nil, err
	}
	now, err := nowOf(d.x, v.memory)
	if err != nil || !now.Live() {
		return nil, after, err
	}
	before, err = textUnlessErased(d.x, now)
	return before, after, err
}

// verbs are the words of policies for the kinds of changes.
var verbs = map[ChangeKind]string{KindCreate: "create", KindEdit: "edit", KindRename: "rename", KindDelete: "delete",
	KindRestore: "restore", KindUndo: "undo", KindRedo: "redo", KindImport: "import"}

// verbOf returns what the mutation does to one memory, in the words of policies.
func (d *mutation) verbOf(v *versionRow) string {
	switch {
	case d.asked.kind != KindEdit && d.asked.kind != KindCreate:
		return verbs[d.asked.kind]
	case v.op == Created:
		return "create"
	case v.op == Deleted:
		return "delete"
	}
	return "edit"
}

// heldItems returns what the mutation does to each memory, apart from the transaction that it was
// planned in.
func (d *mutation) heldItems() (out []heldItem, err error) {
	for _, v := range d.versions {
		i := slices.IndexFunc(out, func(it heldItem) bool { return it.row == v.memory })
		if i < 0 { // else a later version of the same memory
			now, err := d.x.headOf(v.memory)
			if err != nil {
				return nil, err
			}
			it := heldItem{row: v.memory, from: now.path, base: now.sha, there: now.live()}
			if err := d.x.Row(`SELECT uid FROM memory WHERE id=?`, v.memory).Scan(&it.memory); err != nil {
				return nil, err
			}
			i, out = len(out), append(out, it)
		}
		it := &out[i]
		it.path, it.gone, it.text = v.path, v.op == Deleted, nil
		if !it.gone && !(it.there && v.facts.sha == it.base) {
			text, err := blobs.Get(d.x, v.blob)
			if err != nil {
				return nil, err
			}
			it.text = nonNil(text)
		}
	}
	return out, nil
}
