package exchange

import (
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// tree is the state of files while file operations are applied to it. It computes what a group of operations changes for each memory from the states before and
// after.
type tree struct {
	files   memfs.Occupied[filePath, file]
	touched []*file          // since begin, in order
	gone    map[string]*file // the files at begin that left their paths

	// memory returns the path of the memory for a file's path; false: there is none, and the file is ignored.
	memory func(path string) (memfs.Path, bool)
}

// filePath is a path as the file operations name it, such as "notes/a.md". It need not be a path of a memory.
type filePath string

func (p filePath) Dir() filePath { return p[:max(strings.LastIndexByte(string(p), '/'), 0)] }

func (p filePath) In(dir filePath) bool {
	return dir == "" || p == dir || strings.HasPrefix(string(p), string(dir)) && p[len(dir)] == '/'
}

// file is one file, followed through its renames.
type file struct {
	now, was state
	touched  bool
}

// state is the path and content of a file.
type state struct {
	path  string
	hash  versions.Hash
	there bool
	odd   bool // a link or something else that can't be a memory
}

func newTree(memory func(string) (memfs.Path, bool)) *tree {
	return &tree{gone: map[string]*file{}, memory: memory}
}

// begin starts a group of operations.
func (t *tree) begin() {
	for _, f := range t.touched {
		f.touched = false
	}
	t.touched = t.touched[:0]
	clear(t.gone)
}

func (t *tree) touch(f *file) {
	if !f.touched {
		f.touched, f.was = true, f.now
		t.touched = append(t.touched, f)
	}
}

// file returns the file at path, or nil.
func (t *tree) file(path string) *file { return t.files.At(filePath(path)) }

// put sets the content of the file at path. If there is none, the path must not be blocked.
func (t *tree) put(path string, h versions.Hash, odd bool) {
	f := t.file(path)
	if f == nil {
		f = t.removedFrom(path)
		t.place(f, path)
	}
	t.touch(f)
	f.now.hash, f.now.odd = h, odd
}

// removedFrom returns the file that this group removed from path, or a new one.
func (t *tree) removedFrom(path string) *file {
	if f := t.gone[path]; f != nil && !f.now.there {
		return f
	}
	return &file{}
}

// blocked reports whether a new file at path would replace a folder, or need a folder where a file is.
func (t *tree) blocked(path string) bool {
	return !t.files.Free(filePath(path), filePath(path))
}

// take removes the file at path and returns it; nil if there is none.
func (t *tree) take(path string) *file {
	f := t.file(path)
	if f == nil {
		return nil
	}
	t.touch(f)
	t.files.Remove(filePath(path))
	f.now.there = false
	if f.was.there {
		t.gone[f.was.path] = f
	}
	return f
}

// place puts a file that was taken, or a new one, at a free path.
func (t *tree) place(f *file, path string) {
	t.touch(f)
	t.files.Put(filePath(path), f)
	f.now.path, f.now.there = path, true
}

// net returns the versions that the group amounts to.
func (t *tree) net() (vs []versions.RecordVersion) {
	for _, f := range t.touched {
		was, lived := t.held(f.was)
		now, lives := t.held(f.now)
		v := versions.RecordVersion{Operation: versions.Modified, Path: now, SHA256: f.now.hash}
		switch {
		case !lived && !lives, lived && lives && was == now && f.was.hash == f.now.hash:
			continue
		case !lived:
			v.Operation = versions.Created
		case !lives:
			v = versions.RecordVersion{Operation: versions.Deleted, Path: was}
		case was != now:
			v.From = was
		}
		vs = append(vs, v)
	}
	return vs
}

// held returns the path of the memory for a state of a file.
func (t *tree) held(s state) (memfs.Path, bool) {
	if !s.there || s.odd {
		return memfs.Root, false
	}
	return t.memory(s.path)
}

// describe sets the kind and paths of a change by its versions.
func describe(r *versions.Record) {
	if len(r.Versions) == 0 {
		r.Kind = versions.KindEdit
		return
	}
	first := r.Versions[0]
	r.Kind, r.Path = kindOf(&first), first.Path
	if len(r.Versions) == 1 {
		if r.Kind == versions.KindRename {
			r.Path, r.To = first.From, first.Path
		}
		return
	}
	for i := range r.Versions {
		v := &r.Versions[i]
		if k := kindOf(v); k != r.Kind || k == versions.KindRename {
			r.Kind = versions.KindEdit
		}
		for _, p := range []memfs.Path{v.Path, v.From} {
			for !p.IsRoot() && !p.In(r.Path) {
				r.Path = r.Path.Dir()
			}
		}
	}
}

func kindOf(v *versions.RecordVersion) versions.ChangeKind {
	switch {
	case v.Operation == versions.Created:
		return versions.KindCreate
	case v.Operation == versions.Deleted:
		return versions.KindDelete
	case !v.From.IsRoot():
		return versions.KindRename
	}
	return versions.KindEdit
}
