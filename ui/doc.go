// Package ui is the terminal program: one frame of panes over a Store.
//
// Who owns what:
//
//   - App, the root, owns focus, layout, dialogs, messages to the person, and
//     routes everything else. It alone knows how the screen is split (layout.go)
//     and composes the frame (view.go).
//   - A pane (pane.go) owns its own state and believes its size is the whole
//     terminal. A pane asks the root for something by a message (messages.go).
//   - Widgets below a pane have methods only.
//
// House rules. Update does no I/O and reads no clock: disk and time arrive as
// messages, made by the commands in commands.go, which copy what they need
// before they start. A result carries the id of its request, and a stale one is
// dropped by screen.Question. View is a function of the state, builds strings by
// appending, and never draws text that is not ours but through ui/text.
//
// A frame is a string of exactly the screen's height and width. How it reaches
// the terminal is app.go's business alone.
package ui
