// Package diffview is the pane that shows what differs between two texts: one
// below the other, side by side, or line by line with the words of both.
//
// It draws a versions.Diff and makes rows only for the window, so that a
// rewritten text of ten megabytes scrolls like one of ten lines. Signs, not
// colours, carry the meaning. What a diff can't say it says: texts too large to
// compare, bytes that are no text, line ends that are all that changed.
//
// One hunk is the current one, and lines of it can be selected: Hunk, Select and
// Selection tell the owner, Selection.Revert gives the text without them.
package diffview
