// Package script is the Messages API on loopback, inside the process, where a script
// takes the model's place. The demo and the tests run on it.
//
// What is scripted is what the model says: Conversations are prompts of the person and
// the turns that answer each, and a turn may be a function of the request, so that the
// agent reacts to what the memory tool answered. All else is worked out from the
// request as the API does it: the request is checked, the context edits are applied
// (by agent.Clear), tokens are estimated from the bytes, the prompt's cache remembers
// what begins alike, a conversation above the threshold is compacted. So the figures
// are of what was sent, though a token is an estimate here.
//
// Where a conversation stands is read from the request alone, so that retries, several
// sessions at once and conversations that outlive the process all go on at the right
// turn. A summary carries its place in the script in what only the API reads (and the
// summaries that a client asks for, in their last line).
//
// It speaks versions 2023-06-01 and 2026-10-21 and takes a key, any key, in either
// header. It knows nothing of the SDK.
package script
