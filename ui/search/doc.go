// Package search is the screen that searches while one types: the current memories, or
// every version. A hit shows its place with the matches highlighted, and beside it the
// memory around it; opening a hit goes there.
//
// A search is cancelled when its query changes, and its result is dropped.
// If nothing is found, similar words are suggested.
package search
