// Package agent is how agents come to memory: the built-in live agent, which talks
// to the Messages API and runs the memory tool's calls through the engine, and the
// one form, Event, that all which agents do has on the screens, in the journals of
// conversations and in `memend watch`.
//
// # Words
//
// A Session is one conversation with the built-in agent; its id is the session of
// every change and read that it makes. A turn is one request and its reply, counted
// from 1. A turn counts only when the reply is whole: a stream that ended without
// message_stop failed, whatever else it brought, and no call of it is run.
//
// # What is durable when
//
// A session's journal is what is known of it. Before a request is sent, all that it
// answers is on disk: the prompt, the results. Before the calls of a reply are run, the
// reply is on disk: so each change in a trail that names a session and a tool_use has
// its call in that session's journal. A result is in the journal after its change; when
// a program dies in between, Crew.Resume finds the change in the trail and tells the
// model that it was made. Pieces of a reply are not kept, its finished blocks are. A
// session whose journal can't be written runs no call and sends nothing more.
//
// The messages that are sent are a fold over the events that are kept (history), and so
// is what the screens show (State): a conversation that was kept goes on with exactly
// what the model knew.
//
// # Stops and failures
//
// A stop, or a failure that is not tried again, keeps of the turn its finished blocks
// and the text that was on its way; calls in it are answered with "cancelled" and never
// run. A call that is being carried out when the person stops is carried out. What is
// tried again begins anew: what had come of it is void. Compactions are made between
// turns alone, when every call is answered; the messages that one replaced are kept.
//
// # Protocol
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
