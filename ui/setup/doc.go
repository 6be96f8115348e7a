// Package setup is the form in which an agent is asked to begin, and the one in which
// the settings of a session that runs are changed. What can't be is said at the field,
// by the same checks that the session makes; what a changed setting would clear is
// shown before it is set.
package setup
