// Package chain makes it evident when the rows of a trail are altered. It knows the trail's tables
// and nothing of folders or contents.
//
// # Words
//
// Every row that counts has a commitment: the SHA-256 of the row's facts, of what they refer to, and
// of a salt of 16 random bytes, which the row keeps. While the salt is there, the commitment can be
// computed from the row. Without the salt it says nothing: no guess at the facts can be compared with it.
//
// The changes of a store form a chain in the order of their numbers:
//
//	hash(0) = SHA-256("memend changes 1", the store's id)
//	hash(n) = SHA-256(hash(n-1), commitment of change n, commitments of its versions)
//
// The row of a change keeps the first 8 bytes of its hash, so that a check can name the first change
// that does not fit. The row of the store keeps the last hash whole.
//
// What happens to rows later is recorded by acts, which form a second chain in the store:
//
//	hash(0) = SHA-256("memend acts 1", the store's id)
//	hash(n) = SHA-256(hash(n-1), number, time, data)
//
// The data of an act lists rows with the commitments that they have from then on. So an act says that
// a policy was set, a held change was decided, a change was attributed to an agent, a redaction was done, or
// a row of a change was amended.
//
// # Amended rows
//
// A redaction erases facts of versions and changes, and masks the names of actors and sessions; a
// service gives a version another id. Amend is called before. It stores the row's commitment in the row,
// in the column committed, for the chain of changes, and replaces the salt. The transaction's act then lists the
// commitment of what the row says now. The chain still verifies, what is left of the row can't be altered
// either, and nothing is left that the erased facts could be compared with.
//
// A change without a salt of its own uses one that is computed from the salts of its versions, which
// saves the space.
//
// # What is not committed to
//
// undone_by and the number of versions of a change, the times of a session, and the titles of actors follow
// from other rows or are not evidence. Contents are covered by their hashes. The ledger of reads, what a
// session took in, attachments, limits, the store's name, description, folder and files, and receipts are not covered.
package chain

// Format is the first format of trails that have chains.
const Format = 10
