// Package history reads what a store was and is: memories and their versions, changes, the tree at any moment, blame,
// searches, reads, sessions. Every function reads a snapshot that ends with the call, and is safe for concurrent use.
// What was before a history begins is an error (versions.BeforeHistoryError), never an empty answer. A content that is
// damaged, erased or lost is an error too, and what is known of it stays readable.
package history
