package places

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/agent/outside"
)

// MemoriesOf returns the folders of a kind that belong to a project's directory or to every project, as a session of the
// tool in that directory finds them. It reads what is needed for that, not all that Discover reads.
func MemoriesOf(ctx context.Context, roots Roots, kind Kind, dir string) (out []Place) {
	f := newFinder(ctx, roots)
	if kind == ClaudeAuto {
		f.autoMemoryOf(dir)
		return f.places
	}
	f.project(dir)
	f.found(rowOf(kind))
	real := f.folder(dir)
	return slices.DeleteFunc(f.places, func(p Place) bool { return !p.Shared && f.folder(p.Project) != real })
}

// autoMemoryOf finds the auto memory of Claude Code for sessions in a directory: the folder that settings name, of an
// organization before those of the project and the person, else the project's own. All worktrees of a repository have one.
func (f *finder) autoMemoryOf(dir string) {
	files := append(slices.Clone(f.roots.Policy), filepath.Join(dir, ".claude", "settings.local.json"))
	if f.roots.Claude == "" {
		return
	}
	for _, file := range append(files, filepath.Join(f.roots.Claude, "settings.json")) {
		if folder := f.autoMemory(file); folder != "" {
			f.add(Place{Kind: ClaudeAuto, Folder: folder, Shared: true})
			return
		}
	}
	if f.roots.Getenv != nil {
		if name := f.roots.Getenv("CLAUDE_CODE_PROJECT_DIR_NAME"); name != "" && filepath.IsLocal(name) && f.roots.Getenv("CLAUDE_CONFIG_DIR") != "" {
			f.add(Place{Kind: ClaudeAuto, Folder: f.folder(f.roots.Claude, "projects", name, "memory"), Shared: true})
			return
		}
	}
	project := f.repository(dir)
	folder := f.folder(f.roots.Claude, "projects", outside.Slug(project), "memory")
	if folder == "" { // the name of a long path ends in a hash
		entries, _ := f.entries(filepath.Join(f.roots.Claude, "projects"), oneFolder)
		if i := slices.IndexFunc(entries, func(e os.DirEntry) bool { return outside.HasSlug(e.Name(), project) }); i >= 0 {
			folder = f.folder(f.roots.Claude, "projects", entries[i].Name(), "memory")
		}
	}
	f.add(Place{Kind: ClaudeAuto, Folder: folder, Project: project})
}

// repository returns the root of the repository that a directory is in, or the directory. For a worktree it is the one of
// the repository that it was made from.
func (f *finder) repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if f.has(at, ".git") {
			return f.origin(at)
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// origin returns the repository that a worktree was made from, or dir if it is none.
func (f *finder) origin(dir string) string {
	link, ok := strings.CutPrefix(strings.TrimSpace(string(f.file(dir, ".git"))), "gitdir:")
	if !ok {
		return dir
	}
	at := strings.TrimSpace(link)
	if !filepath.IsAbs(at) {
		at = filepath.Join(dir, at)
	}
	trees := filepath.Dir(filepath.Clean(at))
	if filepath.Base(trees) != "worktrees" || filepath.Base(filepath.Dir(trees)) != ".git" { // a submodule, or a bare repository
		return dir
	}
	return filepath.Dir(filepath.Dir(trees))
}
