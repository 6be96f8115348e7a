package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

// progress shows on a terminal how far long work is, in a line that is erased at the end.
// In a pipe it prints nothing.
type progress struct {
	w     io.Writer // nil: not a terminal
	what  string
	unit  string // what is counted; empty: changes
	n     int
	now   func() time.Time
	drawn time.Time
	shown bool // the line is there
}

// progressInterval is the interval between updates of the line.
const progressInterval = 100 * time.Millisecond

func (p *console) progress(what string) *progress {
	g := &progress{what: what, now: p.now, drawn: p.now()}
	if isTerminal(p.err) {
		g.w = p.err
	}
	return g
}

// draw updates the line, if the interval has passed.
func (g *progress) draw(format string, args ...any) {
	if g.w == nil {
		return
	}
	if t := g.now(); t.Sub(g.drawn) >= progressInterval {
		g.drawn, g.shown = t, true
		fmt.Fprintf(g.w, "\r"+format+"\x1b[K", args...)
	}
}

// step counts one item as done.
func (g *progress) step() {
	if g.n++; g.n%16 == 0 {
		g.draw("%s: %s", g.what, plural(g.n, cmp.Or(g.unit, "change")))
	}
}

// bytes shows how much of a total is done.
func (g *progress) bytes(done, total int64) {
	g.draw("%s: %s of %s", g.what, units.Bytes(done), units.Bytes(total))
}

// withProgress returns a context in which operations on hosted stores show their progress on a
// terminal, and a function that erases the line. stop is shown after the progress: it says
// how to stop.
func (p *console) withProgress(ctx context.Context, stop string) (_ context.Context, end func()) {
	g := p.progress("")
	if g.w == nil {
		return ctx, func() {}
	}
	return versions.WithProgress(ctx, func(how versions.Progress) { g.draw("%s%s", how, stop) }), g.end
}

func (g *progress) end() {
	if g.shown {
		fmt.Fprint(g.w, "\r\x1b[K")
	}
}
