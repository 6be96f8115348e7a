// Package terminal brings the frames of a Bubble Tea model to the terminal.
//
// Bubble Tea keeps its event loop and its commands. What it does not do here is
// draw: its renderer looks sixty times a second whether there is something to
// draw, which costs a hundredth of a processor for ever and half a frame of
// waiting after each key. The driver of this package draws when something has
// changed, at once, in a goroutine of its own: keys never wait for a frame, a
// frame never waits for a clock, and where nothing happens nothing runs.
//
// The first frame waits for the model: as long as it has nothing to show, which is an
// empty view, nothing is drawn.
//
// The model stays the one description of the frame: its tea.View says what the
// terminal shows and how it behaves, and the driver sends what differs from the
// frame before. It takes the whole screen (the alternate one); View.AltScreen is
// not asked.
//
// # Safety
//
// Rows hold printable text and SGR sequences; a row begins in the terminal's own
// style. Nothing else of a row reaches the terminal: other control characters,
// C1 and half characters among them, are dropped or replaced. That is the last
// line, not the only one: package text makes hidden characters visible.
//
// However the program ends, by itself, by a signal or by a panic in the model or
// one of its commands, the terminal is as it was before. A panic comes back from
// Run as a *Fault.
//
// # Fallback
//
// Run uses Bubble Tea's own renderer where Config.Stock or MEMEND_RENDERER=stock
// says so, where input or output is no terminal, and on Windows.
package terminal
