// Package messages implements agent.API: the Messages API (version 2026-10-21) through the official SDK. It is the only
// package that imports this part of the SDK, which takes a minute to compile.
//
// The SDK handles credentials, profiles and base URL from the environment, headers, the form of requests, and errors
// before the stream. This package reads the stream itself. The SDK hides pings, so a slow reply could not be
// distinguished from a dead one; it treats a truncated stream as complete; and it spends 60 KB and 100 µs on each event,
// while frames.go and the few fields of event.go need a fiftieth of that. Blocks are passed on as bytes.
//
// A Client is safe for concurrent use. It never retries.
package messages
