// Package history is the pane that shows the versions of one memory or all changes of the
// store, newest first. Beside or below the list is the diff of the selected row.
//
// The list is virtual and loads pages while the user scrolls. Consecutive changes of one
// session are grouped below a heading. A bulk edit by another program is one row, even if it
// was recorded as several changes: it is undone as a whole, and Enter lists its changes below
// it. New changes appear at the top and don't move the selection. If older changes were
// modified (an undo of a session, say), everything loaded is loaded again, and the selection
// stays too.
//
// A filter applies while it is typed. The store evaluates part of it; commands evaluate the
// rest, some thousand changes at a time. Changes by others are marked as new until the user
// has reviewed them, and the list can be limited to them.
//
// Versions and changes can be selected: two selected versions of a memory are compared with
// each other, a single one with the version under the cursor, and several can be undone,
// redacted, copied or marked as reviewed together.
//
// A hunk of a diff, or some of its lines, can be restored in the current memory. That is a
// merge, and the user resolves its conflicts.
//
// A Pane sends the requests and has the keys. Its lists have the rows and know what is below which, its selection is what is
// chosen, its names complete the filter; a rowPen draws rows.
//
// Only commands access the store. They have the id of their request, and the answer to an
// outdated request is dropped. An action that the owner of the pane has to perform is sent as
// a message of package screen.
package history
