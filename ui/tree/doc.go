// Package tree is the pane that shows the store as a tree of folders and memories.
//
// The root reads the store and hands the reading over: Build in a command, Load in
// its Update. What the person wants done the pane asks of the root by messages of
// package screen.
package tree
