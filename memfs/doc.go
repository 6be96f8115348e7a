// Package memfs is a folder of memories and the memory tool that works on it.
//
// # Paths
//
// A Path is a checked place in a store. Only ParsePath, ParseToolPath and
// Path.Join make one; whoever holds one need not check again. Names are bytes as
// they are: nothing is decoded, folded or normalised. Repeated slashes, "."
// segments and a final slash are collapsed. Refused are: control characters
// (below U+0020, and U+007F), what is not UTF-8, a name over 255 bytes, a path
// over 3,072, and ".." as a segment in every spelling that some program might
// read as one, between slashes and backslashes and behind percent-encoding of any
// depth. The memory tool writes /memories/notes/a.md for what the memory-stores
// API and this package's String write /notes/a.md.
//
// # The jail
//
// A Dir holds one os.Root. Whatever a path, a link or a race tries, nothing
// outside the folder is read or written. Links that stay inside are followed,
// when they are relative; absolute ones and those that lead out are ErrLinkOut.
// Reads never wait for a FIFO and never open a device: a Lstat comes first, then
// the opened file is compared with what was looked at. Not guarded against are
// mounts inside the folder and hard links (Info.Links counts them).
//
// # Control files
//
// Path.Control knows the files of other tools that make those run commands: .git,
// .hg, .svn, .jj, .husky, .vscode, .idea, .devcontainer, .claude, .cursor, .codex
// and .gemini with all that is in them, .envrc, .mcp.json and
// .pre-commit-config.yaml, at any depth and in every spelling that some file system
// takes for the same name. This package only knows them; package versions refuses to
// let anybody but a person write them.
//
// # The six commands
//
// view, create, str_replace, insert, delete and rename of the tool
// memory_20250818, as Anthropic documents it (read in November 2026) and as its
// TypeScript and Python handlers behave where the documentation is silent. Decode
// reads a command from tool input, Apply works it out on a Tree without changing
// anything, and gives a Plan and the Result that the model reads. Plans are made
// by the same planners that people's commands use: PlanWrite, PlanCreate,
// PlanRename, PlanDelete. Carrying a plan out is the caller's; package versions
// journals each step.
//
// Text is bytes: lines end at a line feed and nowhere else, and no byte of a file
// changes that a command did not name. A file that is not UTF-8 is shown to
// nobody and edited by no command, but can be renamed and deleted. A file keeps
// its mode and owner when it is edited; a new one is 0600 and a new folder 0700,
// whatever the umask.
//
// Limits: a view of 999,999 lines; commands read files up to 256 MiB. Options
// add a limit for written files and for the characters of a view; a view that was
// cut says where and which view_range reads on.
//
// # Durability
//
// Stage writes a content under a name of no consequence and syncs it; Replace and
// Create put it in place atomically; SyncDir makes that durable. A process that
// dies in between leaves the old content whole, and at most a staging file
// (.memend-….tmp) which Sweep removes. Create and Rename never replace: on Linux
// the kernel makes sure (RENAME_NOREPLACE), elsewhere a hard link does for Create,
// and for Rename a look beforehand, under the caller's lock.
//
// # Errors
//
// An OpError has the operation, the Path and a cause; causes are the Err…
// sentinels, or a bare errno. No error and no Result ever holds a path of the
// host.
package memfs
