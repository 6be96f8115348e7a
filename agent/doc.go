// Package agent implements the built-in live agent, which talks to the Messages API and runs
// the memory tool's calls through the engine, and Event, the one form in which the screens,
// stored conversations and `memend watch` receive what agents do.
//
// # Words
//
// A Session is one conversation with the built-in agent; its id is the session of every change
// and read that it makes. A turn is one request and its reply, counted from 1. A turn counts
// only if the reply is complete: a stream that ended without message_stop failed, whatever it
// delivered, and none of its calls is run.
//
// # What is durable when
//
// A session's journal is its stored conversation. Before a request is sent, everything that it
// answers is on disk: the prompt and the results. Before the calls of a reply are run, the
// reply is on disk: so every change in a trail that names a session and a tool_use has its call
// in that session's journal. A result is written to the journal after its change; if the
// program dies in between, Manager.Resume finds the change in the trail and tells the model that
// it was made. Fragments of a reply are not stored, finished blocks are. A session whose journal
// can't be written runs no more calls and sends nothing.
//
// The messages to send are a fold over the stored events (history), and so is what the screens
// show (State): a resumed conversation continues with exactly what the model knew.
//
// # Stops and failures
//
// After a stop, or a failure that is not retried, the turn keeps its finished blocks and the
// text received so far; its calls are answered with "cancelled" and never run. A call that is
// running when the person stops is completed. A retry starts over and discards what the failed
// attempt delivered. Compactions happen only between turns, when every call is answered.
//
// # Protocol
//
// The Messages API with the memory tool (memory_20250818), context editing
// (clear_tool_uses_20250919, clear_thinking_20251015; beta context-management-2025-06-27)
// and compaction (compact_20260112; beta compact-2026-01-12, and on demand; beta
// compact-2026-09-04), as of November 2026. Package messages implements it over HTTP, package
// script simulates it.
//
// Tokens are the API's own counts unless a name or a sign marks them as estimated.
package agent
