// Package outside reads what agents that run elsewhere leave behind, so that what
// they did to memory can be shown under their names. It reads only: nothing that
// another program owns is ever written, renamed or locked here.
//
// # Words
//
// A project is what Claude Code keeps for one working directory: a folder below
// `projects` in its own folder (Config), named by the slug of that directory (Slug).
// A slug can't be turned back into a path, so a project's true path is what its
// transcripts say, see Projects.
//
// A transcript is the journal of one session: JSON lines, appended while the agent
// works. Its form is the other program's own and changes without notice, so that all
// reading is lenient: what isn't understood is skipped, a torn or foreign line is no
// error, and an empty answer means "not known".
//
// A call is a call of a tool that an agent made elsewhere and that names a file (Call).
// What tells of calls is told in many forms of JSON lines, which a Reader makes into
// this one; of tools that are not known it is not known what they touch, and they are
// counted. A call counts when its result is there and is no error. Stores places it: in
// the store whose folder holds its path, links resolved.
//
// # What is told
//
// A call becomes versions.Evidence, and the store's Report concludes from it who wrote
// what is found in the folder, and puts reads into the ledger. Two channels may tell of
// one call, a hook and a transcript: the second is passed over there.
//
// What a call left in a file is known where the channel tells it: Claude Code stamps the
// frontmatter of memories while it writes them, so that what was written is not what the
// model asked for. The result of a Write holds the text, that of an Edit the text before
// it and a patch (patch.go). Of subagents' calls transcripts and stream-json tell no
// results; hooks do. A line of shell (Bash) is evidence for the paths that it names, for
// as long as it ran. The index MEMORY.md is made by Claude Code itself, without a call,
// when a session starts and there is none.
//
// A run is one session: subagents' calls have its session, and an actor of their own,
// claude-code/reviewer.
//
// # History
//
// Past rebuilds from transcripts what memories held before anybody looked: at the first
// look at a folder, and for what changed between two looks. Each text in it must have been
// in the file: it is the result of a call, or what a call found there, or what the file
// holds now. A text that no call left is nobody's (outside). What a subagent left is known
// only where the next text that is known is what its calls make of the one before.
//
// # Following
//
// Follow follows transcripts from their ends: what was written before is not read, so
// that nothing floods in. A line that is torn waits for its rest; a file that is cut or
// replaced is read anew, and of it only what is new by its times counts.
//
// # What it costs
//
// Finding projects reads names and the heads of a few transcripts, never a whole one:
// the constants in projects.go are the limits. Symbolic links to folders are followed
// one step; nothing walks down, so that a loop of links does no harm.
//
// The environment and the person's home are read by Config alone. All else is given
// its folders, and two calls on the same folders give the same answer.
//
// # Protocol
//
// Claude Code 2.1.330 and @anthropic-ai/claude-agent-sdk 0.3.328 as of November 2026.
// testdata/claude-code holds what a run of Claude Code really said and wrote.
package outside
