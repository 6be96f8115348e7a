// Package exchange reads and writes histories of memories in formats outside the trail: JSON lines, git repositories, folders of files. The engine
// provides and accepts items (versions.Item); this package only encodes and decodes them. It trusts no input: an invalid one is an error that wraps
// versions.ErrUnsound and names the line, or the commit.
//
// An export reads the tables of the trail, but says only what the log has: written from the log anew, they give the same bytes.
//
// A history contains changes, versions, contents, actors, sessions and ids. It does not contain reads, limits and settings of the store, or file modes.
//
// # JSON lines
//
// This format holds a whole history; export, import and export again gives the same bytes. Each line is one object, in UTF-8, in this order:
//
//	{"memend":"history","format":1}
//	{"content_sha256":"…","content":"…"}                   each content once, before the first change that needs it;
//	{"content_sha256":"…","content_base64":"…"}            the second for binary contents and those larger than 64 MiB
//	{"change":1,"kind":"create","path":"/a.md","to_path":"…","created_by":{"type":"person","name":"ann"},
//	 "session_id":"…","tool_use_id":"…","turn":3,"door":"mcp","taken_in":"web, shell (second hand)","inferred":false,"created_at":"2026-11-21T10:00:00.123456Z","clock_at":"…","undoes":0,
//	 "message":"Fix a typo","author_email":"ann@example.com",
//	 "memory_versions":[{"id":"memver_…","memory_id":"mem_…","operation":"created","path":"/a.md","from_path":"…",
//	   "content_sha256":"…","content_size_bytes":5,"restored_from":"memver_…","redacted_at":"…","redacted_by":{…},"content_lost":false}]}
//	{"end":true,"changes":1}
//
// Empty fields are omitted. clock_at is present if the clock showed another time than created_at; undoes is the change that was undone, or for a redo the
// undo; message and author_email are those of the commit that the change was imported from. A redacted version has neither paths nor content. A version
// whose content was lost to damage (content_lost) has no content, and its hash is not imported. Unknown fields are ignored. A file without its last line
// is truncated.
//
// # The simple form
//
// Any script can write this format: one line per change, oldest first, with its operations in the order in which they happened.
//
//	{"ts":1765704131,"actor":"agent:name","session":"…","ops":[
//	  {"op":"create","path":"/a.md","content":"…"},
//	  {"op":"update","path":"/a.md","sha256":"…"},
//	  {"op":"rename","from":"/a.md","path":"/b.md","sha256":"…"},
//	  {"op":"delete","path":"/b.md"}]}
//
// ts is in seconds and may have fractions; actor is user:NAME, person:NAME, agent:NAME, api_key:NAME or outside; if session is missing, "commit" is the
// session. A content is in the operation itself or in a file beside it: blobs.jsonl for ops.jsonl, with lines {"sha256":"…","content":"…"} (or
// "content_base64"). bytes, if present, must match the content. A rename without a content keeps the content.
//
// # git
//
// A history is written as a stream for git fast-import, in which a change is a commit on refs/heads/main. The author is the actor. Trailers at the end of the
// message (Memend-…) contain what git has no field for, so importing such a repository restores the history, except for contents of no live path. A change that
// was imported from a commit keeps its message and its author's e-mail address; other changes get a message that describes them, and an address that ends in
// @memend. A redacted content is in no tree from its version until the memory's next version that is not redacted; nor is a content that was lost to damage.
// The same history makes the same commits, so a later export to the same repository appends to it.
//
// A repository is read with git's own commands, along first parents. A foreign commit becomes a change by person NAME; its session is the commit's id. Links,
// submodules, files over versions.DefaultMaxBytes and files whose names are not valid paths of memories are left out and reported; modes and time zones are
// dropped. A message longer than 64 KiB is truncated. A message or a name that git can't convert to UTF-8 is read as Latin-1. At the end the memories are
// compared with the tree of the commit.
package exchange
