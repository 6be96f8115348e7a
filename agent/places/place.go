package places

import (
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/versions"
)

// Place is a folder of another tool that holds memories.
type Place struct {
	Kind    Kind
	Folder  string // its one true name: links are resolved
	Project string // the directory that its memories are about; "" when unknown or of none
	Shared  bool   // its memories are of no one project: the agents of every project have them
	Agent   string // of ClaudeAgent: the type of subagent
	Local   bool   // of ClaudeAgent: beside the project's own, for this machine only

	Memories int // a store of the folder would hold so many, as far as was counted
	Bytes    int64
	Newest   time.Time // when the memory written last was
	More     bool      // there are more than were counted

	Store  versions.StoreInfo // that it is already; zero when it is none
	Within versions.StoreInfo // the store in whose folder it lies, so that it can't become one
}

// IsStore reports whether the folder is a store of this home.
func (p Place) IsStore() bool { return p.Store.ID != "" }

// CanBeAdded reports whether Add can make a store of it.
func (p Place) CanBeAdded() bool { return !p.IsStore() && p.Within.ID == "" }

// IsEmpty reports whether there is no memory in the folder.
func (p Place) IsEmpty() bool { return p.Memories == 0 && !p.More }

// Name is what a store of the folder should be called: the project, and whose memory
// it is, as "shop-claude". A shell takes it without quotes, where the project's name is
// such. It is a valid name, but may be taken.
func (p Place) Name() string {
	of := map[Kind]string{ClaudeAuto: "claude", ClaudeAgent: "claude-" + p.Agent, Serena: "serena", MemoryBank: "memory-bank", Copilot: "copilot"}[p.Kind]
	if p.Local {
		of += "-local"
	}
	project := ""
	if p.Project != "" {
		project = clean(filepath.Base(p.Project))
	}
	if project == "" {
		return clean(cutTo(nameOfNone(p, of), maxName))
	}
	return cutTo(project, maxName/2) + "-" + cutTo(clean(of), maxName/2)
}

// nameOfNone is a name for what is of no project, or of one that isn't known.
func nameOfNone(p Place, of string) string {
	if p.Kind == ClaudeAuto && !p.Shared { // the slug is better than nothing
		return strings.TrimLeft(filepath.Base(filepath.Dir(p.Folder)), "-") + "-claude"
	}
	return of
}

const (
	maxName        = 80   // runes; the engine would take more, a screen would not
	maxDescription = 1000 // runes
	maxValue       = 512  // runes of a value of metadata
)

// clean makes a text part of a store's name.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || unicode.IsSpace(r):
			return '-'
		case r == utf8.RuneError, unicode.IsControl(r), !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, s)
	s = strings.ReplaceAll(s, "memstore_", "memstore-") // what begins with it looks like an id
	return strings.Trim(strings.TrimLeft(s, ".-"), "-")
}

func cutTo(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return strings.TrimSpace(s[:i]) + "…"
		}
	}
	return s
}

// Description says what the folder is, and whose.
func (p Place) Description() string {
	s := p.Kind.String()
	if p.Kind == ClaudeAgent && p.Agent != "" {
		s = "memory of Claude Code's agent " + p.Agent
	}
	switch {
	case p.Project != "":
		s += " for " + p.Project
	case p.Shared:
		s += " for every project"
	}
	if p.Local {
		s += ", of this machine only"
	}
	return strings.ToValidUTF8(cutTo(s, maxDescription), "")
}

// metadata is what a store of the folder keeps of it.
func (p Place) metadata() map[string]string {
	out := map[string]string{Profile: string(p.Kind)}
	if p.Project != "" && utf8.ValidString(p.Project) && utf8.RuneCountInString(p.Project) <= maxValue {
		out[Project] = p.Project
	}
	return out
}
