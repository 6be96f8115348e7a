// Package diffview is the pane that shows the differences between two texts: one
// below the other, or side by side.
//
// It draws a diff.Diff and makes rows only for the window, so that a
// rewritten text of ten megabytes scrolls like one of ten lines. Signs, not only
// colours, convey the meaning. Notes say what a diff can't show: texts too large to
// compare, invalid UTF-8, a change of line ends only.
//
// One hunk is the current one, and lines of it can be selected: the owner reads them
// with Hunk and Selection; Selection.Revert returns the text without them.
package diffview
