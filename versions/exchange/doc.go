// Package exchange reads and writes histories of memories in forms that leave the
// trail: JSON lines, git's fast-import stream, folders of files. The engine gives
// and takes items (versions.Item); this package only turns them into bytes and
// back, and trusts nothing that it reads: what is wrong is an error that wraps
// versions.ErrUnsound and names the line, or the byte for git's form.
//
// What a history holds: changes, versions, contents, actors, sessions, ids.
// What it does not: reads, limits and settings of the store, file modes.
//
// # JSON lines
//
// The whole of a history; export, import, export again gives the same bytes. One
// object a line, in UTF-8, in this order:
//
//	{"memend":"history","format":1}
//	{"content_sha256":"…","content":"…"}                   each content once, before the first change that needs it;
//	{"content_sha256":"…","content_base64":"…"}            the second for what is not UTF-8 or larger than 64 MiB
//	{"change":1,"kind":"create","path":"/a.md","to_path":"…","created_by":{"type":"person","name":"ann"},
//	 "session_id":"…","tool_use_id":"…","turn":3,"inferred":false,"created_at":"2026-11-21T10:00:00.123456Z","clock_at":"…","undoes":0,
//	 "message":"Fix a typo","author_email":"ann@example.com",
//	 "memory_versions":[{"id":"memver_…","memory_id":"mem_…","operation":"created","path":"/a.md","from_path":"…",
//	   "content_sha256":"…","content_size_bytes":5,"restored_from":"memver_…","redacted_at":"…","redacted_by":{…},"content_lost":false}]}
//	{"end":true,"changes":1}
//
// What is empty is left out. clock_at is there when the clock did not say
// created_at; undoes is the change that was taken back, of a redo the undo;
// message and author_email are those of the commit that the change was imported from. A
// redacted version has neither paths nor content; of one whose content is lost to damage
// (content_lost) no content comes, and its hash is not taken in. Unknown fields are ignored. A
// file without its last line was cut off.
//
// # The simple form
//
// What any script can write: a line a change, oldest first, its operations in the
// order in which they happened.
//
//	{"ts":1765704131,"actor":"agent:name","session":"…","ops":[
//	  {"op":"create","path":"/a.md","content":"…"},
//	  {"op":"update","path":"/a.md","sha256":"…"},
//	  {"op":"rename","from":"/a.md","path":"/b.md","sha256":"…"},
//	  {"op":"delete","path":"/b.md"}]}
//
// ts is in seconds, fractions allowed; actor is user:NAME, person:NAME,
// agent:NAME, api_key:NAME or outside; without a session "commit" is the session. A
// content is in the operation itself, or in a file beside it: blobs.jsonl for
// ops.jsonl, with lines {"sha256":"…","content":"…"} (or "content_base64").
// bytes, when given, is held against the content. A rename without a content
// keeps the one it has.
//
// # git
//
// A change is a commit on refs/heads/main. The author is the actor; the trailers at the
// end of the message (Memend-…) hold what git has no place for, so that a stream of ours
// comes back as it was, except for contents of no live path. A change that was imported
// from a commit keeps its message and the e-mail address of its author; others get a
// message that says what they did, and an address that ends in @memend. What was redacted is
// not in any tree from its version until the memory's next one that is not; nor is a
// content that is lost to damage.
//
// Read are streams of git fast-export, one line of commits each. A commit of
// somebody else is a change by person NAME, its session the commit's id where the
// stream says that. Links, submodules and files whose names no path of a memory can have
// are left out and named; modes and time zones are not kept. Of a message longer than 64
// KiB the beginning is kept. A message or a name that is not UTF-8 is read as Latin-1.
package exchange
