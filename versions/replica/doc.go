// Package replica keeps a store in step with one that a service of the memory-stores API has: [Pull] takes in what is new
// there, and each mutation here is sent first. It implements core.Replica. Nothing here holds the lock of the home while it
// waits for the network. Protocol: the memory-stores API of Claude, as of 2026-11.
package replica
