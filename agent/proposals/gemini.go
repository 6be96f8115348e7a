package proposals

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// inbox is a folder with patches of Gemini CLI.
type inbox struct {
	project string    // the id of the project that it belongs to
	kind    string    // private or global
	memory  [2]string // the project's folder of memories, as it is named and with links resolved
	global  [2]string // the person's file, likewise
}

func readGemini(roots Roots, each func(Proposal)) {
	if roots.Gemini == "" {
		return
	}
	projects, err := os.ReadDir(filepath.Join(roots.Gemini, "tmp"))
	if err != nil {
		return
	}
	for _, project := range projects {
		memory := filepath.Join(roots.Gemini, "tmp", project.Name(), "memory")
		for _, kind := range []string{"private", "global"} {
			at := filepath.Join(memory, ".inbox", kind)
			for _, file := range patches(at) {
				global := filepath.Join(roots.Gemini, "GEMINI.md")
				in := inbox{project.Name(), kind, [2]string{memory, resolved(memory)}, [2]string{global, resolved(global)}}
				if p, ok := in.proposal(at, file); ok {
					each(p)
				}
			}
		}
	}
}

// patches lists the patches below a folder in the order in which Gemini CLI applies them.
func patches(dir string) (out []string) {
	_ = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".patch") {
			out = append(out, file)
		}
		return nil // a folder that can't be read is left out, as Gemini CLI does
	})
	slices.Sort(out)
	return out
}

// proposal reads a patch. It returns false for one that Gemini CLI would not list.
func (in inbox) proposal(dir, file string) (p Proposal, ok bool) {
	b, at, err := content(file)
	if err != nil || !utf8.Valid(b) {
		return p, false
	}
	parsed, err := parsePatch(string(b))
	if err != nil || len(parsed) == 0 {
		return p, false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return p, false
	}
	p = Proposal{Name: in.project + "/" + in.kind + "/" + filepath.ToSlash(rel), Time: at, file: file, digest: sha256.Sum256(b)}
	targets := make([]string, len(parsed))
	for i, f := range parsed {
		if targets[i] = in.target(f); targets[i] == "" {
			return p, false
		}
	}
	if p.Texts, p.Err = in.apply(parsed, targets); p.Err != nil {
		p.Texts = nil
		for _, t := range targets {
			p.Texts = append(p.Texts, Text{File: t})
		}
	}
	return p, true
}

var gitPrefix = regexp.MustCompile(`^[ab]/`)

// target returns the file that a part of a patch changes, with links resolved; "" if the headers are invalid, or if the
// inbox may not change it.
func (in inbox) target(f filePatch) string {
	before, after := gitPrefix.ReplaceAllString(f.before, ""), gitPrefix.ReplaceAllString(f.after, "")
	if len(f.hunks) == 0 || before == "" || !filepath.IsAbs(after) || after == "/dev/null" || before != "/dev/null" && before != after {
		return ""
	}
	real := resolved(after)
	if real == "" || !in.allows(filepath.Clean(after)) || !in.allows(real) {
		return ""
	}
	return real
}

// allows reports whether the inbox may change a file.
func (in inbox) allows(file string) bool {
	if in.kind == "global" {
		return file == in.global[0] || file == in.global[1]
	}
	dir, name := filepath.Dir(file), filepath.Base(file)
	return (dir == in.memory[0] || dir == in.memory[1]) && name[0] != '.' && strings.EqualFold(filepath.Ext(name), ".md")
}

// apply applies the parts of a patch in turn; later ones find what earlier ones left.
func (in inbox) apply(parsed []filePatch, targets []string) (out []Text, err error) {
	for i, f := range parsed {
		at := slices.IndexFunc(out, func(t Text) bool { return t.File == targets[i] })
		if at < 0 {
			t, err := target(targets[i])
			creates := gitPrefix.ReplaceAllString(f.before, "") == "/dev/null"
			switch _, lerr := os.Lstat(targets[i]); {
			case err != nil:
				return nil, err
			case creates && lerr == nil:
				return nil, fmt.Errorf("it creates a file that exists already: %s", filepath.Base(targets[i]))
			case !creates && !t.Exists:
				return nil, fmt.Errorf("the file that it changes does not exist: %s", filepath.Base(targets[i]))
			}
			t.After = bytes.Clone(t.Before)
			at, out = len(out), append(out, t)
		}
		text, ok := f.apply(string(out[at].After))
		if !ok {
			return nil, fmt.Errorf("it does not apply to %s any more", filepath.Base(targets[i]))
		}
		out[at].After = []byte(text)
	}
	if in.kind == "private" {
		return in.addPointers(out)
	}
	return out, nil
}

// memoryIndex is the file that Gemini CLI loads into each session.
const memoryIndex = "MEMORY.md"

// addPointers adds a line to the index for each new file that it does not name: without one, Gemini CLI would never
// read the file.
func (in inbox) addPointers(texts []Text) ([]Text, error) {
	if !slices.ContainsFunc(texts, func(t Text) bool { return !t.Exists }) {
		return texts, nil
	}
	file := filepath.Join(in.memory[1], memoryIndex)
	at := slices.IndexFunc(texts, func(t Text) bool { return t.File == file })
	var index Text
	if at >= 0 {
		index = texts[at]
	} else {
		var err error
		if index, err = target(file); err != nil {
			return nil, errors.Join(err, errors.New("the index can't be read"))
		}
		if index.After = bytes.Clone(index.Before); !index.Exists {
			index.After = []byte("# Project Memory\n")
		}
	}
	added := false
	for _, t := range texts {
		name := filepath.Base(t.File)
		if t.Exists || strings.EqualFold(name, memoryIndex) || bytes.Contains(index.After, []byte(name)) {
			continue
		}
		about := strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(name[:len(name)-len(".md")]))
		if about == "" {
			about = name
		}
		if !bytes.HasSuffix(index.After, []byte("\n")) {
			index.After = append(index.After, '\n')
		}
		index.After = fmt.Appendf(index.After, "- See %s for %s notes.\n", t.File, about)
		added = true
	}
	switch {
	case !added:
	case at >= 0:
		texts[at] = index
	default:
		texts = append(texts, index)
	}
	return texts, nil
}
