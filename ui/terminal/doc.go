// Package terminal shows the frames of a Bubble Tea model on the terminal.
//
// Bubble Tea keeps its event loop and its commands, but does not draw here. Its renderer
// checks sixty times a second whether there is something to draw, which always costs one
// percent of a CPU, and half a frame of delay after each key. The driver of this package
// draws as soon as something has changed, in its own goroutine: keys never wait for a
// frame, a frame never waits for a clock, and an idle program does nothing.
//
// The first frame waits for the model: while its view is empty, nothing is drawn.
//
// The model remains the only description of the frame: its tea.View defines what the
// terminal shows and its modes, and the driver sends the differences from the previous
// frame: rows that moved are scrolled, and of the others the cells that differ are drawn. It
// always uses the alternate screen; View.AltScreen is ignored.
//
// # Safety
//
// Rows consist of printable text and SGR sequences; a row begins in the terminal's default
// style. Nothing else of a row reaches the terminal: other control characters,
// C1 controls and incomplete characters are dropped or replaced. That is the last line of
// defence, not the only one: package text makes hidden characters visible.
//
// However the program ends, by itself, by a signal or by a panic in the model or
// one of its commands, the terminal is restored. Run returns a panic as a *Fault.
//
// # Fallback
//
// Run uses Bubble Tea's own renderer if Config.Stock or MEMEND_RENDERER=stock is set, if
// input or output is not a terminal, and on Windows.
package terminal
