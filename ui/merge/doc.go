// Package merge is the screen that puts two texts together which were made of the
// same one, each for itself: theirs, which is in the store now, and mine, which was
// to be saved over it.
//
// What only one side changed is taken, and shown as taken; where both changed the
// same lines the person decides, hunk by hunk: theirs, mine, both, what was there
// before, or a text of their own. Every decision can be changed and taken back, the
// ones that nobody was asked for too. Nothing can be saved before the last conflict is
// decided, and the screen saves nothing itself: its owner gets the result, and is
// asked what to do when the person leaves without one.
//
// Every byte is kept: the result is made of the lines of the texts, with their ends.
// Lines that would run into each other get a line end between them.
//
// The cost of a key depends on the size of the screen, of a decision on the number of
// changes, never on the size of the texts.
package merge
