// Package storesapi serves the stores of a home over the memory-stores API, so that the official SDKs
// work with them when only their base URL is set.
//
// # Protocol
//
// The package implements the 14 calls below /v1/memory_stores as the OpenAPI document of the official Go
// SDK 1.84 describes them and the TypeScript SDK 1.11 sends them (November 2026). From the earlier
// research preview (April 2026) it accepts what clients of that time may still send: PATCH to update,
// created_at_gte, preconditions on create. API versions and beta headers are not required.
//
// A store's name in the API is its title in the trail, any text; its name on the command line and its
// folder are derived from it. Times are in microseconds, and no two changes of a store have the same
// time. Lists use keyset pagination: the cost of a page depends on its rows only, and a cursor is valid
// only with the filters that it was made for.
//
// # Differences
//
//   - A memory's file must be UTF-8. Any other file, which only another program can have written, is not
//     listed as a memory; its path is still taken.
//   - A segment of a path has at most 255 bytes, as on the disk, and must not decode to ".."; both are a
//     400.
//   - The limits are the store's: 102,400 bytes and 10,000 memories, unless changed.
//   - A page in full view ends early if its contents get long, with a next_page.
//   - A path must not be a control file of another tool (memfs.Path.Control): a 400.
//   - A path of a store of named files must be one of them: a 400.
//   - Redacting a version and deleting a store are a 403 unless Options.Erase allows them.
//   - A path may be taken by something other than a memory (a link, a folder with hidden files): then
//     conflicting_memory_id is empty.
//
// # Actors
//
// A client is an actor of kind versions.APIKey. Its name, api_key_id, is the one that its token was
// issued to (package tokens). For the server's own token, and for keys on a server that requires none,
// the name is a hash of the key: the same key is always the same actor, and the key can't be derived
// from it. Without a key it is "apikey_local". A client's requests to one run of the server are one
// session. People are user_actor and agents session_actor; for what other programs wrote, created_by is
// null. Retrieving a memory with its content is recorded in the ledger of reads.
//
// With Options.Attached clients see only these stores, can't create others, and can only read those
// that are attached read-only: other calls are a 403.
//
// # Durability and safety
//
// A change that was answered with 200 is durable; package versions says how. The check and the write are
// one atomic step across all processes. A Server is safe for concurrent use and limits what a client can
// make it hold: the size of bodies and pages, and the number of open stores. It refuses requests from web
// pages: see Options. No response names a file of this machine; the log does.
package storesapi
