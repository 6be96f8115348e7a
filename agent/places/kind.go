package places

import "github.com/memend/memend/versions"

// Kind is the tool, and the memory of it, that a folder belongs to. A store that was
// made of such a folder has it as the value of the metadata key Profile.
type Kind string

const (
	ClaudeAuto  Kind = "claude-auto"
	ClaudeAgent Kind = "claude-agent"
	Serena      Kind = "serena"
	MemoryBank  Kind = "memory-bank"
	Copilot     Kind = "copilot"
)

// kinds are all of them, in the order of a list.
var kinds = []Kind{ClaudeAuto, ClaudeAgent, Serena, MemoryBank, Copilot}

// Profile and Project are the keys of a store's metadata under which Add keeps what it
// knew of the folder.
const (
	Profile = "profile"
	Project = "project"
)

// String is what the folder holds, in words.
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

// KindOf is the kind that a store says it is of; "" when it says none.
func KindOf(s versions.StoreInfo) Kind { return Kind(s.Metadata[Profile]) }

// HasIndex reports whether the agents of a store of this kind are given the beginning
// of its MEMORY.md when they start. Of a store that says nothing it is taken for
// granted, for the name of the file says so.
func (k Kind) HasIndex() bool {
	switch k {
	case Serena, MemoryBank, Copilot:
		return false
	}
	return true
}

// HasHooks reports whether the index is one line a memory, a link and a hook of few
// words, as Claude Code asks it of its agents.
func (k Kind) HasHooks() bool { return k == ClaudeAuto }
