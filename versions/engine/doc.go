// Package engine is the memory engine: it journals every mutation of a folder of memories,
// keeps every version, and is the only writer that other packages use.
//
// # Words
//
// A home has one Trail, a SQLite database in write-ahead mode, for all its stores. A Store is
// a folder of memories, or the named files of a folder, with its part of the trail. A change
// is one journaled act with one or more versions, numbered within its store. A version is the
// immutable record of one memory after one change. A head is the current version of a memory,
// with the state of its file.
//
// # One mutation
//
//	lock             one holder per home, over all processes; released when the process dies
//	follow           check that the folder is still the one at its path
//	recover          finish what a dead holder left
//	BEGIN            a write transaction
//	  adopt          record what other programs did to the files concerned as versions by Outside
//	  check          preconditions, against the files as they are now
//	  decide         by pins, the store's policy and what a person rejected: go on, hold or deny
//	  intent         versions, contents, heads, and the steps to apply to the folder
//	COMMIT           synced: from here the change is safe
//	steps            staging file, a last check, rename
//	note             the steps are done; a commit that is not synced
//	unlock           acknowledged
//	flush            soon after, in batches: sync files and folders, delete the intents
//
// A step records what it expects and what it leaves, so it can be repeated. If a step fails,
// the steps before it are reverted and the change is dropped; if that fails too, the intent
// remains and the next critical section finishes it. If another program wrote first, a change
// that has not reached the folder yet is planned again; during recovery, the other program's
// content becomes the newer version.
//
// # Durability
//
// An acknowledged change survives kill -9 and loss of power, provided that the disk keeps what
// it reports as synced. It costs one sync: the trail's. The folder's files are synced later;
// an intent that is not flushed yet records the boot of the system in which it was applied. A
// process killed within that boot loses nothing. The first open in another boot compares the
// files concerned with their heads. A file with the content from before, or with a part of
// ours, is a lost write and is written again; any other content, and any that is newer than
// our change, was written by another program and is adopted. Where boots can't be
// distinguished (neither Linux nor macOS), files and folders are synced before the
// acknowledgement. So are they when a folder is renamed or an undo creates a folder or a link, with
// everything that was done before: a folder holds files that the trail does not.
//
// Reads use snapshots that end with the call.
//
// # Time
//
// Times are in microseconds. A change is never earlier than the one before it in its store,
// whatever the clock shows; the clock's reading is stored beside it. So a time identifies a
// moment: right after the last change up to it. If the clock was once ahead by more than a
// day, its readings are used for later changes. TreeAt and EntryAt return the state at a
// moment; DiffTrees compares two moments.
//
// # Earlier history
//
// Contents from before the first scan are imported where an agent's records prove them
// (Recollection). They become adopted changes, marked as inferred, with the time at which they
// were made; the time of the recording is stored beside it. They do not make the whole store
// known at that time: moments before the end of the first scan are still refused.
//
// # Undo and restore
//
// Both only add versions. A Goal names what is wanted: to undo a change or a session, to restore a moment, to replace
// a text, to accept a held change. A Plan previews what happens to each memory: clean, merged with
// later changes, in conflict with them, or nothing to do. Do reaches a goal without a preview. Apply computes the plan again under
// the lock and refuses if it differs. The result is one change, which can be undone and redone
// like any other. Path and content are restored independently. To undo a session, runs of
// versions that nobody else interrupted are reverted as one, the newest first. Each is merged
// into the current content: the base is the content after the run, theirs the content before
// it. Lines merge where the edits of both sides don't touch. A conflict is never resolved
// without a Choice. undone_by names the change that last undid a change; if that one is undone
// in turn, the change counts again.
//
// A change also records what it did to what has no versions: links with their targets, folders with their
// modes, and the moves of files over the size limit. An undo reverses it. What could not be created again (a
// pipe, a socket, a device, a file over the limit) is never deleted or overwritten: the whole mutation is
// refused with ErrNotUndoable. A hosted store's replica and an exported history don't record this.
//
// # Several stores
//
// CopyTo brings memories to another store of the home: they are read here, and created there by an ordinary
// mutation. The new version names the version that it was copied from, in the column of a restored content
// (Version.Across). Nothing else leaves a store: its history stays where it is, and history.Before and Blame follow
// the name. MoveTo is a copy, and then a deletion here that names the new version: two changes, of which each is
// decided about by its own store and undone by itself. The deletion begins when the copy is acknowledged, and needs
// the contents that were copied. A process that dies between the two leaves the memory in both stores, never in none.
// MergeInto of two stores works the same way: the text first, and then the deletion of the other memory. Until
// version 0.1.0 such acts were one commit and were undone together; their changes name each other as those of today,
// and are undone one by one.
//
// A hosted store takes part in all of these. A copy from one reads its replica. A copy to one is planned on its
// replica, sent memory by memory, and recorded with the names of the versions that were copied. What a killed process
// had sent is recorded by the next Pull, as it would have done.
//
// # Damage
//
// Every content is checked against its hash when it is read; one that does not match is
// ErrDamaged and never shown. Nothing else is blocked: History, Blame and Export continue
// without it and report it. Check finds inconsistencies. Repair reads a damaged database page
// by page, writes a new one and keeps the damaged one beside it. Anything lost leaves a mark: a
// change of KindLost, a version that is Lost, a content that is ErrLost. Losses lists these
// marks, and Check accepts them.
//
// # Redaction
//
// A redaction (redact.Do) erases the content, hash, size and path of versions; their existence, actor and time
// remain. The request is journaled first, with all its work and the text that was given. Then
// current memories are changed, like any change; intents are flushed; the files beside the
// trail are cleaned; rows are erased, and the given text with them; the free space of all pages
// is zeroed (secure_delete leaves old copies there); and the write-ahead log is emptied into
// the database. While a reader is active this is impossible and the redaction is pending. If
// the process dies in between, the next open of the home finishes the work; once the current
// memories are changed, so does every later mutation of the store. Finally the home and the
// folder are searched for windows of the erased content and for the given text, packed files
// and escaped texts included, and a receipt reports what was found. redact.Verify only searches.
// Deleting a store works the same way. For a hosted store the journal also lists the versions that
// the service still has to erase. Local content is erased at once; the redaction stays pending
// until a Pull has made the service erase them all.
//
// Conversations with agents are kept in the home, one file per session, not in the trail. They
// contain what agents read and wrote; redaction masks every text in them that contains erased
// content, in place and with the same length. A running agent may still repeat what is in its
// context.
//
// Drafts are texts that a person has not saved, kept in the home in case the program is killed;
// so are the copies that external editors work on (package drafts). They are not part of the trail.
// Redaction erases those that contain erased content.
//
// An archived store refuses all our changes except deletions; what other programs write to its
// folder is still adopted.
//
// # Export and import
//
// Export returns a store's whole history piece by piece, in short reads. Import adds a history
// to a store that has none: versions, heads and the steps for the folder are one commit, so a
// process that dies leaves all of it or nothing. Package exchange implements the file formats.
//
// # Hosted stores
//
// A store may be a replica of one that a service keeps (StoreInfo.Upstream): a store like any
// other, whose folder and history follow the service. All reads use the replica, online or
// offline. A mutation is rehearsed on it, sent to the service memory by memory, each with the
// hash that it is based on, and recorded under the ids that the service returned
// (see replica/mutate.go). The home's lock is never held while waiting for the network. What is being sent is
// written down before, so that the next Pull records it under the same caller if the process dies (see
// replica/interrupted.go); only a service that keeps no versions leaves such a write without a name.
// Pull fetches what others did, in the service's order, with its actors and times. What the
// service has dropped since then remains here; what it has erased is erased here. The first
// known version may be a modification: nothing is known before it, and no undo or restore goes
// there. What other programs write to the folder is never adopted: it is held for review, the file gets
// back what the service has, and a person who accepts it sends it (see internal/core/hosted_folder.go). What a redaction
// changes while the service can't be asked has ids with a form of its own (VersionID.Unsent) until the
// next Pull has sent it.
//
// A service's answers are checked before use: ids, paths, hashes and sizes, and that no two
// memories occupy each other's path.
//
// # Search and blame
//
// Blame walks from a version to earlier ones and attributes each line to the version that
// introduced it. Lines that a restore or an undo brought back keep their authors; lines that
// may come from a redacted version are marked. Search searches current memories, in the files,
// and caches their texts for repeated searches; SearchHistory decodes every content of the
// trail once.
//
// # What other programs write
//
// A file is adopted when a scan finds that it differs from its head: Sync scans the whole
// folder, SyncPaths only some memories, at their cost, and Watch uses the system's
// notifications as hints. A file that disappeared and one that appeared with the same content
// are a rename, and so are two of which at least half the content is the same lines. A file that another program is saving, recognised by its name
// NAME.tmp.PID.RANDOM, is skipped for a few seconds. Files over DefaultMaxBytes, links and
// special files are listed and never versioned; what other programs do to links is a change of its own
// (Change.Links), because it may change what an agent reads.
//
// The system does not tell who wrote a file. But if an agent's program reports its calls
// (Report), a found change is attributed to the call that explains it: one with the same path
// and time, and the same content where that is known. Such a version is marked as Inferred. A
// report that arrives after the adoption attributes the recorded change to the agent. If another
// session's call turns out to match as well, the change is attributed to nobody again. Each such
// inference is recorded beside the change, which itself stays as it was; the newest one counts.
// Evidence is not history: it is deleted soon after a scan of the folder, and by each redaction.
//
// # Reads
//
// The ledger records what agents and API clients read through memend: views by the memory tool,
// and what is passed to NoteRead and Report. A person's reading is not recorded, nor that of an
// agent that opens the files itself, unless its program reports it. Recording never waits for
// the disk or a lock: reads are collected in memory and written at most 200 ms or 256 reads
// later, and when the store or the trail is closed. A killed process loses its last reads;
// while the trail can't be written, the newest 16,384 are kept in memory. Stale and Expire use
// the ledger and the time of the last version; Expire deletes only on request, as one change.
//
// # What a person has seen
//
// The versions that a person has seen, and the last state of a store's screens, are stored
// beside the history, by ids and numbers. They make no change, are not synced, and are
// in no export.
//
// # Who may change what
//
// Every mutation is planned, decided and journaled, in this order, for stores of all kinds and for
// all doors (see decide). A caller states who it is and by which Door it comes. Only a person at memend's own
// screens or commands counts as one; who states no door is treated as an agent. A store has a policy
// (package policy), and each session may have its own. It allows a change, denies it, or holds it: a
// held change is stored beside the history with the text that it would write (Held), and nothing is
// changed until a person accepts it. That is a goal like others: a memory that changed since is merged or is a
// conflict, and what was shown must still be so. Lines of a rejected change are
// remembered as salted hashes, and a change that brings one back is held, whatever the policy says.
// A pinned memory or folder is read-only for agents, or for everybody. What other programs write to
// the folder can't be held: it is adopted, except in a hosted store. An act on a whole store, and a redaction, is allowed or
// denied by the same policy. A redaction erases the text of held changes too, and the hashes of what it erases.
//
// The policy may ask what a session took in before: NoteInputs records kinds of sources, never
// contents. Each change records what its session had taken in by then, and a session that reads a memory
// takes in second hand what the writer of that version had.
//
// # The log
//
// Everything above is recorded in one log of the home (package journal), in the transaction that changes the rows:
// changes with their versions, attributions, policies, pins, held changes, redactions and stores. The
// tables are its projection. A record is never altered, and each covers the one before by a hash; the next record of the
// same thing empties the texts of the one before, so a redaction leaves nothing that a guess at the erased text could be
// compared with. A change whose steps failed leaves two records: that it was there, and that it is not.
//
// A check (package check) compares the records with each other and with the tables, and names what was altered, removed or
// inserted. This proves that nobody altered rows by hand, not that nobody wrote the log again: a program of the same
// user can. A check since a head finds that too, provided that the LogHead was kept where the program can't reach it. Repair
// writes the rows again as the log says. Where the log itself is damaged, it keeps the rows, and computes the hashes again
// from the first record that does not fit; Losses reports that for good.
//
// The log of a trail of an earlier format begins with its migration, over the history that it has then. The copy that the
// migration makes has the earlier chains. Open migrates before it returns, and reports how many changes are converted: so the
// TUI shows a line of progress before its first frame. Who ends the process meanwhile leaves the earlier format, and the next
// Open begins again. Nothing else replays at Open: a damaged trail is an error that names Repair, which reports its progress, too.
//
// # Limits and attachments
//
// The limits of a store (bytes of a memory, number of memories, characters of a view) hold for
// every writer here, and stop only growth. A session with stores attached by Attach can change
// no other store, and none that is attached read-only; the critical section of every mutation
// checks that, in whatever process it runs.
//
// # Packages
//
// Three layers, without an arrow up:
//
//	versions          the words: what the engine takes and answers. No disk, no clock
//	internal/core     one home: tables, lock, folder, mutation, adoption, recovery, whose a change is, and the decision.
//	                  Its transaction (core.Txn) and its mutation (core.Mutation) are for the packages of the engine alone
//	features          functions over a Store or a Trail, each package with its contract: history (what was), plan (undo,
//	                  restore, replace, merge, accept), review (held changes, policy, pins, traces), redact, replica (hosted
//	                  stores), stores (making, describing, attaching, deleting), write (by id, copies, moves and merges
//	                  between stores), watch, exchange (histories in and out), gitsync, check (and repair)
//	engine            opens a home with the features that the core calls
//
// The packages below the core know nothing of stores: db (the SQLite file, its salvage), internal/schema (the tables and
// their migrations), journal (the log), repair (the rows of a damaged trail), blobs (contents by their hash), disk
// (locks and erasing), ids, diff, blame, match, search (of current and past texts), planning (what an
// undo does to memories), policy, scrub (the search for erased texts), sweep (erasing them from files beside
// the trail), backup, drafts, conversations and calls (reports and notes of calls, in files). The files
// of the core begin with their chapter: write_ (mutations and what other programs did), who_ (whose a change is), trust_ (who
// may change what), read_, ledger_, trail_.
package engine
