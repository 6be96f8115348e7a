// Package review is what persons decide: held changes, the policy of a store, pins, what is rejected for good, what a
// session took in, what was reviewed; and traces, which say what a text came from and where it went.
// Accepting a held change is a goal of package plan. What only persons may do is refused for anybody else
// (versions.ErrPersonsOnly), through every door.
package review
