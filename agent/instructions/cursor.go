package instructions

import (
	"path/filepath"
	"strings"
)

// cursor finds what Cursor's agent loads when the directory is opened in it: rules that always apply, and AGENTS.md.
func (f *finder) cursor() {
	folder := filepath.Join(f.dir, ".cursor", "rules")
	for _, at := range f.rulesIn(folder, "", false) {
		if !strings.HasSuffix(at, ".mdc") {
			if strings.HasSuffix(at, ".md") {
				f.skip(at, Rule, "rules must end in .mdc")
			}
			continue
		}
		file, text := facts(at, Rule)
		if file == nil {
			continue
		}
		front := frontOf(text)
		globs := words(front.Globs)
		switch {
		case file.Why != "" || front.Always == true:
		case globs != "":
			file.Why = "only for files that match " + globs
		case front.Description != "":
			file.Why = "when the agent finds its description relevant"
		default:
			file.Why = "only when it is mentioned"
		}
		f.keep(file, text)
	}
	f.load(filepath.Join(f.dir, "AGENTS.md"), Project)
	if len(f.out.Files)+len(f.out.Other) > 0 {
		f.note("Cursor also has rules in its settings, and of your team, which are not files")
	}
	f.findBelow()
}
