// Package memory is the pane that shows one memory, or any other file of the
// store: as text, as rendered Markdown, or as bytes where it is no text.
//
// It reads by windows, so that the size of a file costs nothing: a small file is
// held whole, of a large one the lines around the screen and an index of where
// every so-many-th line begins. The first screen is drawn before the rest is
// looked at. What a key costs depends on the height of the screen only. What needs
// the whole text (rendering, blame, copying all of it) is for small files, and
// says so.
//
// A place is a line of the file, in every view: numbers, hits, links, who wrote a
// line and what is selected are kept when the view changes. There is a line cursor
// only where lines are acted on, while they are selected or blamed; elsewhere keys
// move the window.
//
// A memory that others changed since the person reviewed it opens at the first changed
// line. The gutter marks all that differs from the version that was reviewed, until the
// person marks the memory as reviewed: nothing is reviewed by being shown. The root knows
// what is to be reviewed.
//
// Links are followed by asking the root for another memory. What was read before
// can be gone back to; the lists of that change only when the root has agreed.
// Addresses are opened outside only when they are http, https or mailto.
//
// Nothing here touches the store but commands, which carry the id of their
// question; an answer to an older question is dropped. What is decided here but
// done by the owner leaves as a message of package screen.
package memory
