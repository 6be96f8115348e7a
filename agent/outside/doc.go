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
// A call becomes versions.Evidence, and the store's Tell concludes from it who wrote
// what is found in the folder, and puts reads into the ledger. Two channels may tell of
// one call, a hook and a transcript: the second is passed over there.
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
// Claude Code 2.1 and @anthropic-ai/claude-agent-sdk 0.3.328 as of November 2026.
package outside
