package instructions

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/BurntSushi/toml"
)

// codexSettings are the settings of Codex that decide what is loaded.
type codexSettings struct {
	Most    *int64    `toml:"project_doc_max_bytes"`
	Names   []string  `toml:"project_doc_fallback_filenames"`
	Markers *[]string `toml:"project_root_markers"`
}

// codex finds what Codex loads: one file of the person, and one of each directory from the root of the project, together at
// most some bytes.
func (f *finder) codex() {
	home := f.codexHome()
	s := f.readCodexSettings(home)
	names := append([]string{"AGENTS.override.md", "AGENTS.md"}, s.Names...)
	if home != "" {
		f.codexPerson(home, names[:2])
	}
	left := *s.Most
	root := rootOf(f.dir, *s.Markers...)
	if root == "" {
		root = f.dir
	}
	for _, dir := range chain(root, f.dir) {
		taken := ""
		for _, name := range names {
			at := filepath.Join(dir, name)
			if taken != "" {
				f.skip(at, f.scopeOf(dir), taken+" in this directory is loaded instead")
				continue
			}
			file, text := facts(at, f.scopeOf(dir))
			if file == nil || file.Why == errFolder.Error() {
				continue
			}
			taken = name
			if file.Why == "" {
				f.spend(file, text, &left, *s.Most)
			}
			f.keep(file, text)
		}
	}
	f.findBelow()
}

func (f *finder) codexHome() string { return f.config("CODEX_HOME", ".codex") }

// codexPerson adds the first of the person's files that is not empty.
func (f *finder) codexPerson(home string, names []string) {
	taken := ""
	for _, name := range names {
		file, text := facts(filepath.Join(home, name), Person)
		switch {
		case file == nil:
			continue
		case taken != "":
			file.Why = taken + " is loaded instead"
		case file.Why == "" && len(bytes.TrimSpace(text)) == 0:
			file.Why = "it is empty"
		case file.Why == "":
			taken = name
		}
		f.keep(file, text)
	}
}

// spend takes a file from the bytes that are left, and cuts it there.
func (f *finder) spend(file *File, text []byte, left *int64, most int64) {
	limit := fmt.Sprintf("%d KiB in total", most>>10)
	switch {
	case most == 0:
		file.Why = "project_doc_max_bytes is 0"
	case len(bytes.TrimSpace(text)) == 0:
		file.Why = "it is empty"
	case *left == 0:
		file.Why = "the files before it have " + limit
	case file.Bytes > *left:
		file.cutTo(text, *left, limit)
		*left = 0
	default:
		*left -= file.Bytes
	}
}

func (f *finder) readCodexSettings(home string) (s codexSettings) {
	if home != "" {
		at := filepath.Join(home, "config.toml")
		switch text, size, err := Read(at); {
		case absent(err):
		case err != nil:
			f.note("%s can't be read: %s", at, cause(err))
		case size > maxSettings:
			f.note("%s is too large to be settings", at)
		default:
			if err := toml.Unmarshal(text, &s); err != nil {
				f.note("%s can't be read: %v", at, err)
				s = codexSettings{}
			}
		}
	}
	if s.Most == nil || *s.Most < 0 {
		usual := int64(32 << 10)
		s.Most = &usual
	}
	if s.Markers == nil {
		s.Markers = &[]string{".git"}
	}
	return s
}
