// Package outside reads what agents of other programs record, so that their work on memory is
// shown under their names. It only reads: it never writes, renames or locks anything that
// another program owns.
//
// # Words
//
// A project is what Claude Code keeps for one working directory: a folder below `projects` in
// its own folder (Config), named by the slug of that directory (Slug). A slug can't be turned
// back into a path, so a project's true path comes from its transcripts, see Projects.
//
// A transcript is the journal of one session: JSON lines, appended while the agent works. Its
// format belongs to the other program and changes without notice, so all parsing is lenient:
// anything unknown is skipped, a truncated or foreign line is no error, and an empty answer
// means "unknown".
//
// Of Codex only the first prompt of a session is read (CodexPrompt).
//
// A call is a tool call by such an agent that names a file (Call). Calls are reported in many
// forms of JSON lines, which a Reader converts into this one. For unknown tools the files that
// they touch are unknown too, and they are only counted. A call counts when its result has
// arrived and is no error. Stores locates it: in the store whose folder contains its path, with
// links resolved.
//
// # Evidence
//
// A call becomes versions.Evidence. From it the store's Report infers who wrote what is found in
// the folder, and records reads in the ledger. A hook and a transcript may both report a call;
// the second report is ignored there.
//
// The content after a call is known where the channel reports it: Claude Code stamps the
// frontmatter of memories while it writes them, so the file differs from what the model
// requested. The result of a Write contains the text, that of an Edit the text before it and a
// patch (patch.go). Transcripts and stream-json contain no results of subagents' calls; hooks
// do. A shell command (Bash) is evidence for the paths that it names, while it ran. Claude Code
// creates the index MEMORY.md itself, without a call, when a session starts and there is none.
//
// A run is one session: subagents' calls have its session, and an actor of their own,
// claude-code/reviewer.
//
// # History
//
// Past reconstructs from transcripts what memories contained before the first scan of a folder,
// and what changed between two scans. Each of its texts must have been in the file: it is the
// result of a call, or what a call found there, or the current content. A text that no call
// produced has no author (outside). A subagent's result is known only if the next known text is
// what its calls make of the previous one.
//
// # Following
//
// Follow reads transcripts from their ends: it ignores what was written before. A truncated line
// waits for its rest; a file that is truncated or replaced is read again, and only its new
// entries, by their times, count.
//
// # Cost
//
// Finding projects reads names and the beginnings of a few transcripts, never a whole one; the
// constants in projects.go are the limits. Symbolic links to folders are followed one step; no
// folder is walked recursively, so a loop of links does no harm.
//
// Only Config reads the environment and the person's home. Everything else gets its folders as
// arguments, and two calls on the same folders return the same answer.
//
// # Protocol
//
// Claude Code 2.1.330 and @anthropic-ai/claude-agent-sdk 0.3.328 as of November 2026.
// testdata/claude-code contains the real output of a run of Claude Code.
package outside
