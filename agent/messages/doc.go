// Package messages speaks the Messages API (version 2026-10-21) through the official
// SDK. It is the only package that imports the SDK, which takes a minute to compile.
//
// What is the SDK's: credentials, profiles and base URL from the environment, the
// headers, the form of requests, errors before the stream. What is ours: the reading
// of the stream. The SDK hides pings, so that nothing could tell a slow reply from a
// dead one; it takes a stream that was cut for a finished one; and it spends 60 KB
// and 100 µs on each event, where frames.go and the few fields of event.go take a
// fiftieth of that. Blocks, too, go in and out as the bytes that they are.
//
// A Client may be used by several goroutines. Nothing is retried here.
package messages
