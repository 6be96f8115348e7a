// Package editor is the pane that edits a memory in place: modeless, with the
// keys that most people's fingers know (micro's).
//
// It keeps every byte. Tabs, CRLF, a missing last newline, NUL, bytes that are
// no UTF-8: what is not edited is saved as it was, a new line gets the line end
// that the text has, and the cursor moves over what the screen shows as one
// character, whatever bytes that is.
//
// The text is a rope (rope.go), so the cost of a key depends on the screen and
// not on the text, and undo is going back to an older root. An Editor is used by
// one goroutine, the one that calls Update; commands that it returns read
// nothing but immutable ropes.
//
// It asks its owner for what it must not do itself: SaveRequest, CloseRequest.
package editor
