// Package ui is the terminal program: one frame of panes over a Store.
//
// Responsibilities:
//
//   - App, the root, connects the parts: it routes keys, mouse events and requests, and
//     composes the frame.
//   - A room is a part of the root with its own state and requests: editing (the memory being
//     edited, and its draft), live (watching the store and its events), preview (what is under
//     the tree's cursor), actions (changes and plans), rules (policies and pins), jobs (long
//     operations and messages), dialog (questions) and frame (the layout, and what is drawn
//     around the panes).
//   - A pane has its own state and is drawn as if its size were that of the terminal. It sends
//     requests of package screen, which root performs. Panes and screens are registered in
//     screens.go: a new screen is a package and a line there.
//   - Widgets below a pane have methods only.
//
// The files of this package depend on each other in one direction: store, stack, app, panes;
// then the actions (history, available, trust, theme, ...); screens, status, view, keys, help,
// input, root, update, new and run.
//
// From a key to the disk and back: Update passes the key to the pane in front, which queues
// requests (screen.Out), and performRequests has root perform each, in order, before the next
// message: a room's method begins the operation. A slow one is a screen.Work: its outcome returns
// as a message. The event of the store refreshes the screens, no matter what made the change.
//
// Rules. Update does no I/O and does not read the clock: files and the time arrive as
// messages, sent by commands that copy what they need before they start. The result of a
// command returns as a screen.Reply to the pane that started it and to no other; it is dropped
// if a newer request was sent meanwhile. View is a function of the state, builds strings by
// appending, and draws external text only through ui/text.
//
// A frame is a string of exactly the screen's height and width. Only run.go deals with how it
// reaches the terminal.
package ui
