// Package mcp gives agents that speak the Model Context Protocol the stores of a
// home: as the memory tool, as six tools of our own, and as resources.
//
// # Sessions
//
// A connection is a session: its id stands with every change and every read that
// comes through it, the actor is an agent of the client's name and version; over HTTP,
// the client that its token was issued to (package tokens). Over HTTP there are at most
// maxSessions: the one that was silent for longest makes room for a new one. A call's
// tool_use id is the one that the client sends with it (Claude Code and Codex do), else
// one that is made for the call.
//
// A call whose session a hook noted is in that session, over every transport: Claude
// Code's hooks note each call before it is made. Over standard input a client may name the
// session too: Codex does with each call (_meta.sessionId), Claude Code in the environment
// of the server (CLAUDE_CODE_SESSION_ID). Where stores are attached the session is the
// connection's own: what is attached holds for a whole session. Gemini CLI and opencode
// send neither a session nor the id of a call.
//
// # The memory tool
//
// The tool "memory" has the six commands of memory_20250818, and answers with the
// protocol's strings, to the letter: what the model did wrong and what the store
// refuses is a result with isError, never an error of the protocol. So is a failure
// of the store, in plain words: a full disk, a folder that is gone, a lock that
// another program keeps for longer than CallTimeout.
//
// # The six tools
//
// The research preview of memory stores had tools called memory_list, memory_search,
// memory_read, memory_write, memory_edit and memory_delete, whose schemas were never
// published. Those here are our own. Paths are written as the memory tool writes
// them, answers are structured, and writes take preconditions: content_sha256 (the
// memory holds exactly this) and not_exists. Check and write are one step.
//
// # Resources
//
// A memory is the resource memend:///memories/PATH, with all but the letters,
// digits and signs that a URI may hold percent-encoded; of several attached stores
// each is a folder below /memories. Who subscribed is told when a memory changes, is
// moved or deleted, and everybody when the list changes, whoever did it: the store is
// watched. Reading one is a read in the ledger; listing is not, nor is searching.
//
// # Limits
//
// What is read at once is at most maxRead bytes, so that no answer is longer than
// clients take; a longer view ends as views do that a store limits, and says how to
// go on.
//
// # Protocol
//
// Model Context Protocol up to 2026-07-28 over stdio, up to 2025-11-25 over
// streamable HTTP (there sessions need a handshake), by the official Go SDK.
package mcp
