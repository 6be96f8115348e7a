// Package db has the engine's way to its SQLite database: transactions, queries, and
// errors in the words of memfs.
//
// A [Writer] is the one connection that writes, with its prepared statements; a [Tx] is a
// transaction on it. A [Queryer] is whatever answers queries, and a [Row] one of its
// answers. All errors have gone through [Error]. Only sql.ErrNoRows, of a query without
// an answer, is as database/sql gives it.
package db
