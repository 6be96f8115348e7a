// Package editor is the pane that edits a memory in place. It is modeless, with the
// key bindings of micro, which most people know.
//
// It preserves every byte. Tabs, CRLF, a missing last newline, NUL, invalid
// UTF-8: what is not edited is saved as it was. A new line gets the text's own line
// ending, and the cursor moves by what the screen shows as one character, whatever
// bytes that is.
//
// A document is the text with its cursor and undo, a window what is shown of it; the Editor applies
// the keys to both. The text is a slice of lines (buffer.go), which an edit copies: at 100 KB that takes
// microseconds, at the 8 MiB of the largest memory some milliseconds. An Editor must be used
// by one goroutine, the one that calls Update; commands that it returns read only buffers,
// which never change.
//
// It asks its owner to save and to close, with SaveRequest and CloseRequest.
package editor
