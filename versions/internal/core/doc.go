// Package core is one home of stores: its tables, its lock, the folders, and the one path of every mutation. Package engine
// says what it promises and how a mutation runs. Its exported functions, [Txn] and [Mutation] are for the packages of the
// engine; others know [Store] and [Trail] by the names that package engine gives them.
//
// Store and Trail are safe for concurrent use. A Txn belongs to the goroutine that began it, and to the holder of the
// home's lock.
package core
