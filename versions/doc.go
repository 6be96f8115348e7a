// Package versions has the words of the memory engine: a [Change] with its [Version]s, who made it and through which
// [Door], memories as a tree has them ([Entry]), the stores of a home ([StoreInfo]), and what the packages below it take
// and answer, with their errors. Package engine opens a home, and says what it promises; its packages history, plan,
// review, redact, replica, stores, write, watch, exchange, gitsync and check are functions over a store or a home.
//
// Nothing here reads a disk or a clock. All values are plain data: safe for concurrent reading. Paths are memfs.Path, sizes
// are bytes, and times have microseconds. The words of the memory-stores API are its own: version; created, modified,
// deleted; created_by; content_sha256.
package versions
