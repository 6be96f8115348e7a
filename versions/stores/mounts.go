package stores

import (
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// mounts presents several stores as one tree, each as a folder of its root.
type mounts struct {
	stores  []attachedStore
	planned *attachedStore // read through plan
	plan    memfs.Tree
}

// mounted is one store of the tree.
type mounted struct {
	memfs.Tree
	at memfs.Path // its folder
}

func (m mounted) inside(p memfs.Path) memfs.Path  { return p.Move(m.at, memfs.Root) }
func (m mounted) outside(p memfs.Path) memfs.Path { return p.Move(memfs.Root, m.at) }

// holding returns the store whose folder is or contains p.
func (m mounts) holding(p memfs.Path) (mounted, error) {
	i := slices.IndexFunc(m.stores, func(s attachedStore) bool { return p.In(s.mount) })
	if i < 0 {
		return mounted{}, &memfs.OpError{Op: "find", Path: p, Err: memfs.ErrNotExist}
	}
	s := &m.stores[i]
	if m.planned == s {
		return mounted{m.plan, s.mount}, nil
	}
	return mounted{core.Folder(s.Store), s.mount}, nil
}

func (m mounts) Lstat(p memfs.Path) (memfs.Info, error) {
	if p.IsRoot() {
		return memfs.Info{Kind: memfs.Folder}, nil
	}
	s, err := m.holding(p)
	if err != nil {
		return memfs.Info{}, err
	}
	info, err := s.Lstat(s.inside(p))
	info.Path = s.outside(info.Path)
	return info, err
}

func (m mounts) Resolve(p memfs.Path) (memfs.Path, memfs.Info, error) {
	if p.IsRoot() {
		return p, memfs.Info{Kind: memfs.Folder}, nil
	}
	s, err := m.holding(p)
	if err != nil {
		return p, memfs.Info{}, err
	}
	at, info, err := s.Resolve(s.inside(p))
	if err != nil && at.IsRoot() { // the location can't be determined
		return at, info, err
	}
	info.Path = s.outside(info.Path)
	return s.outside(at), info, err
}

func (m mounts) Read(p memfs.Path, max int64) ([]byte, memfs.Sig, error) {
	s, err := m.holding(p)
	if err != nil {
		return nil, memfs.Sig{}, err
	}
	return s.Read(s.inside(p), max)
}

func (m mounts) List(p memfs.Path) (entries []memfs.Info, unnamed int, err error) {
	if p.IsRoot() {
		for _, s := range m.stores {
			entries = append(entries, memfs.Info{Path: s.mount, Kind: memfs.Folder})
		}
		slices.SortFunc(entries, func(a, b memfs.Info) int { return strings.Compare(versions.Key(a.Path), versions.Key(b.Path)) })
		return entries, 0, nil
	}
	s, err := m.holding(p)
	if err != nil {
		return nil, 0, err
	}
	entries, unnamed, err = s.List(s.inside(p))
	entries = slices.Clone(entries)
	for i := range entries {
		entries[i].Path = s.outside(entries[i].Path)
	}
	return entries, unnamed, err
}
