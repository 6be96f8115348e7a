// Package drafts keeps, in files of a home, texts that a person is writing and has not
// saved: drafts, for the case that the program is killed, and the copies that external
// editors work on. Both are no part of the trail, and redactions erase them too.
//
// A draft is drafts/HASH-RUN.draft, a copy is edits/RUN/NAME. RUN.lock beside them is
// locked as long as the program runs: what a killed one left is told from what somebody
// works on by its free lock.
package drafts
