package places

import "github.com/memend/memend/versions"

// Kind is the tool, and its type of memory, that a folder belongs to. A store made of such a folder stores the kind under
// the metadata key Profile.
type Kind string

// The kinds that code outside of rows names.
const (
	ClaudeAuto  Kind = "claude-auto"
	ClaudeAgent Kind = "claude-agent"
	Serena      Kind = "serena"
	MemoryBank  Kind = "memory-bank"
	Copilot     Kind = "copilot"

	Instructions Kind = "instructions"
)

// Profile and Project are the metadata keys under which Add stores the kind and the project of the folder.
const (
	Profile = "profile"
	Project = "project"
)

// String describes what the folder contains.
func (k Kind) String() string { return rowOf(k).about }

// Keep returns what a person should know before they change something in such a folder; "" if nothing.
func (k Kind) Keep() string { return rowOf(k).keep }

// KindOf returns the kind that a store's metadata names, or "".
func KindOf(s versions.StoreInfo) Kind { return Kind(s.Metadata[Profile]) }

// HasIndex reports whether agents of stores of this kind get the beginning of its MEMORY.md at their start. It is true for an
// unknown kind, because the file's name suggests it.
func (k Kind) HasIndex() bool { return rowOf(k).index }

// HasHooks reports whether each line of the index is a link to a memory with a short description (a "hook"), as Claude Code
// instructs its agents.
func (k Kind) HasHooks() bool { return rowOf(k).hooks }
