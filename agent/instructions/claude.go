package instructions

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/memend/memend/agent/places"
)

// claudeSettings are the settings of Claude Code that decide what is loaded, of all layers together.
type claudeSettings struct {
	mode     string // which instruction files are read
	noMemory string // where auto memory is switched off; "" if it is on
	excludes []*regexp.Regexp
}

// Modes, as the setting names them.
const (
	eitherMode  = "claude-md-or-agents-md"
	bothMode    = "claude-md-and-agents-md"
	managedMode = "managed-only"
)

// claude finds what Claude Code loads.
func (f *finder) claude() {
	s := f.readClaudeSettings()
	f.exclude = s.excludes
	if len(f.roots.Policy) > 0 {
		f.load(filepath.Join(filepath.Dir(f.roots.Policy[0]), "CLAUDE.md"), Managed)
	}
	if s.mode != managedMode {
		f.claudeFiles(s)
	}
	if folders := places.MemoriesOf(f.ctx, f.roots, places.ClaudeAuto, f.dir); s.noMemory == "" {
		for _, p := range folders {
			f.index(p.Folder)
		}
	} else if len(folders) > 0 {
		f.skip(filepath.Join(folders[0].Folder, indexName), Memory, "auto memory is off: "+s.noMemory)
	}
	f.findBelow()
}

// claudeFiles finds the instructions of the person and of the directories.
func (f *finder) claudeFiles(s claudeSettings) {
	if f.roots.Claude != "" {
		f.load(filepath.Join(f.roots.Claude, "CLAUDE.md"), Person)
		f.rules(filepath.Join(f.roots.Claude, "rules"), true, false)
	}
	dirs := chain("", f.dir)
	agents := s.mode == bothMode || s.mode == eitherMode && !f.hasClaudeFile(dirs)
	why := "there is a CLAUDE.md in the directory or above it"
	if s.mode == "claude-md" {
		why = "Claude Code's settings say to read CLAUDE.md only"
	}
	for _, dir := range dirs {
		scope := f.scopeOf(dir)
		f.load(filepath.Join(dir, "CLAUDE.md"), scope)
		f.load(filepath.Join(dir, ".claude", "CLAUDE.md"), scope)
		f.rules(filepath.Join(dir, ".claude", "rules"), true, true)
		f.load(filepath.Join(dir, "CLAUDE.local.md"), Local)
		for _, name := range []string{"AGENTS.md", filepath.Join(".claude", "AGENTS.md")} {
			if at := filepath.Join(dir, name); agents {
				f.load(at, scope)
			} else {
				f.skip(at, scope, why)
			}
		}
	}
}

// hasClaudeFile reports whether one of the directories has a file instead of which AGENTS.md is not read.
func (f *finder) hasClaudeFile(dirs []string) bool {
	for _, dir := range dirs {
		for _, name := range []string{"CLAUDE.md", filepath.Join(".claude", "CLAUDE.md"), "CLAUDE.local.md"} {
			at := filepath.Join(dir, name)
			if filepath.Dir(at) != f.roots.Claude && exists(at) && !isFolder(at) && !matches(at, f.exclude) {
				return true
			}
		}
	}
	return false
}

// readClaudeSettings reads the layers, those that count more last.
func (f *finder) readClaudeSettings() claudeSettings {
	out := claudeSettings{mode: eitherMode}
	type layer struct {
		file string
		mine bool // it may choose the instruction files: no repository may
	}
	var layers []layer
	if f.roots.Claude != "" {
		layers = append(layers, layer{filepath.Join(f.roots.Claude, "settings.json"), true})
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		if at := filepath.Join(f.dir, ".claude", name); filepath.Dir(at) != f.roots.Claude {
			layers = append(layers, layer{at, false})
		}
	}
	for _, file := range f.roots.Policy {
		layers = append(layers, layer{file, true})
	}
	for _, l := range layers {
		var s struct {
			Excludes []string `json:"claudeMdExcludes"`
			Memory   *bool    `json:"autoMemoryEnabled"`
			Text     string   `json:"claudeMd"`
			Plugins  map[string]struct {
				Options struct {
					Files string `json:"instructionFiles"`
				} `json:"options"`
			} `json:"pluginConfigs"`
		}
		if !f.settings(l.file, &s) {
			continue
		}
		for _, pattern := range s.Excludes[:min(len(s.Excludes), maxRules)] {
			if p := glob(pattern); p != nil {
				out.excludes = append(out.excludes, p)
			}
		}
		if s.Memory != nil {
			if out.noMemory = ""; !*s.Memory {
				out.noMemory = l.file
			}
		}
		if files := s.Plugins["agents-md@builtin"].Options.Files; l.mine && files != "" {
			out.mode = files
		}
		if s.Text != "" && slices.Contains(f.roots.Policy, l.file) {
			f.note("%s has a text of %d bytes (claudeMd) that is loaded first", l.file, len(s.Text))
		}
	}
	if on(f.roots.Getenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY")) {
		out.noMemory = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
	}
	return out
}

// settings reads a file of settings in JSON. It reports whether there is one that can be read.
func (f *finder) settings(file string, into any) bool {
	text, size, err := Read(file)
	switch {
	case absent(err):
		return false
	case err != nil:
		f.note("%s can't be read: %s", file, cause(err))
		return false
	case size > maxSettings:
		f.note("%s is too large to be settings", file)
		return false
	}
	if err := json.Unmarshal(text, into); err != nil {
		f.note("%s can't be read: %v", file, err)
		return false
	}
	return true
}
