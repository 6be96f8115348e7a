package instructions

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/memend/memend/agent/places"
)

// nameList is a setting that is a name or a list of names.
type nameList []string

func (n *nameList) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*n = nameList{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

// contextSettings are the settings that Gemini CLI and Qwen Code share.
type contextSettings struct {
	Context struct {
		Names   nameList  `json:"fileName"`
		Markers *[]string `json:"memoryBoundaryMarkers"`
	} `json:"context"`
	Memory struct {
		Auto *bool `json:"enableManagedAutoMemory"`
	} `json:"memory"`
}

// readContext reads the settings of the person and of the project; the latter count more.
func (f *finder) readContext(files ...string) (out contextSettings) {
	for _, file := range files {
		var s contextSettings
		if !f.settings(file, &s) {
			continue
		}
		if len(s.Context.Names) > 0 {
			out.Context.Names = s.Context.Names
		}
		if s.Context.Markers != nil {
			out.Context.Markers = s.Context.Markers
		}
		if s.Memory.Auto != nil {
			out.Memory.Auto = s.Memory.Auto
		}
	}
	return out
}

// namesOf returns the local names that a setting has, or the usual ones.
func namesOf(set nameList, usual ...string) []string {
	out := slices.DeleteFunc(slices.Clone([]string(set)), func(name string) bool { return !filepath.IsLocal(name) })
	if len(out) == 0 {
		return usual
	}
	return out
}

// gemini finds what Gemini CLI loads: the files of the person, its memory of the project, and the files from the root of
// the repository down.
func (f *finder) gemini() {
	own := f.geminiHome()
	var files []string
	if own != "" {
		files = append(files, filepath.Join(own, "settings.json"))
	}
	s := f.readContext(append(files, filepath.Join(f.dir, ".gemini", "settings.json"))...)
	names := namesOf(s.Context.Names, "GEMINI.md")
	if own != "" {
		for _, name := range names {
			f.load(filepath.Join(own, name), Person)
		}
		for _, p := range places.MemoriesOf(f.ctx, f.roots, "gemini", f.dir) {
			if !f.load(filepath.Join(p.Folder, indexName), Memory) {
				for _, name := range names {
					f.load(filepath.Join(p.Folder, name), Memory)
				}
			}
			f.topics(p.Folder)
		}
	}
	markers := []string{".git"}
	if s.Context.Markers != nil {
		markers = *s.Context.Markers
	}
	root := rootOf(f.dir, markers...)
	if root == "" {
		root = f.dir
	}
	var found []string
	for _, dir := range chain(root, f.dir) {
		for _, name := range names {
			found = append(found, filepath.Join(dir, name))
		}
	}
	slices.Sort(found)
	for _, at := range found {
		f.load(at, f.scopeOf(filepath.Dir(at)))
	}
	f.note("Gemini CLI loads the project's files only if the folder is trusted")
	f.row = f.row.with(names)
	f.findBelow()
}

// geminiHome is the person's folder of Gemini CLI. Its variable names the folder above.
func (f *finder) geminiHome() string {
	if home := f.config("GEMINI_CLI_HOME", ""); home != "" {
		return filepath.Join(home, ".gemini")
	}
	return ""
}

// with returns the row with other names of instructions below the directory.
func (r *row) with(names []string) *row {
	out := *r
	out.below = names
	return &out
}

// qwen finds what Qwen Code loads: for each name, the person's file and those from the root of the repository down, then
// rules and the indexes of its memories.
func (f *finder) qwen() {
	own := f.qwenHome()
	var files []string
	if own != "" {
		files = append(files, filepath.Join(own, "settings.json"))
	}
	s := f.readContext(append(files, filepath.Join(f.dir, ".qwen", "settings.json"))...)
	names := namesOf(s.Context.Names, "QWEN.md", "AGENTS.md")
	root := f.qwenRoot()
	project := root
	if project == "" {
		project = f.dir
	}
	last := 0
	for i, name := range names {
		if own != "" && exists(filepath.Join(own, name)) {
			last = i
		}
	}
	for i, name := range names { // the local file comes after the last one of the person
		if own != "" {
			f.load(filepath.Join(own, name), Person)
		}
		if i == last {
			f.qwenLocal(project)
		}
		for _, dir := range f.qwenDirs(root) {
			f.load(filepath.Join(dir, name), f.scopeOf(dir))
		}
	}
	if own != "" {
		f.rules(filepath.Join(own, "rules"), false, false)
	}
	f.rules(filepath.Join(project, ".qwen", "rules"), false, false)
	folders := places.MemoriesOf(f.ctx, f.roots, "qwen", orDir(rootOf(f.dir, ".git"), f.dir))
	for _, p := range folders {
		if s.Memory.Auto != nil && !*s.Memory.Auto {
			f.skip(filepath.Join(p.Folder, indexName), Memory, "memory.enableManagedAutoMemory is off")
		} else {
			f.index(p.Folder)
		}
	}
	f.note("Qwen Code loads the project's files only if the folder is trusted")
	f.row = f.row.with(names)
	f.findBelow()
}

func (f *finder) qwenHome() string { return f.config("QWEN_HOME", ".qwen") }

func orDir(root, dir string) string {
	if root != "" {
		return root
	}
	return dir
}

// qwenRoot returns the root of the repository as Qwen Code finds it: a worktree is none.
func (f *finder) qwenRoot() string {
	for at := f.dir; ; at = filepath.Dir(at) {
		if info, err := os.Lstat(filepath.Join(at, ".git")); err == nil && info.IsDir() && exists(filepath.Join(at, ".git", "HEAD")) {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// qwenDirs returns the directories that Qwen Code searches: up to the one above the repository, or above the person's home.
func (f *finder) qwenDirs(root string) []string {
	if f.dir == f.roots.Home {
		return []string{f.dir}
	}
	if root == "" {
		root = f.roots.Home
	}
	dirs := chain(filepath.Dir(root), f.dir)
	if dirs[0] == filepath.Dir(dirs[0]) { // the top of the disk is not searched
		dirs = dirs[1:]
	}
	return dirs
}

// qwenLocal adds the person's own file for the project. A link is not followed.
func (f *finder) qwenLocal(project string) {
	at := filepath.Join(project, ".qwen", "QWEN.local.md")
	if info, err := os.Lstat(at); err == nil && info.Mode()&os.ModeSymlink != 0 {
		f.skip(at, Local, "it is a link")
		return
	}
	f.load(at, Local)
}
