// Package script simulates the Messages API on loopback, inside the process, with a script instead of a model. The demo and the
// tests use it.
//
// The script determines what the model says: Conversations contain prompts of the person and the turns that answer each. A turn
// may be a function of the request, so that the agent reacts to the results of the memory tool. Everything else is computed from
// the request as the API does it: the request is validated, the context edits are applied (by agent.Clear), tokens are estimated
// from the bytes, the prompt cache recognises equal beginnings, and a conversation above the threshold is compacted. So the
// figures describe what was sent, though tokens are estimates here.
//
// The position in a conversation is determined from the request alone, so retries, concurrent sessions and conversations that
// outlive the process all continue at the right turn. A summary encodes its position in the part that only the API reads (or, if
// a client requested it, in its last line).
//
// The server supports versions 2023-06-01 and 2026-10-21 and accepts any key in either header. It does not depend on the SDK.
package script
