package places

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memend/memend/agent/outside"
)

// claude finds the memories in Claude Code's own folder, and collects its projects.
func (f *finder) claude() {
	config := f.roots.Claude
	if config == "" {
		return
	}
	for _, file := range append([]string{filepath.Join(config, "settings.json")}, f.roots.Policy...) {
		f.add(Place{Kind: ClaudeAuto, Folder: f.autoMemory(file), Shared: true})
	}
	for _, agent := range f.folders(config, "agent-memory") {
		f.add(Place{Kind: ClaudeAgent, Folder: agent.folder, Agent: agent.name, Shared: true})
	}
	projects, err := outside.Projects(f.ctx, config)
	f.failAll(err)
	for _, p := range projects {
		f.add(Place{Kind: ClaudeAuto, Folder: f.folder(p.Folder, "memory"), Project: p.Path})
		f.project(p.Path)
	}
}

// claudeIn finds the memories of Claude Code in a project. Settings that are checked in may come from anybody: like
// Claude Code, it ignores a folder that they name.
func (f *finder) claudeIn(dir string) {
	at := filepath.Join(dir, ".claude")
	if at == f.roots.Claude {
		return // the project is the person's home folder
	}
	f.add(Place{Kind: ClaudeAuto, Folder: f.autoMemory(filepath.Join(at, "settings.local.json")), Project: dir})
	for _, local := range []bool{false, true} {
		name := "agent-memory"
		if local {
			name = "agent-memory-local"
		}
		for _, agent := range f.folders(at, name) {
			f.add(Place{Kind: ClaudeAgent, Folder: agent.folder, Project: dir, Agent: agent.name, Local: local})
		}
	}
}

// autoMemory returns the folder for auto memory that a settings file names; "" if it names none that exists. Switching
// auto memory off does not move it.
func (f *finder) autoMemory(file string) string {
	b := f.file(file)
	if b == nil {
		return ""
	}
	var settings struct {
		Directory string `json:"autoMemoryDirectory"`
	}
	if err := json.Unmarshal(b, &settings); err != nil {
		f.fail(fmt.Errorf("%s: %w", file, err))
		return ""
	}
	dir := settings.Directory
	if rest, ok := strings.CutPrefix(filepath.ToSlash(dir), "~/"); ok && f.roots.Home != "" {
		dir = filepath.Join(f.roots.Home, rest)
	}
	if !filepath.IsAbs(dir) { // Claude Code ignores it too
		return ""
	}
	return f.folder(dir)
}

// failAll records each of several joined errors.
func (f *finder) failAll(err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			f.failAll(err)
		}
		return
	}
	f.fail(err)
}
