// Package ui is the terminal program: one frame of panes over a Store.
//
// Who owns what:
//
//   - App, the root, is wiring: it gives keys, the mouse and requests to whoever they
//     are for, and composes the frame.
//   - A room owns a part of what the root does, and the requests that are about it:
//     editing (the memory that is edited, and its draft), live (what is watched and new),
//     actions (acts and plans), jobs (long work and notices), dialog (questions) and
//     frame (the division of the screen, and what is drawn around the panes).
//   - A pane owns its own state and believes its size is the whole terminal. It asks for
//     something by a request of package screen, or of package request when the request
//     needs types of the engine. Panes and screens are registered in screens.go: a new
//     screen is its package and a line there.
//   - Widgets below a pane have methods only.
//
// The files of this package use each other in one direction: store, app, panes, stack;
// then what one key does each (history, agent, look, help, ...); screens, keys, status,
// view, input, update, new and run.
//
// From a key to the disk and back: Update routes the key, the pane in front puts requests
// into screen.Out, and obey gives each to its room, in order, before the next message.
// What takes time is a screen.Work: its outcome comes back as a message. The event of the
// store is what refreshes the screens, whoever made the change.
//
// House rules. Update does no I/O and reads no clock: disk and time arrive as messages,
// made by commands that copy what they need before they start. What a command found comes
// as a screen.Reply to the pane that asked and to no other; it drops itself when a newer
// question was asked. View is a function of the state, builds strings by appending, and never
// draws text that is not ours but through ui/text.
//
// A frame is a string of exactly the screen's height and width. How it reaches
// the terminal is run.go's business alone.
package ui
