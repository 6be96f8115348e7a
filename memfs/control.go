package memfs

import (
	"errors"
	"strings"
	"sync"
	"unicode"
)

// ErrControlFile reports a write to a control file of another tool: see Path.Control.
var ErrControlFile = errors.New("is a control file of another tool, which may make it run commands; only a person can write it")

// controlNames are files and folders that make other tools run commands as the user.
var controlNames = []struct {
	why   string
	names string
}{
	{"version control runs hooks, filters, aliases and monitors", ".git .hg .svn .jj .bzr .gitattributes .gitmodules .gitconfig .hgrc .hooks"},
	{"Windows may give .git this short name", "git~1"},
	{"installs hooks of version control", ".husky .githooks .lefthook lefthook.yml lefthook.yaml .lefthook.yml .pre-commit-config.yaml .pre-commit-hooks.yaml"},
	{"a shell runs it when it starts or ends", ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout"},
	{"a shell loads it when it enters the folder", ".envrc .direnv .autoenv .mise.toml mise.toml .tool-versions"},
	{"a session, a terminal or ssh runs commands from it", ".config .local .ssh .gnupg .tmux.conf .screenrc .xinitrc .xprofile .xsession .xsessionrc .pam_environment"},
	{"an editor runs its tasks, extensions and scripts", ".vscode .idea .zed .fleet .devcontainer .devcontainer.json .vim .vimrc .gvimrc .nvimrc .nvim.lua .exrc .emacs .emacs.d .dir-locals.el .vimrc.local .sublime-project"},
	{"an agent's program runs its hooks and MCP servers", ".claude .claude.json .mcp.json .cursor .codex .gemini .qwen .opencode opencode.json opencode.jsonc .windsurf .continue .roo .kiro .amazonq .aider.conf.yml"},
	{"a debugger or an interpreter runs it when it starts", ".gdbinit .lldbinit .rprofile .irbrc .pryrc .pythonrc .pythonrc.py .pystartup sitecustomize.py usercustomize.py conftest.py .perldb"},
	{"a build runs its commands", "makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml rakefile cmakelists.txt meson.build build.rs build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew gradlew.bat " +
		"mvnw mvnw.cmd pom.xml .mvn .bazelrc workspace.bazel module.bazel flake.nix shell.nix default.nix setup.py noxfile.py tox.ini dockerfile vagrantfile procfile compose.yml compose.yaml docker-compose.yml docker-compose.yaml"},
	{"a package manager runs its scripts and plugins", "package.json .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml deno.json deno.jsonc bunfig.toml .cargo cargo.toml pyproject.toml gemfile composer.json .bundle"},
	{"a service of the repository runs its jobs", ".github .gitlab-ci.yml .gitea .forgejo .circleci .travis.yml .buildkite .drone.yml .woodpecker .woodpecker.yml .appveyor.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml jenkinsfile"},
}

// control holds the names of controlNames in lower case.
var control = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, row := range controlNames {
		for name := range strings.FieldsSeq(row.names) {
			out[name] = true
		}
	}
	return out
})

// Control reports whether p is a control file of another tool or lies in a folder of such
// files, at any depth. It includes spellings that some file system treats as the same name:
// other letter case, invisible characters (macOS), trailing spaces and dots, and the name of
// a stream (Windows).
func (p Path) Control() bool {
	for seg := range strings.SplitSeq(p.rel, "/") {
		if control()[plainName(seg)] {
			return true
		}
	}
	return false
}

// opened are the control files that run commands as soon as a tool opens their folder: nobody has to ask for it.
var opened = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(".git .hg .svn .jj git~1 .husky .pre-commit-config.yaml .vscode .idea .devcontainer .envrc .claude .cursor .codex .gemini .mcp.json") {
		out[name] = true
	}
	return out
})

// RunsWhenOpened reports whether p is a control file that runs commands as soon as a tool opens its folder. A history
// from elsewhere may not bring one; other control files are memories like any.
func (p Path) RunsWhenOpened() bool {
	for seg := range strings.SplitSeq(p.rel, "/") {
		if opened()[plainName(seg)] {
			return true
		}
	}
	return false
}

// plainName returns a name in lower case, without the parts that a file system may ignore.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return unicode.ToLower(r)
		case HiddenRune(r):
			return -1
		}
		if other := unicode.SimpleFold(r); other < 0x80 { // of a long s or the sign for kelvin
			return unicode.ToLower(other)
		}
		return r
	}, name)
	return strings.TrimRight(name, ". ")
}
