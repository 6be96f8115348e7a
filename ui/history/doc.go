// Package history is the pane that shows how things came to be as they are: the
// versions of one memory or all changes of the store, newest first, and beside
// or below the list what the selected one changed.
//
// The list is virtual and grows by pages while one scrolls. Changes that one session
// made one after the other stand below a heading. What another program did in one go is
// one row, also where it was recorded as several changes: it is undone as a whole, and
// Enter lists the changes below it. What is new appears on top and
// does not move the selection; where older changes are no longer what they were (a
// session was undone, say) what is loaded is read anew, and the selection stays too.
//
// A filter chooses as one types. The store does what it can of it, commands look
// through the rest, some thousand changes at a time. What others made and nobody has
// looked at since is marked as new, and can be all that is listed.
//
// Versions and changes can be chosen: two versions of a memory are compared, one that
// is chosen alone with the selected one, and several are undone, erased, copied or
// taken for looked at together.
//
// A hunk of what is compared, or some of its lines, can be brought back into the
// memory as it is now: a merge, which the person decides where it conflicts.
//
// Nothing here touches the store but commands, which carry the id of their
// question; an answer to an older question is dropped. What is decided here but
// done by the owner leaves as a message of package screen.
package history
