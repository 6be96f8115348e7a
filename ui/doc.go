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
//     something by a request of package screen. Panes and screens are registered in
//     screens.go: a new screen is its package and a line there.
//   - Widgets below a pane have methods only.
//
// From a key to the disk and back: Update routes the key, the pane in front puts requests
// into screen.Out, and obey gives each to its room, in order, before the next message.
// What takes time is a screen.Work: its outcome comes back as a message. The event of the
// store is what refreshes the screens, whoever made the change.
//
// House rules. Update does no I/O and reads no clock: disk and time arrive as messages,
// made by commands that copy what they need before they start. The answer to a question
// is a screen.Reply, which carries the id of the question and drops itself when a newer
// one was asked. View is a function of the state, builds strings by appending, and never
// draws text that is not ours but through ui/text.
//
// A frame is a string of exactly the screen's height and width. How it reaches
// the terminal is run.go's business alone.
package ui
