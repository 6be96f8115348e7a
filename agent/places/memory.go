package places

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/versions"
)

// OwnMemory returns the place of Claude Code's own memories for sessions in a directory. Its folder may not exist yet:
// Claude Code makes it with the first memory. Unlike the places of Discover, the folder is found by how Claude Code
// names it. ok is false if that isn't known.
func OwnMemory(ctx context.Context, roots Roots, dir string, stores []versions.StoreInfo) (p Place, ok bool) {
	f := newFinder(ctx, roots)
	if roots.Claude == "" {
		return p, false
	}
	files := append(slices.Clone(roots.Policy), filepath.Join(dir, ".claude", "settings.local.json"), filepath.Join(roots.Claude, "settings.json"))
	p = Place{Kind: ClaudeAuto, Project: f.repository(dir)}
	for _, file := range files {
		if p.Folder = f.autoMemory(file); p.Folder != "" {
			p.Project, p.Shared = "", true
			break
		}
	}
	if p.Folder == "" {
		projects := filepath.Join(roots.Claude, "projects")
		name := outside.Slug(p.Project)
		entries, _ := os.ReadDir(projects)
		if i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return outside.HasSlug(e.Name(), p.Project) }); i >= 0 {
			name = entries[i].Name()
		} else if !outside.HasSlug(name, p.Project) { // of a long path: it ends in a hash
			return p, false
		}
		p.Folder = filepath.Join(projects, name, "memory")
	}
	if real, err := filepath.EvalSymlinks(p.Folder); err == nil {
		p.Folder = real
	}
	f.describe(&p)
	p.among(stores)
	return p, len(f.problems) == 0
}

// repository returns the root of the repository that a directory is in, or the directory. For a worktree it is the one of
// the repository that it was made from: they have the same memories.
func (f *finder) repository(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for at := dir; at != f.roots.Home && at != filepath.Dir(at); at = filepath.Dir(at) {
		if !f.has(at, ".git") {
			continue
		}
		link, ok := strings.CutPrefix(strings.TrimSpace(string(f.file(at, ".git"))), "gitdir:")
		if !ok {
			return at
		}
		link = strings.TrimSpace(link)
		if !filepath.IsAbs(link) {
			link = filepath.Join(at, link)
		}
		if trees := filepath.Dir(filepath.Clean(link)); filepath.Base(trees) == "worktrees" && filepath.Base(filepath.Dir(trees)) == ".git" {
			return filepath.Dir(filepath.Dir(trees))
		}
		return at
	}
	return dir
}
