// Package diffview is the pane that shows what differs between two texts: one
// below the other or side by side, with the words that changed within a line.
//
// It draws a versions.Diff and makes rows only for the window, so that a
// rewritten text of ten megabytes scrolls like one of ten lines. Signs, not
// colours, carry the meaning. What a diff can't say it says: texts too large to
// compare, bytes that are no text, line ends that are all that changed.
package diffview
