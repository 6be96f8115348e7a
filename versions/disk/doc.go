// Package disk has what the engine's files in a home have in common: locks that are
// released when their holder dies, durable folders, private modes, erasing, watching
// folders, and which boot of the system this is.
//
// A lock file is locked with flock, or LockFileEx on Windows.
package disk
