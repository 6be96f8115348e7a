// Package memory is the pane that shows one memory, or any other file of the
// store.
//
// It reads by windows, so that the size of a file costs nothing: a small file is
// held whole, of a large one the lines around the screen and an index of where
// every so-many-th line begins. The first screen is drawn before the rest is
// looked at. What a key costs depends on the height of the screen only.
//
// Nothing here touches the store but commands, which carry the id of their
// question; an answer to an older question is dropped. What is decided here but
// done by the owner leaves as a message of package screen.
package memory
