// Package stores makes, describes, attaches, archives, moves, backs up and deletes the stores of a home. An act on a whole store is
// decided about by its policy, and can't be held. Deleting a store is a redaction of all that it has.
package stores
