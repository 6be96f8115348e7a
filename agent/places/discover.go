package places

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Found is the result of Discover.
type Found struct {
	Places   []Place // by project, unknown ones last; within a project by kind and folder
	Problems []error // what could not be read
	Cut      bool    // the budget was used up before everything was examined
}

// Discover finds the folders of other tools that contain memories, and which of them are stores already. A folder that is
// found in two ways is listed once.
func Discover(ctx context.Context, roots Roots, stores []versions.StoreInfo) (Found, error) {
	f := newFinder(ctx, roots)
	if err := f.find(stores); err != nil {
		return Found{}, err
	}
	slices.SortFunc(f.places, byProject)
	return Found{f.places, f.problems, f.cut}, nil
}

func (f *finder) find(stores []versions.StoreInfo) error {
	f.around(f.roots.Here)
	for _, dir := range f.roots.Dirs {
		f.named(dir)
	}
	for _, s := range stores {
		f.project(s.Metadata[Project])
	}
	for _, r := range rows { // after the projects are known, because a folder may have the name of one
		f.found(r)
	}
	for i := 0; i < len(f.projects); i++ { // more may be found meanwhile
		f.inProject(f.projects[i])
	}
	for i := range f.places {
		f.describe(&f.places[i])
		f.places[i].among(stores)
	}
	return f.ctx.Err()
}

func byProject(a, b Place) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		strings.Compare(a.Project, b.Project),
		cmp.Compare(order(a.Kind), order(b.Kind)),
		strings.Compare(a.Name(), b.Name()),
		strings.Compare(a.Folder, b.Folder),
	)
}

// rank sorts places of every project first, and those of unknown projects last.
func rank(p Place) int {
	switch {
	case p.Shared:
		return 0
	case p.Project != "":
		return 1
	}
	return 2
}

// among records which store the folder is or lies in.
func (p *Place) among(stores []versions.StoreInfo) {
	for _, s := range stores {
		switch {
		case s.Folder == p.Folder && s.Files.String() == p.Files.String():
			p.Store = s
		case s.Covers(p.Folder, p.Files):
			p.Within = s
		}
	}
	if p.IsStore() {
		p.Within = versions.StoreInfo{}
	}
}

// finder collects places.
type finder struct {
	folderReader
	roots    Roots
	projects []string        // directories to search
	noted    map[string]bool // the same, as a set
	places   []Place
	at       map[string]int // indexes in places, by key
}

func newFinder(ctx context.Context, roots Roots) *finder {
	return &finder{folderReader: folderReader{ctx: ctx, left: budget, room: placeBudget}, roots: roots, at: map[string]int{}, noted: map[string]bool{}}
}

// add records a place if its folder exists. If it was found before, the earlier facts stay, except the project: memories of
// two projects belong to none.
func (f *finder) add(p Place) {
	if p.Folder == "" {
		return
	}
	i, again := f.at[p.key()]
	if !again {
		f.at[p.key()] = len(f.places)
		f.places = append(f.places, p)
		return
	}
	was := &f.places[i]
	switch {
	case was.Kind != p.Kind || was.Shared || was.Project == p.Project || p.Project == "":
	case was.Project == "":
		was.Project = p.Project
	default:
		was.Project, was.Shared = "", true
	}
}

// project records a directory to search, with its links resolved; it may not exist.
func (f *finder) project(dir string) {
	if dir == "" || !filepath.IsAbs(dir) {
		return
	}
	if real := f.folder(dir); real != "" && !f.noted[real] {
		f.noted[real] = true
		f.projects = append(f.projects, real)
	}
}

// around records a directory and its parents up to the repository's root; outside of a repository, up to the person's
// home folder or the root of the file system.
func (f *finder) around(dir string) {
	for dir != "" && filepath.IsAbs(dir) {
		f.project(dir)
		up := filepath.Dir(dir)
		if f.has(dir, ".git") || up == dir || up == f.roots.Home || dir == f.roots.Home {
			return
		}
		dir = up
	}
}

// named records a directory that a person named, its parents, and its subfolders.
func (f *finder) named(dir string) {
	f.around(dir)
	entries, more := f.entries(dir, oneFolder)
	f.cut = f.cut || more
	for _, e := range entries {
		if e.IsDir() && !memfs.HiddenName(e.Name()) {
			f.project(filepath.Join(dir, e.Name()))
		}
	}
}

// inProject finds the memories that tools keep in the project's own folder.
func (f *finder) inProject(dir string) {
	for _, r := range rows {
		f.foundIn(r, dir)
	}
}

// order is the position of a kind in lists.
func order(k Kind) int { return slices.IndexFunc(rows, func(r row) bool { return r.kind == k }) }

// describe completes what is known of a place.
func (f *finder) describe(p *Place) {
	f.count(p)
	if p.Gone = p.Project != "" && f.gone(p.Project); p.Gone {
		p.Living = f.living(p.Project)
	}
	if state := rowOf(p.Kind).state; state != nil {
		p.Unknown = state(f, p.Folder)
	}
}
