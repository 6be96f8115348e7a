// Package db opens, reads, writes and repairs one SQLite database, whose tables are given to it as a
// [Schema]. It knows nothing of what the rows mean.
//
// # Opening
//
// [Open] opens the database of a folder. The file is [File]; beside it are SQLite's log and
// [LockFile]. The first process of a new folder creates the database; one that is missing later is
// versions.ErrTrailLost, never silently replaced. A database of an earlier format is copied and then migrated;
// one of a newer format is versions.ErrTrailFormat. A folder that can't be written is opened for reading.
//
// Several processes may have one database open. Whoever writes takes the lock with [DB.Acquire],
// which fails if the files were replaced or a newer memend migrated them. A commit is durable when
// it returns, unless its transaction was begun as non-durable: then it outlives this process but
// perhaps not a loss of power.
//
// # Reading and writing
//
// A [Writer] is the one connection that writes; a [Tx] is a transaction on it. A [Snapshot] reads the
// database at one moment; at most MaxReaders can be open. Each connection prepares a statement once. A
// [Queryer] is whatever answers queries, with one [Row] or with [Rows]. A loop over Rows scans each into
// its destinations. It closes them however it is left, so nothing of it keeps a log from being emptied.
//
// All errors have gone through [Error] and are in the words of memfs, or versions.ErrDamaged. Only
// sql.ErrNoRows, of a query without an answer, is as database/sql gives it.
//
// # Erasing
//
// Deleted rows are overwritten with zeros. Older copies of them remain in the free space of pages and
// in the log until [DB.ClearSlack] and [DB.EmptyLog] have removed them.
//
// # Repair
//
// [Repair] checks a database against its schema and the caller's invariants. It fills a new database
// with every row that can still be read from a damaged one, and keeps the damaged one beside it.
// [Remains] are what the indexes still know of lost rows; the caller decides what to make of them.
package db
