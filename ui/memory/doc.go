// Package memory is the pane that shows one memory, or any other file of the
// store: as text or as rendered Markdown.
//
// A file that can be a memory, up to 8 MiB, is read whole. Of a larger one only the beginning
// is shown: it can't be edited, searched or blamed, and the pager shows it whole. The cost of
// a key depends only on the height of the screen.
//
// Positions are lines of the file in every view: numbers, hits, links, blame and the
// selection survive a change of the view. Keys move a line cursor, and the window follows it.
//
// A memory that others changed since the person reviewed it opens at its first hunk. The
// gutter marks the lines of each hunk until the person keeps it or undoes it; showing a
// memory reviews nothing. The root provides the list of memories to review, and applies
// decisions (package deciding).
//
// The guard checks a text after it is shown. Lines with findings are marked, and the
// line over the text explains the finding of the cursor's line.
//
// A link is followed by asking the root for another memory. The lists of visited
// memories, for going back and forward, change only when the root has opened it.
// Following a link to an address copies it, and only if it is http, https or mailto.
//
// A Pane opens files, sends requests and has the keys. What it shows is a viewport: the text in rows, the window, the cursor and
// the selection. A pen draws it, the pointer is the mouse over it, find its search; visits and reviews are what their names say.
//
// Only commands use the store. A result for an older request is dropped. Requests to the root are messages of package screen.
package memory
