package memfs

import (
	"errors"
	"slices"
	"strings"
)

// Tree is the part of a folder that planning needs; *Dir implements it.
type Tree interface {
	Lstat(Path) (Info, error)
	Resolve(Path) (Path, Info, error)
	Read(p Path, maxBytes int64) ([]byte, Sig, error)
	// List returns the folder's entries in byte order, and the number of other entries
	// whose name no Path can hold.
	List(Path) (entries []Info, unnamed int, err error)
}

// Act is the kind of a plan.
type Act string

const (
	ActCreate Act = "create"
	ActEdit   Act = "edit"
	ActRename Act = "rename"
	ActDelete Act = "delete"
	ActView   Act = "view" // of a file; nothing changes
)

// Plan is the list of steps that a command needs. Its paths contain no link. A plan without
// steps changes nothing.
type Plan struct {
	Act  Act
	Path Path // the object
	To   Path // the destination of ActRename
	Ops  []Op // in order
}

// OpKind is the kind of one step.
type OpKind int

const (
	OpPut    OpKind = iota // create or replace the file at Path
	OpRename               // move the file, link or whole folder at Path to To
	OpRemove               // remove the file, link, special file or empty folder at Path
	OpFolder               // create the folder at Path; no command plans this and the next
	OpLink                 // create a link at Path
)

// Op is one step of a plan. Each can be repeated after an interruption, and none is
// recursive. OpPut and OpRename create missing parent folders.
type Op struct {
	Kind      OpKind
	Path, To  Path
	Content   []byte
	MustBeNew bool // OpPut: fail if anything exists at Path
	Was       Info // the entry that was planned for: the file replaced, moved or removed; zero for a new one
}

// locate follows the links above p's last segment and returns the resulting path and its
// entry. A missing entry is ErrNotExist, with the path where it would be.
func locate(t Tree, p Path) (Path, Info, error) {
	if p.IsRoot() {
		info, err := t.Lstat(p)
		return p, info, err
	}
	folder, info, err := t.Resolve(p.Dir())
	if err != nil && !errors.Is(err, ErrNotExist) {
		return Path{}, Info{}, err
	}
	if err == nil && info.Kind != Folder {
		return Path{}, Info{}, fail("follow", p, ErrNotFolder)
	}
	at, named := folder.child(p.Base())
	if !named || err != nil && folder.IsRoot() { // where the folder would be can't be known
		return Path{}, Info{}, fail("follow", p, ErrNotExist)
	}
	if err != nil {
		return at, Info{}, err
	}
	info, err = t.Lstat(at)
	return at, info, err
}

// PlanWrite plans to create the file at p or to replace an existing one; through a link that
// stays inside, its target.
func PlanWrite(t Tree, p Path, content []byte) (Plan, error) {
	if p.IsRoot() {
		return Plan{}, fail("write", p, ErrIsFolder)
	}
	at, info, err := locate(t, p)
	if err == nil && info.Kind == Link {
		at, info, err = t.Resolve(at)
	}
	if errors.Is(err, ErrNotExist) && !at.IsRoot() {
		return planCreate(at, content)
	}
	if err != nil {
		return Plan{}, err
	}
	switch info.Kind {
	case File:
		return planEdit(info, content), nil
	case Folder:
		return Plan{}, fail("write", p, ErrIsFolder)
	}
	return Plan{}, fail("write", p, ErrNotRegular)
}

// PlanCreate plans to create a file at p. If anything exists there, even a link, it returns
// ErrExist.
func PlanCreate(t Tree, p Path, content []byte) (Plan, error) {
	if p.IsRoot() {
		return Plan{}, fail("create", p, ErrExist)
	}
	at, info, err := locate(t, p)
	switch {
	case err == nil && info.Kind == Link:
		// Report a link that leads out as such: "already exists" would be false for the store.
		if _, _, lerr := t.Resolve(at); errors.Is(lerr, ErrLinkOut) {
			return Plan{}, lerr
		}
		return Plan{}, fail("create", p, ErrExist)
	case err == nil:
		return Plan{}, fail("create", p, ErrExist)
	case errors.Is(err, ErrNotExist) && !at.IsRoot():
		return planCreate(at, content)
	}
	return Plan{}, err
}

func planCreate(at Path, content []byte) (Plan, error) {
	if isReservedName(at.Base()) {
		return Plan{}, fail("create", at, ErrReserved)
	}
	return Plan{Act: ActCreate, Path: at, Ops: []Op{{Kind: OpPut, Path: at, Content: content, MustBeNew: true}}}, nil
}

func planEdit(was Info, content []byte) Plan {
	return Plan{Act: ActEdit, Path: was.Path, Ops: []Op{{Kind: OpPut, Path: was.Path, Content: content, Was: was}}}
}

// PlanRename plans to move a file, a link itself or a folder. The destination must not exist;
// an existing folder is never moved into.
func PlanRename(t Tree, from, to Path) (Plan, error) {
	if from.IsRoot() {
		return Plan{}, fail("rename", from, ErrIsRoot)
	}
	source, info, err := locate(t, from)
	if errors.Is(err, ErrNotFolder) { // nothing exists below a file
		return Plan{}, fail("rename", from, ErrNotExist)
	}
	if err != nil {
		return Plan{}, err
	}
	if to.IsRoot() {
		return Plan{}, fail("rename to", to, ErrExist)
	}
	target, there, err := locate(t, to)
	switch {
	case err == nil && !sameButCase(info, there):
		return Plan{}, fail("rename to", to, ErrExist)
	case err != nil && errors.Is(err, ErrNotExist) && target.IsRoot():
		return Plan{}, fail("rename", to, ErrNotFolder)
	case err != nil && !errors.Is(err, ErrNotExist):
		return Plan{}, err
	}
	if info.Kind == Folder && target.In(source) {
		return Plan{}, fail("rename", from, ErrIntoItself)
	}
	if info.Kind == Folder && info.Named {
		return Plan{}, fail("rename", from, ErrNamedOnly)
	}
	if isReservedName(target.Base()) {
		return Plan{}, fail("rename", to, ErrReserved)
	}
	return Plan{Act: ActRename, Path: source, To: target,
		Ops: []Op{{Kind: OpRename, Path: source, To: target, Was: info}}}, nil
}

// sameButCase reports whether two names that differ only in case seem to be one entry, as on
// a file system that ignores case. Dir.Rename checks for certain.
func sameButCase(a, b Info) bool {
	return a.Path != b.Path && strings.EqualFold(a.Path.rel, b.Path.rel) &&
		a.Kind == b.Kind && a.Sig == b.Sig && (a.Kind == Folder || a.Links <= 1)
}

// PlanDelete plans to remove files, links themselves and folders with all their content,
// hidden entries included: one step each, the deepest first. If a folder contains a name that
// no Path can hold, it returns ErrName and removes nothing. The folders of named files stay,
// because other files may be in them.
func PlanDelete(t Tree, paths ...Path) (Plan, error) {
	var plan Plan
	var done []Path
	for _, p := range outermost(paths) {
		if p.IsRoot() {
			return Plan{}, fail("delete", p, ErrIsRoot)
		}
		at, info, err := locate(t, p)
		if errors.Is(err, ErrNotFolder) { // nothing exists below a file
			err = fail("delete", p, ErrNotExist)
		}
		if err != nil {
			return Plan{}, err
		}
		if slices.ContainsFunc(done, func(q Path) bool { return at.In(q) }) {
			continue // reached a second time, through a link
		}
		before := len(plan.Ops)
		if plan.Ops, err = removeAll(t, plan.Ops, info); err != nil {
			return Plan{}, err
		}
		if len(plan.Ops) == before {
			return Plan{}, fail("delete", p, ErrNotExist)
		}
		done = append(done, at)
	}
	plan.Act = ActDelete
	if len(done) > 0 {
		plan.Path = done[0]
	}
	return plan, nil
}

// outermost sorts paths and drops those inside others.
func outermost(paths []Path) []Path {
	sorted := slices.Clone(paths)
	slices.SortFunc(sorted, func(a, b Path) int { return strings.Compare(a.rel, b.rel) })
	var out []Path
	for _, p := range sorted {
		if !slices.ContainsFunc(out, func(q Path) bool { return p.In(q) }) {
			out = append(out, p)
		}
	}
	return out
}

func removeAll(t Tree, ops []Op, info Info) ([]Op, error) {
	if info.Kind == Folder {
		entries, unnamed, err := t.List(info.Path)
		if err != nil {
			return nil, err
		}
		if unnamed > 0 {
			return nil, fail("delete", info.Path, ErrName)
		}
		for _, e := range entries {
			if ops, err = removeAll(t, ops, e); err != nil {
				return nil, err
			}
		}
		if info.Named {
			return ops, nil
		}
	}
	return append(ops, Op{Kind: OpRemove, Path: info.Path, Was: info}), nil
}
