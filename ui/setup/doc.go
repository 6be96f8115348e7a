// Package setup has the form that starts an agent, and the one that changes the settings of a
// running session. Invalid values are reported at their field, by the same checks that the
// session makes. What a changed setting would clear is shown before it is set.
package setup
