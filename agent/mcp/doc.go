// Package mcp serves the stores of a home to agents over the Model Context Protocol: as the
// memory tool, and as six tools of our own.
//
// # Sessions
//
// A connection is a session: its id is recorded with every change and every read that comes
// through it. The actor is an agent with the client's name and version; over HTTP, the client
// that its token was issued to (package tokens). Over HTTP there are at most maxSessions: a new
// one replaces the one that was silent for longest. A call's tool_use id is the one that the
// client sends with it (Claude Code and Codex do), otherwise a generated one.
//
// If a hook announced a call, the call belongs to the hook's session, over every transport:
// Claude Code's hooks announce each call before it is made. Over standard input a client may
// also name the session: Codex with each call (_meta.sessionId), Claude Code in the environment
// of the server (CLAUDE_CODE_SESSION_ID). If stores are attached, the session is always the
// connection's own, because an attachment holds for a whole session. Gemini CLI and opencode
// send neither a session nor the id of a call.
//
// # The memory tool
//
// The tool "memory" has the six commands of memory_20250818 and answers with exactly the
// protocol's strings: mistakes of the model and refusals of the store are results with isError,
// never protocol errors. So are failures of the store, in plain words: a full disk, a missing
// folder, a lock that another program holds for longer than CallTimeout.
//
// # The six tools
//
// The research preview of memory stores had tools called memory_list, memory_search,
// memory_read, memory_write, memory_edit and memory_delete, whose schemas were never published.
// The schemas here are our own. Paths are written as in the memory tool, answers are structured,
// and writes take preconditions: content_sha256 (the memory has exactly this content) and
// not_exists. The check and the write are one atomic step.
//
// # Limits
//
// One read returns at most maxRead bytes, so that no answer is longer than clients accept; a
// longer view is cut like a view that exceeds a store's limit, and says how to continue.
//
// # Protocol
//
// Model Context Protocol up to 2026-07-28 over stdio, up to 2025-11-25 over streamable HTTP
// (where sessions need a handshake), through the official Go SDK.
package mcp
