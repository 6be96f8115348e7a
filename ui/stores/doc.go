// Package stores is the screen that lists the stores of the home. Stores can be opened,
// created, described and archived here.
package stores
