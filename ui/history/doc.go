// Package history is the pane that shows how things came to be as they are: the
// versions of one memory or all changes of the store, newest first, and beside
// or below the list what the selected one changed.
//
// The list is virtual and grows by pages while one scrolls. What is new appears
// on top and does not move the selection. Any two versions of a memory can be
// compared: one is marked as the base, the other selected.
//
// Nothing here touches the store but commands, which carry the id of their
// question; an answer to an older question is dropped. What is decided here but
// done by the owner leaves as a message of package screen.
package history
