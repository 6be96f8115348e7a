// Package write has the writes that are more than one path of one store: by the id of a memory, copies, and moves and merges
// between stores. A move between stores is two changes, of which each is decided about by its own store; a process that
// dies between the two leaves the memory in both, never in none.
package write
