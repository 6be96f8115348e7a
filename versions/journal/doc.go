// Package journal is the log of a trail: what the trail's tables say, in records that are only ever
// appended. It knows the tables and nothing of folders or contents.
//
// # Words
//
// A noun is a thing that the log records: a store, a change with its versions, a held change with its
// texts, a policy. The list of them is in kinds.go, with the tables and columns that each consists of. Adding a
// noun means adding its table and a line to that list.
//
// A record says what one noun is from then on, or that it was removed. It has two parts: the head, with
// numbers, times and random ids, is kept for ever; the secret has the texts, and hashes of contents.
//
//	log(n, kind, id, store, ts, head, secret, was, hash)
//
//	n       1, 2, 3, … in the home
//	kind    of the noun; id: its row
//	store   the store that the noun belongs to; NULL: the home
//	ts      when the record was written, in microseconds since 1970
//	head    for each table of the noun: the number of rows, of columns in head and in secret, and the columns; empty: it
//	        was removed
//	secret  a salt of 16 random bytes and the other columns of the same rows; NULL: it was emptied, or the noun was removed
//	was     SHA-256(secret) of a secret that was emptied
//	hash    SHA-256("memend log 1", the hash before, n, kind, id, store, ts, head, SHA-256(secret))
//
// A record of an earlier release may have fewer columns: the rest is NULL. A value is a tag and a body: 0 is NULL, 1 an integer as a zigzag varint, 2 a text and 3 a blob with their
// lengths as varints; a tag from 5 on is an integer from 0 to 250. A hash covers values. The hash before the first record is 32 zeros.
//
// # Only the newest record of a noun has its secret
//
// The next record of a noun empties the secret of the one before. So the log never has a text that the tables don't have:
// a redaction changes the rows, and what is left of the erased text in the log is a hash with a salt that is gone.
// Nobody can compare a guess with that. The removal of a store empties the secrets of all its nouns.
//
// # What follows
//
// The tables of the nouns are a projection of the log: [Replay] writes them from it, and [Verify] compares them with
// it. The columns that follow from others are written by Replay, too: how many versions a change has, when a
// session began and ended. The caller counts the changes of a store and rebuilds the heads, which need the contents.
//
// # What is not in the log
//
// Contents are stored once, by hash, and a record has the hash. The ledger of reads, what a session took in, attachments,
// reports of calls, what was reviewed, the git branch of a store with what is on it, how the screens showed a store, and steps
// that are not done yet are not recorded.
//
// # Concurrency
//
// The holder of the trail's lock appends, in the transaction that changes the rows: [Append] takes the rows that
// the transaction touched from the database. Verify reads one snapshot.
package journal

// Format is the first format of trails that have a log.
const Format = 14
