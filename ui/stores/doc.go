// Package stores is the screen that lists the stores of the home: one is opened from
// it, made, described or archived.
package stores
