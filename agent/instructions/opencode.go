package instructions

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// opencode finds what opencode loads: the person's file, and all files with the first name that any directory has.
func (f *finder) opencode() {
	claude := !on(f.roots.Getenv("OPENCODE_DISABLE_CLAUDE_CODE")) && !on(f.roots.Getenv("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT"))
	names := []string{"AGENTS.md"}
	if claude {
		names = append(names, "CLAUDE.md")
	}
	names = append(names, "CONTEXT.md")
	own := f.openCodeConfig()
	f.openCodePerson(own, claude)
	dirs := chain(rootOf(f.dir, ".git"), f.dir)
	slices.Reverse(dirs) // from the directory up
	taken := ""
	for _, name := range names {
		found := false
		for _, dir := range dirs {
			at := filepath.Join(dir, name)
			if taken != "" {
				f.skip(at, f.scopeOf(dir), taken+" is loaded instead")
			} else if f.load(at, f.scopeOf(dir)) {
				found = true
			}
		}
		if found {
			taken = name
		}
	}
	f.openCodeMore(append(dirs, own))
	f.row = f.row.with(names)
	f.findBelow()
}

func (f *finder) openCodeConfig() string {
	if at := f.roots.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(at) {
		return filepath.Join(at, "opencode")
	}
	if f.roots.Home == "" {
		return ""
	}
	return filepath.Join(f.roots.Home, ".config", "opencode")
}

// openCodePerson adds the first of the person's files.
func (f *finder) openCodePerson(own string, claude bool) {
	var files []string
	if own != "" {
		files = append(files, filepath.Join(own, "AGENTS.md"))
	}
	if claude && f.roots.Home != "" {
		files = append(files, filepath.Join(f.roots.Home, ".claude", "CLAUDE.md"))
	}
	for i, at := range files {
		if f.load(at, Person) {
			for _, other := range files[i+1:] {
				f.skip(other, Person, files[i]+" is loaded instead")
			}
			return
		}
	}
}

// openCodeMore notes that settings name more instructions.
func (f *finder) openCodeMore(dirs []string) {
	for _, dir := range dirs {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			at := filepath.Join(dir, name)
			if dir == "" || strings.TrimSpace(dir) == "" {
				continue
			}
			if info, err := os.Stat(at); err != nil || info.Size() > maxSettings {
				continue
			}
			if text, _, err := Read(at); err == nil && bytes.Contains(text, []byte(`"instructions"`)) {
				f.note("%s names more instructions, which are loaded too but not listed here", at)
			}
		}
	}
}
