package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
)

// planTree gives a plan access to the folder. It records what the plan reads, so that a
// write fails if another program changes that meanwhile.
type planTree struct {
	*memfs.Dir
	read map[memfs.Path]Hash
}

func (t planTree) Read(p memfs.Path, max int64) ([]byte, memfs.Sig, error) {
	b, g, err := t.Dir.Read(p, max)
	if err == nil {
		t.read[p] = sum(b)
	}
	return b, g, err
}

// tree returns the tree through which the mutation reads.
func (d *mutation) tree() planTree {
	if d.read == nil {
		d.read = map[memfs.Path]Hash{}
	}
	return planTree{d.x.s.dir, d.read}
}

// follow adds the operations of a memfs plan to the mutation.
func (d *mutation) follow(a request, p memfs.Plan) error {
	d.asked = a
	if err := d.withinLimits(p); err != nil {
		return err
	}
	if a.kind != KindImport { // it brings names as they were
		if err := d.refuseAlike(p); err != nil {
			return err
		}
	}
	for _, op := range p.Ops {
		var err error
		switch op.Kind {
		case memfs.OpPut:
			err = d.put(op.Path, op.Content, 0, 0)
		case memfs.OpRename:
			err = d.move(op.Path, op.To)
		case memfs.OpRemove:
			err = d.remove(op.Path)
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
func (s *Store) Write(ctx context.Context, by By, p memfs.Path, content []byte, pre Pre) (Change, error) {
	return s.write(ctx, by, KindEdit, p, content, pre)
}

// RestoreText is Write for a content that restores earlier lines of the memory. The change is a
// restore.
func (s *Store) RestoreText(ctx context.Context, by By, p memfs.Path, content []byte, pre Pre) (Change, error) {
	return s.write(ctx, by, KindRestore, p, content, pre)
}

func (s *Store) write(ctx context.Context, by By, kind ChangeKind, p memfs.Path, content []byte, pre Pre) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := memfs.PlanWrite(d.tree(), p, content)
		if err != nil {
			return err
		}
		if err := d.check(plan.Ops[0].Path, pre); err != nil {
			return err
		}
		return d.follow(request{kind: kind, path: p}, plan)
	})
}

// check tests a precondition against the current file.
func (d *mutation) check(p memfs.Path, pre Pre) error {
	if pre == (Pre{}) {
		return nil
	}
	h, err := d.current(p)
	if err != nil {
		return err
	}
	if pre.Absent && h.live() || pre.SHA256 != (Hash{}) && h.sha != pre.SHA256 {
		return &ConflictError{Path: p, Want: pre.SHA256, Now: h.sha}
	}
	return nil
}

// Edit is a new text for the memory at Path, if it still has the content Was.
type Edit struct {
	Path memfs.Path
	Was  Hash
	Text []byte
}

// Rename moves a memory, a folder or a link. The destination must be free. The edits of other memories, which stay at
// their paths, belong to the same change.
func (s *Store) Rename(ctx context.Context, by By, from, to memfs.Path, edits ...Edit) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := memfs.PlanRename(d.tree(), from, to)
		if err != nil {
			return err
		}
		for _, e := range edits {
			edit, err := memfs.PlanWrite(d.tree(), e.Path, e.Text)
			if err != nil {
				return err
			}
			if err := d.check(edit.Ops[0].Path, Pre{SHA256: e.Was}); err != nil {
				return err
			}
			plan.Ops = append(plan.Ops, edit.Ops...)
		}
		return d.follow(request{kind: KindRename, path: from, to: to}, plan)
	})
}

// Move moves memories, folders and links into a folder as one change. They keep their
// names, which must be free in the folder. What is in the folder already stays.
func (s *Store) Move(ctx context.Context, by By, into memfs.Path, paths ...memfs.Path) (Change, error) {
	to := map[memfs.Path]memfs.Path{}
	taken := map[memfs.Path]bool{}
	a := request{kind: KindEdit, path: into} // several paths have no common name before and after
	for _, from := range paths {
		p, err := into.Join(from.Base())
		if err != nil {
			return Change{}, err
		}
		if p == from {
			continue
		}
		if taken[p] {
			return Change{}, fmt.Errorf("move %s to %s: %w", from.Tool(), into.Tool(), memfs.ErrExist)
		}
		taken[p], to[from] = true, p
		a.path = common([]memfs.Path{a.path, from})
	}
	if len(to) == 0 {
		return Change{}, fmt.Errorf("move to %s: %w", into.Tool(), ErrNothing)
	}
	return s.mutate(ctx, by, func(d *mutation) error {
		for _, from := range paths {
			p, moves := to[from]
			if !moves {
				continue
			}
			plan, err := memfs.PlanRename(d.tree(), from, p)
			if err != nil {
				return err
			}
			if len(to) == 1 {
				a = request{kind: KindRename, path: from, to: p}
			}
			if err := d.follow(a, plan); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete deletes memories, folders with everything in them, links and special files, as
// one change.
func (s *Store) Delete(ctx context.Context, by By, paths ...memfs.Path) (Change, error) {
	return s.mutate(ctx, by, func(d *mutation) error {
		plan, err := memfs.PlanDelete(d.tree(), paths...)
		if err != nil {
			return err
		}
		return d.follow(request{kind: KindDelete, path: common(paths)}, plan)
	})
}

// common returns the path itself, or the deepest folder that contains all of them.
func common(paths []memfs.Path) memfs.Path {
	if len(paths) == 0 {
		return memfs.Root
	}
	c := paths[0]
	for _, p := range paths[1:] {
		for !p.In(c) {
			c = c.Dir()
		}
	}
	return c
}

// errAnswered ends a plan that only answers the model and changes nothing.
var errAnswered = errors.New("answered")

// Tool runs one command of the memory tool and returns its answer to the model. An error
// means that the store itself failed; a mistake of the model is a Result.
func (s *Store) Tool(ctx context.Context, by By, c memfs.Command, o memfs.Options) (memfs.Result, Change, error) {
	if _, ok := c.(memfs.View); ok {
		res, err := s.show(ctx, by, c, o, memfs.Root, s.folder())
		return res, Change{}, err
	}
	return s.tool(ctx, by, c, o, memfs.Root, func(d *mutation) memfs.Tree { return d.tree() })
}

// tool runs a command that changes something, on a tree where this store is mounted at
// mount.
func (s *Store) tool(ctx context.Context, by By, c memfs.Command, o memfs.Options, mount memfs.Path, tree func(*mutation) memfs.Tree) (memfs.Result, Change, error) {
	var res memfs.Result
	rejected, err := s.rejectedSince(ctx, by.Session)
	if err != nil {
		return res, Change{}, err
	}
	done, err := s.mutate(ctx, by, func(d *mutation) error {
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
		return d.follow(askedBy(plan), plan)
	})
	if errors.Is(err, errAnswered) {
		if res.IsError {
			res.Text += s.exactName(ctx, c, mount)
		}
		return res, Change{}, nil
	}
	if err != nil {
		res, err = answer(c, err)
	}
	res.Text += rejected
	return res, done, err
}

// maxRepeats is how many changes of a session are searched for a call that is sent again. It comes soon.
const maxRepeats = 500

// repeats returns the change that the same call of the session made; 0 if there is none. A client sends a call again if
// it lost the answer. Some use an id again for another command.
func (d *mutation) repeats(c memfs.Command, mount memfs.Path) (n int64, err error) {
	paths, err := memfs.Paths(c)
	outside := func(p memfs.Path) bool { return !p.In(mount) }
	if d.by.Session == "" || d.by.ToolUse == "" || err != nil || slices.ContainsFunc(paths, outside) { // Apply says what is wrong with the path
		return 0, nil
	}
	kinds := []ChangeKind{KindEdit, KindEdit}
	switch c.(type) {
	case memfs.Create:
		kinds[0] = KindCreate
	case memfs.Delete:
		kinds = []ChangeKind{KindDelete, KindDelete}
	case memfs.Rename:
		kinds = []ChangeKind{KindRename, KindRename}
	}
	to := memfs.Root
	if len(paths) > 1 {
		to = paths[1].Move(mount, memfs.Root)
	}
	err = d.x.Row(`SELECT number FROM (SELECT * FROM change WHERE session=(SELECT id FROM session WHERE uid=?) ORDER BY id DESC LIMIT ?)
		WHERE tool_use=? AND store=? AND path=? AND dest=? AND kind IN (?,?) LIMIT 1`, string(d.by.Session), maxRepeats,
		d.by.ToolUse, d.x.s.id, key(paths[0].Move(mount, memfs.Root)), key(to), string(kinds[0]), string(kinds[1])).Scan(&n)
	return n, ignoreNoRows(err)
}

// show answers a view, within the store's limit unless o has its own, and records that the
// memory was read.
func (s *Store) show(ctx context.Context, by By, c memfs.Command, o memfs.Options, mount memfs.Path, tree memfs.Tree) (memfs.Result, error) {
	if o.ViewChars == 0 {
		var err error
		if o.ViewChars, err = s.viewChars(ctx); err != nil {
			return memfs.Result{}, err
		}
	}
	plan, res, err := memfs.Apply(tree, c, o)
	if err == nil && res.IsError { // a folder that is gone has no memory, but that is not why
		var d *memfs.Dir
		if d, err = s.openDir(s.folder().Names()); err == nil {
			err = d.Close()
		}
	}
	if err != nil {
		return answer(c, err)
	}
	if res.IsError {
		res.Text += s.exactName(ctx, c, mount)
	}
	if plan.Act == memfs.ActView {
		s.note(noted{s: s, path: plan.Path.Move(mount, memfs.Root), by: by})
	}
	return res, nil
}

// unfinishedForModels is ErrUnfinished worded for a model.
const unfinishedForModels = "It is recorded and will be finished when the memory can be written again: do not repeat it. View the memory before you go on."

// answer turns a failure of the folder into a result for the model, and returns a failure
// of the trail as an error.
func answer(c memfs.Command, err error) (memfs.Result, error) {
	if errors.Is(err, ErrUnfinished) {
		return memfs.Refused(c, "the disk refused it half way. "+unfinishedForModels), nil
	}
	if le := (*LimitError)(nil); errors.As(err, &le) {
		return le.result(c), nil
	}
	if alike := (*AlikeError)(nil); errors.As(err, &alike) {
		return memfs.Refused(c, alike.why()+". Use exactly that name."), nil
	}
	var held *HeldError
	var denied *DeniedError
	var big *TooBigError
	var op *memfs.OpError
	switch { // the result names the path
	case errors.As(err, &big):
		return memfs.Refused(c, inside(c, big.Path)+big.why()), nil
	case (errors.Is(err, ErrNotUndoable) || errors.Is(err, memfs.ErrControlFile)) && errors.As(err, &op):
		return memfs.Refused(c, inside(c, op.Path)+op.Err.Error()), nil
	case errors.As(err, &held):
		return memfs.Refused(c, held.What()), nil
	case errors.As(err, &denied):
		return memfs.Refused(c, "denied: "+denied.Why), nil
	}
	for _, refused := range []error{ErrReadOnly, ErrReadingOnly, ErrUnattached, ErrNoUpstream, ErrArchived} {
		if errors.Is(err, refused) {
			return memfs.Refused(c, refused.Error()), nil
		}
	}
	if errors.As(err, new(*UpstreamError)) || errors.As(err, new(*HostedRefusal)) || errors.As(err, new(*PartlyError)) {
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
func askedBy(p memfs.Plan) request {
	last := p.Ops[len(p.Ops)-1] // for a folder's removal, the folder itself
	switch last.Kind {
	case memfs.OpRename:
		return request{kind: KindRename, path: last.Path, to: last.To}
	case memfs.OpRemove:
		return request{kind: KindDelete, path: last.Path}
	}
	return request{kind: KindEdit, path: last.Path}
}
