// Package proposals reads the changes that other tools hold back themselves until a person decides, and lets a
// person decide about them as those tools do.
//
// A tool is a row of tools: a name, an actor and a function that lists its proposals. A proposal says which texts
// the tool's own accept would write to which files. Accept writes these texts through the engine, as one change
// of the store that has the files, and then removes the tool's file; Reject removes it. Nothing else of a tool is
// changed. A Queue is the proposals of one store: those whose files all lie in its folder. It is safe for
// concurrent use. Errors name the proposal.
//
// A proposal has a name: that of its tool, a colon, and what the tool calls it, for example
// "hermes:1a2b3c4d" or "gemini:shop/private/notes.patch". It has no number of the home.
//
// # Gemini CLI
//
// GEMINI/tmp/ID/memory/.inbox/private/**.patch proposes changes of the Markdown files directly in
// GEMINI/tmp/ID/memory, and .inbox/global/**.patch of GEMINI/GEMINI.md alone. GEMINI is .gemini in
// $GEMINI_CLI_HOME, or else in the person's home. Each file is a unified diff of one file or more, with absolute
// paths. The file is applied as a whole: a part that does not fit exactly, though perhaps at other lines, makes
// all of it fail. A new file of private memory that MEMORY.md does not name gets a line there. A patch that is
// malformed, or names another file, is not listed: Gemini CLI hides it too. One that does not apply any more is
// listed with the reason, and can be rejected. Gemini CLI's dialog decides about all patches of a kind together;
// each of them is a transaction of its own there, and a row of its own here.
//
// Source: google-gemini/gemini-cli of 2026-08-21 (5411f113), packages/core/src/services/memoryPatchUtils.ts,
// commands/memory.ts and config/storage.ts, and jsdiff 8.0.3, src/patch.
//
// # Hermes
//
// HERMES/pending/memory/ID.json proposes additions, replacements and removals of entries in HERMES/memories/MEMORY.md
// or USER.md. HERMES is $HERMES_HOME, or else ~/.hermes and each folder of ~/.hermes/profiles. Entries are separated by a line
// with a section sign. Text that is not an entry stops everything but an addition, an entry is found by a part of it that
// must be unique, and a file has a limit of characters (memory.memory_char_limit and memory.user_char_limit in
// config.yaml). Hermes also refuses texts that look like an attack; its patterns are not repeated here, but
// memend's guard checks the text as it checks every other.
//
// Source: NousResearch/hermes-agent as of 2026-09, tools/write_approval.py, tools/memory_tool.py,
// hermes_cli/write_approval_commands.py and hermes_constants.py.
package proposals
