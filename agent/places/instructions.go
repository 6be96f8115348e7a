package places

import (
	"errors"
	"time"

	"github.com/memend/memend/memfs"
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
	if f.roots.Home != "" {
		f.addFiles(Place{Kind: Instructions, Folder: f.folder(f.roots.Home), Files: homeInstructions, Shared: true})
	}
}

// instructionsIn adds the instruction files of a project.
func (f *finder) instructionsIn(dir string) {
	if dir != f.folder(f.roots.Home) {
		f.addFiles(Place{Kind: Instructions, Folder: f.folder(dir), Files: projectInstructions, Project: dir})
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
