// Package agent is how agents come to memory: the built-in live agent, which talks
// to the Messages API and runs the memory tool's calls through the engine, and the
// one form, Event, that all which agents do has on the screens, in the journals of
// conversations and in `memtrail watch`.
//
// # Words
//
// A Session is one conversation with the built-in agent; its id is the session of
// every change and read that it makes. A turn is one request and its reply, counted
// from 1. A turn counts only when the reply is whole: a stream that ended without
// message_stop failed, whatever else it brought, and no call of it is run.
//
// # The protocol
//
// The Messages API with the memory tool (memory_20250818), context editing
// (clear_tool_uses_20250919, clear_thinking_20251015; beta context-management-2025-06-27)
// and compaction (compact_20260112; beta compact-2026-01-12, and on demand; beta
// compact-2026-09-04), as of November 2026. Package messages speaks it, package
// script plays it.
//
// Tokens are the API's own counts unless a name or a sign says that they are
// estimated.
package agent
