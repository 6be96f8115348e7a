// Package cli is memend's command line: one file per command, on top of the memory
// engine, and the entry to the TUI.
//
// Paths of memories are written /memories/a.md, as in the memory tool, /a.md or
// a.md; output uses the first form. A version is named by its id, memver_…, or by
// PATH@N for version N of the memory at PATH.
//
// Contents of memories, and names of any kind, are written to a terminal only
// through package ui/text. To a pipe or a file, memories are written byte for byte.
// With --json every command that prints data prints JSON instead, one object per
// line.
//
// A program is one run of memend. It consists of a console (the streams, and the form of
// what is printed), a caller (who runs the command at that console), an environment (the
// home and the settings) and an invocation (the store, and who runs the command, as the flags
// say). A homeOpener opens the trail for a command and closes it again, a storeOpener the
// store. A command's constructor, such as lsCommand, takes the program; everything else is a
// function that takes the part it uses: printChange takes a console, writeMemory a caller,
// attachments an invocation.
//
// Commands exit with 0 on success, 1 on failure, 2 on misuse, and 3 if a
// precondition or a conflict refused them and nothing was written.
package cli
