// Package disk has what the engine's files in a home have in common: locks that are
// released when their holder dies, durable folders, and erasing.
//
// A lock file is locked with flock, or LockFileEx on Windows.
package disk
