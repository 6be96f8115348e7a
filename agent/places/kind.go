package places

import "github.com/memend/memend/versions"

// Kind is the tool, and its type of memory, that a folder belongs to. A store made of such a folder stores the kind under
// the metadata key Profile.
type Kind string

const (
	ClaudeAuto  Kind = "claude-auto"
	ClaudeAgent Kind = "claude-agent"
	Serena      Kind = "serena"
	MemoryBank  Kind = "memory-bank"
	Copilot     Kind = "copilot"
)

// kinds lists all kinds in display order.
var kinds = []Kind{ClaudeAuto, ClaudeAgent, Serena, MemoryBank, Copilot}

// Profile and Project are the metadata keys under which Add stores the kind and the project of the folder.
const (
	Profile = "profile"
	Project = "project"
)

// String describes what the folder contains.
func (k Kind) String() string {
	switch k {
	case ClaudeAuto:
		return "auto memory of Claude Code"
	case ClaudeAgent:
		return "memory of an agent of Claude Code"
	case Serena:
		return "memories of Serena"
	case MemoryBank:
		return "memory bank"
	case Copilot:
		return "memory of Copilot in VS Code"
	}
	return string(k)
}

// KindOf returns the kind that a store's metadata names, or "".
func KindOf(s versions.StoreInfo) Kind { return Kind(s.Metadata[Profile]) }

// HasIndex reports whether agents of stores of this kind get the beginning of its MEMORY.md at their start. It is true for an
// unknown kind, because the file's name suggests it.
func (k Kind) HasIndex() bool {
	switch k {
	case Serena, MemoryBank, Copilot:
		return false
	}
	return true
}

// HasHooks reports whether each line of the index is a link to a memory with a short description (a "hook"), as Claude Code
// instructs its agents.
func (k Kind) HasHooks() bool { return k == ClaudeAuto }
