// Package cli is memend's command line: one file a command, over the memory
// engine, and the way into the screens.
//
// Paths of memories are written /memories/a.md, as the memory tool does, /a.md or
// a.md; answers use the first. A version is its id, memver_…, or PATH@N for the
// version numbered N of the memory at PATH.
//
// What a memory holds, and names of any kind, reach a terminal only through
// package ui/text. Into a pipe or a file memories go byte for byte. With --json
// every command that prints data prints JSON instead, one object a line.
//
// Commands end with 0 when they are done, 1 when they failed, 2 when they were
// misused, and 3 when a precondition or a conflict refused them and nothing was
// written.
package cli
