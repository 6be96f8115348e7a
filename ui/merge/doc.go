// Package merge is the screen that merges two texts with a common base: the one that is in the
// store now, called theirs in the code, and the one that conflicts with it, called mine. The
// screen calls the latter "before" if it is an earlier text, and "mine" if the user typed it.
// Where it is wide, both are beside the result, else one of the three is shown at a time.
//
// Lines that only one side changed are merged automatically, and marked. For lines that both
// changed the user decides hunk by hunk: one of them, both, the base, or a new text. Every
// decision can be changed and undone, including the automatic ones. The result can't be saved
// before all conflicts are decided. The screen saves nothing itself: it passes the result to
// its owner, and asks what to do if the user leaves without one.
//
// Every byte is preserved: the result consists of the lines of the texts with their line ends.
// A line end is added only between lines that would be joined otherwise.
//
// The cost of a key depends on the size of the screen, and that of a decision on the number of
// changes and the size of the one that is decided.
package merge
