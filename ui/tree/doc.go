// Package tree is the pane that shows the store as a tree of folders and memories.
//
// The root reads the store and passes the result on: Read in a command, Load in its
// Update. The pane makes these requests and applies the keys; its parts are the outline (rows,
// folds, cursor), the Selection, the Review, the Trust, the filtering and the drawing of a row.
// It sends its requests to the root as messages of package screen.
package tree
