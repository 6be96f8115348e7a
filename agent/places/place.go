package places

import (
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Place is a folder that contains memories of another tool, or such files in a folder.
type Place struct {
	Kind    Kind
	Folder  string      // absolute, with links resolved
	Files   memfs.Names // of the folder, that are the memories
	Project string      // the directory that its memories are about; "" if unknown or none
	Shared  bool        // its memories belong to no single project: the agents of every project have them
	Agent   string      // the agent that it belongs to, where a tool has several
	id      string      // the tool's name for the project
	Local   bool        // of ClaudeAgent: private to this machine, not checked in with the project

	Gone    bool   // the project's directory does not exist any more
	Living  string // if it is gone: the repository that it was a worktree of; "" if unknown
	Unknown string // why memend does not know this version of the tool; such a folder can't become a store

	Memories int // that a store of the folder would have, as far as counted
	Bytes    int64
	Newest   time.Time // modification time of the newest memory
	More     bool      // there are more than were counted

	Store  versions.StoreInfo // the store that it is already; zero if none
	Within versions.StoreInfo // the store whose folder contains it, so that it can't become one; zero if none
}

// key distinguishes the place from others.
func (p Place) key() string { return p.Folder + "\x00" + p.Files.String() }

// IsStore reports whether the folder is a store of this home.
func (p Place) IsStore() bool { return p.Store.ID != "" }

// CanBeAdded reports whether Add can make a store of it.
func (p Place) CanBeAdded() bool { return !p.IsStore() && p.Within.ID == "" && p.Unknown == "" }

// IsEmpty reports whether there is no memory in the folder.
func (p Place) IsEmpty() bool { return p.Memories == 0 && !p.More }

// Name returns a name for a store of the folder: the project and the tool, such as "shop-claude". It needs no quotes in a
// shell unless the project's name does. It is valid, but may be taken.
func (p Place) Name() string {
	of := rowOf(p.Kind).short
	if p.Agent != "" || p.Kind == ClaudeAgent {
		of += "-" + p.Agent
	}
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

// nameOfNone returns a name for a place without a known project.
func nameOfNone(p Place, of string) string {
	id := p.id
	if p.Kind == ClaudeAuto && !p.Shared { // the slug of the project
		id = filepath.Base(filepath.Dir(p.Folder))
	}
	if id = strings.TrimLeft(id, "-"); id != "" && p.Agent == "" {
		return id + "-" + of
	}
	return of
}

const (
	maxName        = 80   // runes; for the screens, the engine allows more
	maxDescription = 1000 // runes
	maxValue       = 512  // runes of a value of metadata
)

// clean converts a text into a part of a store's name.
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
	s = strings.ReplaceAll(s, "memstore_", "memstore-") // a name with this prefix would look like an id
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

// Description says what the folder contains, and for whom.
func (p Place) Description() string {
	s := p.Kind.String()
	if p.Kind == ClaudeAgent && p.Agent != "" {
		s = "memory of Claude Code's agent " + p.Agent
	} else if p.Agent != "" {
		s += ", " + p.Agent
	}
	switch {
	case p.Project != "":
		s += " for " + p.Project
	case p.Shared && p.Agent == "" || p.Shared && p.Kind == ClaudeAgent:
		s += " for every project"
	}
	if p.Local {
		s += ", of this machine only"
	}
	return strings.ToValidUTF8(cutTo(s, maxDescription), "")
}

// metadata returns the metadata for a store of the folder.
func (p Place) metadata() map[string]string {
	out := map[string]string{Profile: string(p.Kind)}
	if p.Project != "" && utf8.ValidString(p.Project) && utf8.RuneCountInString(p.Project) <= maxValue {
		out[Project] = p.Project
	}
	return out
}
