// Package memfs implements a folder of memories and the memory tool's commands on it.
//
// # Paths
//
// A Path is a checked path in a store. Only ParsePath, ParseToolPath and Path.Join create
// one, so a Path needs no further checks. Names are bytes: nothing is decoded, case-folded or
// normalised. Repeated slashes, "." segments and a final slash are collapsed. A path is
// refused if it contains control characters (below U+0020, and U+007F), invalid UTF-8, a name
// over 255 bytes, more than 3,072 bytes in all, or ".." as a segment in any spelling that some
// program might read as one: between slashes and backslashes, and behind any depth of
// percent-encoding. The memory tool writes /memories/notes/a.md for what the memory-stores API
// and Path.String write /notes/a.md.
//
// # The jail
//
// A Dir wraps one os.Root. No path, link or race makes it read or write anything outside the
// folder. It follows relative links that stay inside; absolute links and links that lead out
// are ErrLinkOut. Reads never wait for a FIFO and never open a device: an Lstat comes first,
// and the opened file is compared with it. Mounts inside the folder and hard links are not
// guarded against (Info.Links counts hard links).
//
// # Named files
//
// OpenNamed opens a folder of which only some files are memories: those that a set of patterns,
// Names, names. For such a Dir nothing else exists in the folder. It opens and lists only folders
// that a pattern leads to, and looks up names without listing a folder where no wildcard makes
// that necessary. A write, a rename or a removal of any other path is an UnnamedError. Hidden
// files are memories where a pattern names them.
//
// # Control files
//
// Path.Control recognises files that make other tools run commands, such as .git, .bashrc, .vscode,
// .claude, Makefile, package.json and .github with all their content, at any depth and in every spelling
// that some file system treats as the same name. This package only recognises them; package
// versions lets nobody but a person write them.
//
// # The six commands
//
// view, create, str_replace, insert, delete and rename are the commands of the tool
// memory_20250818, as Anthropic documents it (read in November 2026), and as its TypeScript
// and Python handlers behave where the documentation is silent. Decode decodes a command from
// the tool's input. Apply computes its effect on a Tree without changing anything and returns
// a Plan and the Result that the model reads. The same planners serve people's commands:
// PlanWrite, PlanCreate, PlanRename, PlanDelete. The caller carries the plan out; package
// versions journals each step.
//
// Text is bytes: only a line feed ends a line, and a command changes no byte that it did not
// name. A file that is not UTF-8 can't be viewed or edited by a command, but it can be
// renamed and deleted. An edited file keeps its mode and owner; a new file is 0600 and a new
// folder 0700, whatever the umask.
//
// Limits: a view has at most 999,999 lines; commands read files up to 256 MiB. Options limit
// the size of written files and the characters of a view; a view that was cut says where and
// which view_range continues it.
//
// # Durability
//
// Stage writes content to a staging file and syncs it; Replace and Create move it into place
// atomically; SyncDir makes that durable. A process that dies in between leaves the old
// content intact and at most a staging file (.memend-….tmp), which Sweep removes. Create and
// Rename never replace. On Linux the kernel guarantees that (RENAME_NOREPLACE). Elsewhere
// Create uses a hard link, and Rename checks first, under the caller's lock.
//
// # Errors
//
// An OpError has the operation, the Path and a cause: one of the Err… sentinels or a bare
// errno. No error and no Result contains a path of the host. What a caller does about an error
// depends on its Class (Is, Ignore), not on its sentinel.
package memfs
