// Package versions is the memory engine: it journals each mutation of a folder of
// memories, keeps every version, and is the only writer that others get.
//
// # Words
//
// A home holds one Trail, a SQLite database in write-ahead mode, for all its
// stores. A Store is a folder of memories with its part of the trail. A change is
// one journaled act with one version or more; it is numbered within its store. A
// version is the immutable record of one memory after one change. A head is the
// newest version of a memory that stands, with what its file looked like.
//
// # One mutation
//
//	lock             one holder a home, over all processes; released by death
//	follow           the folder is the one that stands there now
//	recover          finish what a dead holder left
//	BEGIN            a write transaction
//	  adopt          what other programs did to the files concerned becomes versions by Outside
//	  check          preconditions, against the files as they are now
//	  intent         versions, contents, heads, and the steps the folder is to go through
//	COMMIT           synced: from here the change is safe
//	steps            temp file, a last look, rename
//	note             the steps are done; a commit that is not synced
//	unlock           acknowledged
//	settle           soon after, in batches: sync files and folders; the intents go
//
// A step knows what it expects to find and what it leaves, so it can be done
// again. When one fails, those before it are taken back and the change is
// forgotten; when even that fails, the intent stays and the next critical section
// finishes it. When another program was faster, a change of which nothing has
// reached the folder is planned anew; in recovery, what the other wrote stands on
// top of ours in the history.
//
// # Durability
//
// An acknowledged change survives kill -9 and loss of power, as far as the disk
// keeps what it says it synced. It costs one sync: the trail's. The folder's files
// follow; an intent that is not settled names the run of the system (boot) that it
// was carried out in. A process killed in that run loses nothing of it. The first
// open in another run compares the files concerned with their heads: what holds
// the state before, or a part of ours, is a lost write, and is done again; any
// other content, and any that is newer than our change, is another program's, and
// is adopted. Where runs of the system
// can't be told apart (not Linux, not macOS), files and folders are synced first.
// So they are when a folder is renamed, with all that was done before: a folder
// holds what the trail does not.
//
// Readers use snapshots that end with the call.
//
// # Time
//
// Times are microseconds. No change is earlier than the one before it in its
// store, whatever the clock did; what the clock said is kept beside it. So a time
// is a moment: right after the last change up to it. Where the clock was ahead by more
// than a day once, what it said counts for the changes since. TreeAt and EntryAt tell what
// stood then, DiffTrees what differs between two moments.
//
// # History from before
//
// What memories held while nobody looked is taken in where an agent's records prove it
// (Recollection): as adopted changes, marked as inferred, with the time at which they were
// made; what the clock said when they were recorded is kept beside it. That a memory is
// known from before the first look does not make the store known as it was then: moments
// before the end of that look stay refused.
//
// # Undo and restore
//
// Both only add. A Plan says first what becomes of each memory: what can be done as
// asked, what merges with later changes, what conflicts with them, what is as asked
// already. Apply works the same plan out again where it writes, under the lock, and
// refuses when anything comes out otherwise; then it is one change, undone and redone
// like any other. Path and content go back each for itself. Of a session, runs of a
// memory's versions that nobody else interrupted go back as one, the newest first,
// each merged into what stands: base what the run left, theirs what was before it.
// Lines merge where the two sides' edits don't touch. A conflict is never settled
// without a Choice. undone_by names who took a change back last; the change stands
// again when that one was taken back in turn.
//
// # Damage
//
// Every content is checked against its hash when it is read; one that fails is
// ErrDamaged, never shown. It blocks nothing else: History, Blame and Export go on without
// it and say so. Check finds what does not hold. Repair reads a damaged database page by
// page, writes it anew and puts the damaged one aside. What is lost leaves a mark: a
// change of KindLost, a version that is Lost, a content that is ErrLost. Losses lists
// these marks, and Check takes them for sound.
//
// # Redaction
//
// Redact erases content, hash, size and path of versions; that they were, whose
// they are and when stays. It is journaled first, with all that it has to do and the
// text that was named. Then current memories are changed, as any change; intents are
// settled; the files beside the trail are swept; rows are erased, and with them the
// text that was named; the slack of all pages is zeroed (secure_delete leaves old
// copies there); and the log is emptied into the database. While anybody reads that
// can't be done, and the redaction is pending. A process that dies in between is made
// up for by the next open, whoever opens the home; by each later mutation of the store
// once its current memories are changed. At last the home and the folder are searched
// for windows of what was erased and for the text that was named, packed files and
// escaped texts too, and a receipt says what was found. VerifyErased only searches.
// DeleteStore goes the same way. Of a hosted store the journal also lists the versions
// that the service has yet to erase. What is here is erased without it; the redaction is
// pending until a Pull has brought the service to erase them all.
//
// Conversations with agents are kept in the home, one file a session, beside the
// trail and not in it. What agents read and wrote stands in them; redaction masks
// there, in its place and at its length, each text that holds what it erases. What
// a running agent still has in mind it may say again.
//
// Drafts are texts that a person has not saved, kept in the home for the case that
// the program is killed; so are the copies that external editors work on (EditCopy).
// They are no part of the trail. Redaction erases those that hold what it erases.
//
// An archived store refuses all changes of ours but deletions; what other programs
// write to its folder is adopted all the same.
//
// # Histories from elsewhere
//
// Export gives a store's whole history piece by piece, in short reads. Import takes
// one into a store that has none: versions, heads and the steps that bring the
// folder there are one commit, so that a process that dies leaves all of it or
// nothing. Package exchange knows the forms that they have outside.
//
// # Hosted stores
//
// A store may be a replica of one that a service keeps (StoreInfo.Upstream): a store
// like any other, whose folder and history are brought up to what the service has.
// All reading is of the replica, with or without a connection. A mutation is rehearsed
// on it, goes to the service memory by memory, each with the hash that it rests on,
// and is taken in under the ids that the service gave; hosted_mutate.go draws it. The
// home's lock is never held while the network is waited for. Pull brings what others
// did, in the service's order, by its actors and at its times; what it has dropped
// since stays here, and what it has erased is erased here. A first version that is
// known may be a modification: before it nothing is known, and no undo or restore
// goes there. What other programs write into the folder is adopted under ids of its own
// form (VersionID.Unsent) and sent with the next Pull; where the service has another
// text by then, that stands, and ours stays in the history.
//
// What a service says is believed only as far as it is sound: ids, paths, hashes,
// sizes, and that no two memories stand in each other's way.
//
// # Finding
//
// Blame walks from a version to those before it and gives each line to the
// version that it first stood in; what a restore or an undo brought back stays
// with its writers, and what may be by a redacted version is told as such.
// Search looks at what stands now, in the files, and keeps the texts of those who
// search again; SearchHistory decodes every content of the trail once.
//
// # What other programs write
//
// Files are adopted when a look finds that they differ from their heads: Sync looks
// at the whole folder, SyncPaths at some memories at the cost of those, and Watch takes
// the system's notifications as hints. A file that disappeared and one that appeared
// with the same content are a rename. A file that another program is saving, by its name
// NAME.tmp.PID.RANDOM, is passed over for a few seconds. Files over DefaultMaxBytes,
// links and special files are listed and never versioned.
//
// Who wrote a file is not seen. But where an agent's own program reports its calls
// (Report), what is found is given to the call that explains it: one of the same path and
// time, and of the same content where that is known. Such a version is marked as
// Inferred. What is told after a file was adopted makes that change the agent's; it is
// the one thing that is ever corrected in a change that was made, and it is taken back
// when another session's call turns out to fit as well. Evidence is no history: it is
// dropped soon after a look at the folder, and by each redaction.
//
// # Reads
//
// The ledger records what agents and API clients read through memend: views by
// the memory tool, and what NoteRead and Report are told. A person's looking is no read,
// and an agent that opens the files themselves leaves none unless its program tells. Whoever reads waits for
// neither disk nor lock: reads are gathered in memory and written at most 200 ms or
// 256 reads later, and when the store or the trail is closed. A killed process
// loses those of its last moment; a trail that can't be written keeps the newest
// 16,384 waiting. Stale and Expire rest on the ledger and on the time of the last
// version; Expire deletes only when asked, as one change.
//
// # Looks
//
// What a person has seen of each memory, what is pinned and how the screens showed
// a store last is kept beside the history, by ids and numbers. It makes no change, is
// not synced, and is in no export.
//
// # Limits and attachments
//
// Limits of a store (bytes of a memory, memories, characters of a view) hold for
// every writer here, and stop growth only. A session that Attach gave stores to
// changes nothing elsewhere, nor where it may only read; that is checked in the
// critical section of every mutation, in whatever process it runs.
package versions
