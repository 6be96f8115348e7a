package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// PlanTree gives a plan access to the folder. It records what the plan reads, so that a
// write fails if another program changes that meanwhile.
type PlanTree struct {
	*memfs.Dir
	read map[memfs.Path]versions.Hash
}

// Read reads a file and notes its hash.
func (t PlanTree) Read(p memfs.Path, max int64) ([]byte, memfs.Sig, error) {
	b, g, err := t.Dir.Read(p, max)
	if err == nil {
		t.read[p] = versions.Sum(b)
	}
	return b, g, err
}

// Tree returns the tree through which the mutation reads.
func (d *Mutation) Tree() PlanTree {
	if d.read == nil {
		d.read = map[memfs.Path]versions.Hash{}
	}
	return PlanTree{d.Txn.Store.Dir, d.read}
}

// Follow adds the operations of a memfs plan to the mutation.
func (d *Mutation) Follow(a Request, p memfs.Plan) error {
	d.Asked = a
	if err := d.WithinLimits(p); err != nil {
		return err
	}
	if a.Kind != versions.KindImport { // it brings names as they were
		if err := d.refuseAlike(p); err != nil {
			return err
		}
	}
	for _, op := range p.Ops {
		var err error
		switch op.Kind {
		case memfs.OpPut:
			err = d.Put(op.Path, op.Content, 0, 0)
		case memfs.OpRename:
			err = d.Move(op.Path, op.To)
		case memfs.OpRemove:
			err = d.Remove(op.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Write creates or replaces the memory at p if the precondition holds. If the content is
// the same, it makes no change and returns a zero Change without an error. A
// *ConflictError says what p holds instead.
func (s *Store) Write(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error) {
	return s.write(ctx, by, versions.KindEdit, p, content, pre)
}

// RestoreText is Write for a content that restores earlier lines of the memory. The change is a
// restore.
func (s *Store) RestoreText(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error) {
	return s.write(ctx, by, versions.KindRestore, p, content, pre)
}

func (s *Store) write(ctx context.Context, by versions.By, kind versions.ChangeKind, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error) {
	return Mutate(ctx, s, by, func(d *Mutation) error {
		plan, err := memfs.PlanWrite(d.Tree(), p, content)
		if err != nil {
			return err
		}
		if err := d.Check(plan.Ops[0].Path, pre); err != nil {
			return err
		}
		return d.Follow(Request{Kind: kind, Path: p}, plan)
	})
}

// Check tests a precondition against the current file.
func (d *Mutation) Check(p memfs.Path, pre versions.Pre) error {
	if pre == (versions.Pre{}) {
		return nil
	}
	h, err := d.Current(p)
	if err != nil {
		return err
	}
	if pre.Absent && h.Live() || pre.SHA256 != (versions.Hash{}) && h.SHA != pre.SHA256 {
		return &versions.ConflictError{Path: p, Want: pre.SHA256, Now: h.SHA}
	}
	return nil
}

// Rename moves a memory, a folder or a link. The destination must be free. The edits of other memories, which stay at
// their paths, belong to the same change.
func (s *Store) Rename(ctx context.Context, by versions.By, from, to memfs.Path, edits ...versions.Edit) (versions.Change, error) {
	return Mutate(ctx, s, by, func(d *Mutation) error {
		plan, err := memfs.PlanRename(d.Tree(), from, to)
		if err != nil {
			return err
		}
		for _, e := range edits {
			edit, err := memfs.PlanWrite(d.Tree(), e.Path, e.Text)
			if err != nil {
				return err
			}
			if err := d.Check(edit.Ops[0].Path, versions.Pre{SHA256: e.Was}); err != nil {
				return err
			}
			plan.Ops = append(plan.Ops, edit.Ops...)
		}
		return d.Follow(Request{Kind: versions.KindRename, Path: from, To: to}, plan)
	})
}

// Move moves memories, folders and links into a folder as one change. They keep their
// names, which must be free in the folder. What is in the folder already stays.
func (s *Store) Move(ctx context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (versions.Change, error) {
	to := map[memfs.Path]memfs.Path{}
	taken := map[memfs.Path]bool{}
	a := Request{Kind: versions.KindEdit, Path: into} // several paths have no common name before and after
	for _, from := range paths {
		p, err := into.Join(from.Base())
		if err != nil {
			return versions.Change{}, err
		}
		if p == from {
			continue
		}
		if taken[p] {
			return versions.Change{}, fmt.Errorf("move %s to %s: %w", from.Tool(), into.Tool(), memfs.ErrExist)
		}
		taken[p], to[from] = true, p
		a.Path = versions.Common([]memfs.Path{a.Path, from})
	}
	if len(to) == 0 {
		return versions.Change{}, fmt.Errorf("move to %s: %w", into.Tool(), versions.ErrNothing)
	}
	return Mutate(ctx, s, by, func(d *Mutation) error {
		for _, from := range paths {
			p, moves := to[from]
			if !moves {
				continue
			}
			plan, err := memfs.PlanRename(d.Tree(), from, p)
			if err != nil {
				return err
			}
			if len(to) == 1 {
				a = Request{Kind: versions.KindRename, Path: from, To: p}
			}
			if err := d.Follow(a, plan); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete deletes memories, folders with everything in them, links and special files, as
// one change.
func (s *Store) Delete(ctx context.Context, by versions.By, paths ...memfs.Path) (versions.Change, error) {
	return Mutate(ctx, s, by, func(d *Mutation) error {
		plan, err := memfs.PlanDelete(d.Tree(), paths...)
		if err != nil {
			return err
		}
		return d.Follow(Request{Kind: versions.KindDelete, Path: versions.Common(paths)}, plan)
	})
}

// errAnswered ends a plan that only answers the model and changes nothing.
var errAnswered = errors.New("answered")

// Tool runs one command of the memory tool and returns its answer to the model. An error
// means that the store itself failed; a mistake of the model is a Result.
func (s *Store) Tool(ctx context.Context, by versions.By, c memfs.Command, o memfs.Options) (memfs.Result, versions.Change, error) {
	if _, ok := c.(memfs.View); ok {
		res, err := Show(ctx, s, by, c, o, memfs.Root, Folder(s))
		return res, versions.Change{}, err
	}
	return RunTool(ctx, s, by, c, o, memfs.Root, func(d *Mutation) memfs.Tree { return d.Tree() })
}

// RunTool runs a command that changes something, on a tree where this store is mounted at
// mount.
func RunTool(ctx context.Context, s *Store, by versions.By, c memfs.Command, o memfs.Options, mount memfs.Path, tree func(*Mutation) memfs.Tree) (memfs.Result, versions.Change, error) {
	var res memfs.Result
	rejected, err := s.rejectedSince(ctx, by.Session)
	if err != nil {
		return res, versions.Change{}, err
	}
	done, err := Mutate(ctx, s, by, func(d *Mutation) error {
		n, err := d.repeats(c, mount)
		if err != nil {
			return err
		}
		if n > 0 {
			res = memfs.Result{Text: fmt.Sprintf("The call %s was done already, as change %d. Nothing was written again.", by.ToolUse, n)}
			return errAnswered
		}
		var plan memfs.Plan
		if plan, res, err = memfs.Apply(tree(d), c, o); err != nil {
			return err
		}
		if res.IsError || len(plan.Ops) == 0 {
			return errAnswered
		}
		for i := range plan.Ops {
			op := &plan.Ops[i]
			op.Path = op.Path.Move(mount, memfs.Root)
			if op.Kind == memfs.OpRename {
				op.To = op.To.Move(mount, memfs.Root)
			}
		}
		return d.Follow(askedBy(plan), plan)
	})
	if errors.Is(err, errAnswered) {
		if res.IsError {
			res.Text += s.exactName(ctx, c, mount)
		}
		return res, versions.Change{}, nil
	}
	tell := err == nil || errors.As(err, new(*versions.HeldError)) // a refusal leaves the session as it was: it would be told again
	if err != nil {
		res, err = Answer(c, err)
	}
	if tell {
		res.Text += rejected
	}
	return res, done, err
}

// maxRepeats is how many changes of a session are searched for a call that is sent again. It comes soon.
const maxRepeats = 500

// repeats returns the change that the same call of the session made; 0 if there is none. A client sends a call again if
// it lost the answer. Some use an id again for another command.
func (d *Mutation) repeats(c memfs.Command, mount memfs.Path) (n int64, err error) {
	paths, err := memfs.Paths(c)
	outside := func(p memfs.Path) bool { return !p.In(mount) }
	if d.By.Session == "" || d.By.ToolUse == "" || err != nil || slices.ContainsFunc(paths, outside) { // Apply says what is wrong with the path
		return 0, nil
	}
	kinds := []versions.ChangeKind{versions.KindEdit, versions.KindEdit}
	switch c.(type) {
	case memfs.Create:
		kinds[0] = versions.KindCreate
	case memfs.Delete:
		kinds = []versions.ChangeKind{versions.KindDelete, versions.KindDelete}
	case memfs.Rename:
		kinds = []versions.ChangeKind{versions.KindRename, versions.KindRename}
	}
	to := memfs.Root
	if len(paths) > 1 {
		to = paths[1].Move(mount, memfs.Root)
	}
	err = d.Txn.Row(`SELECT number FROM (SELECT * FROM change WHERE session=(SELECT id FROM session WHERE uid=?) ORDER BY id DESC LIMIT ?)
		WHERE tool_use=? AND store=? AND path=? AND dest=? AND kind IN (?,?) LIMIT 1`, string(d.By.Session), maxRepeats,
		d.By.ToolUse, d.Txn.Store.Row, versions.Key(paths[0].Move(mount, memfs.Root)), versions.Key(to), string(kinds[0]), string(kinds[1])).Scan(&n)
	return n, tables.IgnoreNoRows(err)
}

// Show answers a view, within the store's limit unless o has its own, and records that the
// memory was read.
func Show(ctx context.Context, s *Store, by versions.By, c memfs.Command, o memfs.Options, mount memfs.Path, tree memfs.Tree) (memfs.Result, error) {
	if o.ViewChars == 0 {
		var err error
		if o.ViewChars, err = s.viewChars(ctx); err != nil {
			return memfs.Result{}, err
		}
	}
	plan, res, err := memfs.Apply(tree, c, o)
	if err == nil && res.IsError { // a folder that is gone has no memory, but that is not why
		var d *memfs.Dir
		if d, err = s.openDir(Folder(s).Names()); err == nil {
			err = d.Close()
		}
	}
	if err != nil {
		return Answer(c, err)
	}
	if res.IsError {
		res.Text += s.exactName(ctx, c, mount)
	}
	if plan.Act == memfs.ActView {
		note(s, Noted{store: s, path: plan.Path.Move(mount, memfs.Root), by: by})
	}
	return res, nil
}

// unfinishedForModels is ErrUnfinished worded for a model.
const unfinishedForModels = "It is recorded and will be finished when the memory can be written again: do not repeat it. View the memory before you go on."

// Answer turns a failure of the folder into a result for the model, and returns a failure
// of the trail as an error.
func Answer(c memfs.Command, err error) (memfs.Result, error) {
	if errors.Is(err, versions.ErrUnfinished) {
		return memfs.Refused(c, "the disk refused it half way. "+unfinishedForModels), nil
	}
	if le := (*versions.LimitError)(nil); errors.As(err, &le) {
		return le.Result(c), nil
	}
	if alike := (*versions.AlikeError)(nil); errors.As(err, &alike) {
		return memfs.Refused(c, alike.Why()+". Use exactly that name."), nil
	}
	var held *versions.HeldError
	var denied *versions.DeniedError
	var big *versions.TooBigError
	var op *memfs.OpError
	switch { // the result names the path
	case errors.As(err, &big):
		return memfs.Refused(c, inside(c, big.Path)+big.Why()), nil
	case (errors.Is(err, versions.ErrNotUndoable) || errors.Is(err, memfs.ErrControlFile)) && errors.As(err, &op):
		return memfs.Refused(c, inside(c, op.Path)+op.Err.Error()), nil
	case errors.As(err, &held):
		return memfs.Refused(c, held.What()), nil
	case errors.As(err, &denied):
		return memfs.Refused(c, "denied: "+denied.Why), nil
	}
	for _, refused := range []error{versions.ErrReadOnly, versions.ErrReadingOnly, versions.ErrUnattached, versions.ErrNoUpstream, versions.ErrArchived} {
		if errors.Is(err, refused) {
			return memfs.Refused(c, refused.Error()), nil
		}
	}
	if errors.As(err, new(*versions.UpstreamError)) || errors.As(err, new(*versions.HostedRefusal)) || errors.As(err, new(*versions.PartlyError)) {
		return memfs.Refused(c, err.Error()), nil // of a hosted store's service: for an agent that is an answer
	}
	if memfs.Is(err, memfs.OnlyPath|memfs.Busy) || errors.Is(err, memfs.ErrNoSpace) {
		return memfs.ResultOf(err, c), nil
	}
	return memfs.Result{}, err
}

// inside names a path that a command's result does not, because the command is about a folder above.
func inside(c memfs.Command, p memfs.Path) string {
	paths, err := memfs.Paths(c)
	if err != nil || slices.Contains(paths, p) {
		return ""
	}
	return p.Tool() + ": "
}

// askedBy returns the request that a command's plan amounts to.
func askedBy(p memfs.Plan) Request {
	last := p.Ops[len(p.Ops)-1] // for a folder's removal, the folder itself
	switch last.Kind {
	case memfs.OpRename:
		return Request{Kind: versions.KindRename, Path: last.Path, To: last.To}
	case memfs.OpRemove:
		return Request{Kind: versions.KindDelete, Path: last.Path}
	}
	return Request{Kind: versions.KindEdit, Path: last.Path}
}
