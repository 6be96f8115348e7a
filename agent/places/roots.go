package places

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/memend/memend/agent/outside"
)

// Roots holds the folders where Discover starts.
type Roots struct {
	Home   string              // the person's
	Claude string              // Claude Code's folder, see outside.Config
	Policy []string            // files with an organization's settings of Claude Code
	Code   []string            // the user data folders of VS Code and its variants
	Here   string              // the working directory
	Getenv func(string) string // the environment, for variables that move a tool's folder; nil: none is set
	Dirs   []string            // given by the person: projects, or folders that contain projects
}

// Here returns the roots for this machine, this person and the working directory. The error reports what the environment
// does not tell; the field is then empty.
func Here(dirs ...string) (Roots, error) {
	r := Roots{Policy: policies(), Getenv: os.Getenv}
	var failed []error
	var err error
	if r.Home, err = os.UserHomeDir(); err != nil {
		failed = append(failed, err)
	}
	if r.Claude, err = outside.Config(); err != nil {
		failed = append(failed, err)
	}
	if r.Here, err = os.Getwd(); err != nil {
		failed = append(failed, err)
	}
	r.Code = codeFolders(runtime.GOOS, r.Home, os.Getenv)
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		r.Dirs = append(r.Dirs, abs)
	}
	return r, errors.Join(failed...)
}

func policies() []string {
	const file = "managed-settings.json"
	switch runtime.GOOS {
	case "windows":
		return []string{`C:\Program Files\ClaudeCode\` + file}
	case "darwin":
		return []string{"/Library/Application Support/ClaudeCode/" + file}
	}
	return []string{"/etc/claude-code/" + file}
}

// codeFolders returns the `User` folders of VS Code, its variants and its servers.
func codeFolders(system, home string, getenv func(string) string) []string {
	var bases []string
	add := func(dir string, parts ...string) {
		if dir != "" {
			bases = append(bases, filepath.Join(append([]string{dir}, parts...)...))
		}
	}
	switch system {
	case "windows":
		add(getenv("APPDATA"))
	case "darwin":
		add(home, "Library", "Application Support")
	default:
		if config := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
			add(config)
		} else {
			add(home, ".config")
		}
	}
	var out []string
	if portable := getenv("VSCODE_PORTABLE"); portable != "" {
		out = append(out, filepath.Join(portable, "user-data", "User"))
	}
	for _, base := range bases {
		for _, variant := range []string{"Code", "Code - Insiders", "VSCodium", "Code - OSS"} {
			out = append(out, filepath.Join(base, variant, "User"))
		}
	}
	if home != "" {
		for _, server := range []string{".vscode-server", ".vscode-server-insiders"} {
			out = append(out, filepath.Join(home, server, "data", "User"))
		}
	}
	return out
}
