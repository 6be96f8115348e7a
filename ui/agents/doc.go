// Package agents is the pane that shows who is at work in a store: the sessions of
// all writers, what they read and wrote, as it happens, and of those of the built-in
// agent what was said, live or kept. Agents are asked, stopped and set up from here.
//
// Both lists are virtual and grow by pages while one scrolls. What is new appears
// on top; the selection stays where it is, unless the pane follows the newest.
//
// Nothing here touches the store but commands, which carry the id of their
// question; an answer to an older question is dropped. What is decided here but
// done by the owner leaves as a message of package screen.
package agents
