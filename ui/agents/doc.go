// Package agents is the pane that shows who works in a store: the sessions of all writers and
// what they read and write, as it happens. For sessions of the built-in agent it also shows
// the conversation, live or recorded. Agents are started, stopped and configured here.
//
// Both lists, sessions and stream, are virtual and load pages while the user scrolls. New activity
// appears at the top; the selection stays where it is, unless the pane follows the newest. The pen
// draws their rows. Talks has what is known of conversations, and those that are open. The pane has
// the focus, the keys, and what they do.
//
// Only commands access the store. They have the id of their request, and the answer to an
// outdated request is dropped. An action that the owner of the pane has to perform is sent as
// a message of package screen.
package agents
