package places

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Files by which people instruct agents, of a project and of a person. Their folders hold other files too, so a store has
// only these.
var (
	projectInstructions = parsed(
		"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md",
		".claude/CLAUDE.md", ".claude/rules/**/*.md", ".cursor/rules/**/*.mdc",
		".github/copilot-instructions.md", ".github/instructions/**",
		".windsurf/rules/**", ".clinerules/**", ".rules", ".junie/guidelines.md")
	homeInstructions = parsed(
		".claude/CLAUDE.md", ".claude/rules/**/*.md", ".codex/AGENTS.md", ".gemini/GEMINI.md", ".qwen/QWEN.md",
		".config/opencode/AGENTS.md", ".codeium/windsurf/memories/global_rules.md", ".factory/memories.md")
)

// personal are tools whose folder of a person a variable may move out of the home, or within it.
var personal = []struct {
	tool   string
	folder func(*finder) string
	below  string // the folder with the files, in it
	files  memfs.Names
}{
	{"claude", func(f *finder) string { return f.roots.Claude }, "", parsed("CLAUDE.md", "rules/**/*.md")},
	{"codex", func(f *finder) string { return f.base(".codex", "CODEX_HOME") }, "", parsed("AGENTS.md")},
	{"gemini", func(f *finder) string { return f.base("", "GEMINI_CLI_HOME") }, ".gemini", parsed("GEMINI.md")},
	{"qwen", func(f *finder) string { return f.base(".qwen", "QWEN_HOME") }, "", parsed("QWEN.md")},
	{"opencode", func(f *finder) string { return f.base(".config", "XDG_CONFIG_HOME") }, "opencode", parsed("AGENTS.md")},
}

// parsed parses patterns of this file; a test holds that they are valid.
func parsed(patterns ...string) memfs.Names {
	n, err := memfs.ParseNames(patterns)
	if err != nil {
		panic(err)
	}
	return n
}

// instructions adds the person's own instruction files.
func (f *finder) instructions() {
	for _, p := range f.ofPerson() {
		f.addFiles(p)
	}
}

// ofPerson returns where the person's own instruction files are, whether there are some or not: in the home, and in the
// folders of tools that are elsewhere. A store has the files of one folder, so each of these is a place of its own.
func (f *finder) ofPerson() (out []Place) {
	home := ""
	if f.roots.Home != "" {
		home = f.folder(f.roots.Home)
	}
	if home != "" {
		out = append(out, Place{Kind: Instructions, Folder: home, Files: homeInstructions, Shared: true})
	}
	for _, tool := range personal {
		at := tool.folder(f)
		if at == "" {
			continue
		}
		p := Place{Kind: Instructions, Folder: f.folder(at, tool.below), Files: tool.files, Shared: true, id: tool.tool}
		if p.Folder != "" && (home == "" || !(versions.StoreInfo{Folder: home, Files: homeInstructions}).Covers(p.Folder, p.Files)) {
			out = append(out, p)
		}
	}
	return out
}

// InstructsEverywhere reports whether named files of a folder can be instruction files of the person, which agents obey in
// every project.
func InstructsEverywhere(ctx context.Context, roots Roots, folder string, files memfs.Names) bool {
	f := newFinder(ctx, roots)
	at := f.folder(folder)
	return at != "" && slices.ContainsFunc(f.ofPerson(), func(p Place) bool {
		return (versions.StoreInfo{Folder: p.Folder, Files: p.Files}).Shares(at, files)
	})
}

// instructionsIn adds the instruction files of a project. A folder with files of the person may be a repository too, and
// its files are the person's then.
func (f *finder) instructionsIn(dir string) {
	p := Place{Kind: Instructions, Folder: f.folder(dir), Files: projectInstructions, Project: dir}
	ofPerson := slices.ContainsFunc(f.places, func(q Place) bool { return q.Kind == Instructions && q.Shared && q.Folder == p.Folder })
	if dir != f.folder(f.roots.Home) && !ofPerson {
		f.addFiles(p)
	}
}

// addFiles adds a place of named files if there is one.
func (f *finder) addFiles(p Place) {
	if p.Folder == "" {
		return
	}
	some := p
	if f.count(&some); !some.IsEmpty() {
		f.add(p)
	}
}

// errEnough ends a scan that has used up its budget.
var errEnough = errors.New("enough")

// countNamed counts the named files of a place.
func (l *folderReader) countNamed(p *Place) {
	d, err := memfs.OpenNamed(p.Folder, p.Files)
	if err != nil {
		l.fail(err)
		return
	}
	defer func() { _ = d.Close() }()
	room := l.room
	err = d.Scan(l.ctx, func(f memfs.Found) error {
		if room--; room < 0 || !l.spend(1) {
			p.More = true
			return errEnough
		}
		if f.Err == nil && f.Kind == memfs.File {
			p.Memories++
			p.Bytes += f.Sig.Size
			p.Newest = later(p.Newest, time.Unix(0, f.Sig.Mtime))
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		l.fail(err)
	}
}
