// Package search is the screen that searches: the memories as they stand, or every
// version there ever was, as one types. A hit shows where it is with what was found
// lit, and beside it the memory around it; taking one goes there.
//
// A search that a later key makes pointless is cancelled, and its answer dropped.
// Where nothing is found, what nearly was is told.
package search
