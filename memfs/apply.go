package memfs

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Options holds the choices that the protocol leaves open. The zero value behaves as the
// tool's documentation describes.
type Options struct {
	Overwrite bool  // create replaces an existing file instead of failing
	MaxBytes  int64 // the maximum size of a written file in bytes; 0: no limit
	ViewChars int   // the maximum number of characters of a view of a file, which is cut after a whole line; 0: no limit
}

// maxTextBytes is the size of the largest file that a command reads. The answer to a larger
// one would not fit into a model's context, and memory holds the text twice.
const maxTextBytes = 256 << 20

// Apply computes what a command does to a tree and what the model reads back. It changes
// nothing itself; the caller carries the Plan out. With an error Result the Plan is empty.
// The error reports a folder that fails (no permission, an I/O error): ResultOf words it
// for the model.
func Apply(t Tree, c Command, o Options) (Plan, Result, error) {
	plan, result, err := apply(t, c, o)
	if err != nil {
		if !answerable(err) {
			return Plan{}, Result{}, err
		}
		return Plan{}, ResultOf(err, c), nil
	}
	if result.IsError {
		return Plan{}, result, nil
	}
	return plan, result, nil
}

// answerable reports whether err is the model's mistake, or a fact of the tree that the
// model can work around.
func answerable(err error) bool {
	return errors.As(err, new(*PathError)) || Is(err, NoMemory|Blocked|Busy|Invalid)
}

// Paths returns the paths that a command names: its path, and a rename's destination.
func Paths(c Command) ([]Path, error) {
	p, err := ParseToolPath(c.path())
	if err != nil {
		return nil, err
	}
	rename, ok := c.(Rename)
	if !ok {
		return []Path{p}, nil
	}
	to, err := ParseToolPath(rename.NewPath)
	return []Path{p, to}, err
}

func apply(t Tree, c Command, o Options) (Plan, Result, error) {
	p, err := ParseToolPath(c.path())
	if err != nil {
		return Plan{}, Result{}, err
	}
	switch c := c.(type) {
	case View:
		return view(t, c, p, o)
	case Create:
		return create(t, c, p, o)
	case StrReplace:
		return strReplace(t, c, p, o)
	case Insert:
		return insert(t, c, p, o)
	case Delete:
		plan, err := PlanDelete(t, p)
		return plan, deleted(c.Path), err
	case Rename:
		return rename(t, c, p)
	}
	return Plan{}, Result{}, fmt.Errorf("unknown command %T", c)
}

// view plans nothing; its Plan has no steps and names the file that was shown.
func view(t Tree, c View, p Path, o Options) (Plan, Result, error) {
	at, info, err := t.Resolve(p)
	if errors.Is(err, ErrNotFolder) || errors.Is(err, ErrLinkLoop) {
		return Plan{}, notExist(c, c.Path), nil
	}
	if err != nil {
		return Plan{}, Result{}, err
	}
	switch info.Kind {
	case Folder:
		result, err := list(t, p, at)
		return Plan{}, result, err
	case File:
		result, err := viewFile(t, c, at, o)
		return Plan{Act: ActView, Path: at}, result, err
	}
	return Plan{}, errorResult("Error: Unsupported file type for " + c.Path), nil
}

func viewFile(t Tree, c View, at Path, o Options) (Result, error) {
	text, _, err := t.Read(at, maxTextBytes)
	if err != nil {
		return Result{}, err
	}
	if !utf8.Valid(text) {
		return notUTF8(c.Path), nil
	}
	n := countLines(text)
	if n > maxViewLines {
		return tooManyLines(c.Path), nil
	}
	first, last := clip(c.Range, n)
	out := make([]byte, 0, len(text)+(last-first+1)*8+len(fileHeader)+len(c.Path))
	out = fmt.Appendf(out, fileHeader, c.Path)
	body := len(out)
	out = appendNumbered(out, text, first, last)
	return ok(page(string(out), body, first, last, o.ViewChars)), nil
}

func create(t Tree, c Create, p Path, o Options) (Plan, Result, error) {
	if over(o, len(c.FileText)) {
		return Plan{}, tooLong(c.Path, int64(len(c.FileText)), o.MaxBytes), nil
	}
	planner := PlanCreate
	if o.Overwrite {
		planner = PlanWrite
	}
	plan, err := planner(t, p, []byte(c.FileText))
	return plan, created(c.Path), err
}

func over(o Options, size int) bool { return o.MaxBytes > 0 && int64(size) > o.MaxBytes }

// readForEdit reads the file that an edit is about; refused says why it can't be edited.
func readForEdit(t Tree, c Command, p Path) (was Info, content []byte, refused Result, err error) {
	at, info, err := t.Resolve(p)
	if errors.Is(err, ErrNotFolder) || errors.Is(err, ErrLinkLoop) || err == nil && info.Kind != File {
		return Info{}, nil, notExist(c, c.path()), nil
	}
	if err != nil {
		return Info{}, nil, Result{}, err
	}
	content, sig, err := t.Read(at, maxTextBytes)
	if err != nil {
		return Info{}, nil, Result{}, err
	}
	if !utf8.Valid(content) {
		return Info{}, nil, notUTF8(c.path()), nil
	}
	info.Sig = sig
	return info, content, Result{}, nil
}

func strReplace(t Tree, c StrReplace, p Path, o Options) (Plan, Result, error) {
	was, content, refused, err := readForEdit(t, c, p)
	if err != nil || refused.IsError {
		return Plan{}, refused, err
	}
	if c.OldStr == "" {
		return Plan{}, notFoundIn(c.Path, c.OldStr), nil
	}
	before, after := []byte(c.OldStr), []byte(c.NewStr)
	if isCRLF(content) && !bytes.Contains(before, newline) { // models know only line feeds
		after = toCRLF(after)
	}
	lines, at := occurrences(content, before)
	switch {
	case len(lines) == 0:
		return Plan{}, notFoundIn(c.Path, c.OldStr), nil
	case len(lines) > 1:
		return Plan{}, notUnique(c.OldStr, lines), nil
	}
	changed := splice(content, at, at+len(before), after)
	if over(o, len(changed)) && len(changed) > len(content) {
		return Plan{}, tooLong(c.Path, int64(len(changed)), o.MaxBytes), nil
	}
	return planEdit(was, changed), ok(string(snippet([]byte(snippetHeader), changed, lines[0]))), nil
}

func insert(t Tree, c Insert, p Path, o Options) (Plan, Result, error) {
	was, content, refused, err := readForEdit(t, c, p)
	if err != nil || refused.IsError {
		return Plan{}, refused, err
	}
	n := countLines(content)
	if c.InsertLine < 0 || c.InsertLine > int64(n) {
		return Plan{}, lineOutside(c.InsertLine, n), nil
	}
	changed := insertLines(content, int(c.InsertLine), []byte(c.InsertText))
	if over(o, len(changed)) {
		return Plan{}, tooLong(c.Path, int64(len(changed)), o.MaxBytes), nil
	}
	return planEdit(was, changed), edited(c.Path), nil
}

func rename(t Tree, c Rename, from Path) (Plan, Result, error) {
	to, err := ParseToolPath(c.NewPath)
	if err != nil {
		return Plan{}, Result{}, err
	}
	plan, err := PlanRename(t, from, to)
	return plan, renamed(c.OldPath, c.NewPath), err
}
