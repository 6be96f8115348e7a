// Package storesapi serves the stores of a home by the memory-stores API, so that
// the official SDKs work with them when only their base URL is set.
//
// # Protocol
//
// The 14 calls below /v1/memory_stores, as the OpenAPI document of the official Go
// SDK 1.84 describes them and the TypeScript SDK 1.11 sends them (November 2026); of
// the research preview before it (April 2026) what a client of that time may still
// send: PATCH to update, created_at_gte, preconditions on create. Versions of the
// API and beta headers are not asked for.
//
// A store's name here is its title in the trail, any text; the name that the command
// line knows it by, and the folder, are made from it. Times are microseconds, and no
// two changes of a store have the same. Lists go by keyset: a page costs what is on
// it, and a cursor is good only with the filters that it came with.
//
// # What differs
//
//   - A memory's file must be UTF-8. Another one, which only another program can have
//     written, is no memory here; its path is taken all the same.
//   - A segment of a path is at most 255 bytes, as on the disk, and none may be read
//     as ".." once decoded; both are a 400.
//   - The limits are those of the store: 102,400 bytes and 10,000 memories, unless
//     somebody set others.
//   - A page in full view ends early when its contents get long, with a next_page.
//   - A path must not be a control file of another tool (memfs.Path.Control): a 400.
//   - Redacting a version and deleting a store are a 403 unless Options.Erase allows
//     them.
//   - A path may be taken by what is no memory (a link, a folder with hidden files):
//     then conflicting_memory_id is empty.
//
// # Who it was
//
// A client is an actor of kind versions.APIKey. Its name, api_key_id, is the one that
// its token was issued to (package tokens). For the server's own token, and for keys of
// which none is asked for, it is made of the key by a hash, so that the same key is the
// same actor and nobody can tell the key from it; without a key it is "apikey_local".
// What one client does while a server runs is one session. People are user_actor, agents session_actor, and for what other
// programs wrote created_by is null. A retrieve of a memory with its content is noted
// in the ledger of reads.
//
// # Durability and safety
//
// What was answered with 200 is on the disk; package versions says how. Check and
// write are one step across all processes. A Server is safe for concurrent use, and
// bounds what a client can make it hold: the size of bodies, of pages and the number
// of open stores. It answers no page of a browser: see Options. No answer names a file of
// this machine; the log does.
package storesapi
