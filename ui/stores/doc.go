// Package stores is the screen that lists the stores of the home. Stores can be opened,
// created, described, archived and synced with git here.
package stores
