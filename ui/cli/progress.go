package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/memend/memend/versions"
)

// progress tells on a terminal how far long work has come, in a line that is gone
// when the work is done. In a pipe it says nothing.
type progress struct {
	w    io.Writer // nil: nobody looks
	what string
	unit string // of what is counted; empty: changes
	n    int
	now  func() time.Time
	told time.Time
}

// tellEvery is how often the line is drawn anew.
const tellEvery = 100 * time.Millisecond

func (p *program) progress(what string) *progress {
	g := &progress{what: what, now: p.now, told: p.now()}
	if isTerminal(p.err) {
		g.w = p.err
	}
	return g
}

// draw draws the line anew, if it is time for that.
func (g *progress) draw(format string, args ...any) {
	if g.w == nil {
		return
	}
	if t := g.now(); t.Sub(g.told) >= tellEvery {
		g.told = t
		fmt.Fprintf(g.w, "\r"+format+"\x1b[K", args...)
	}
}

// step counts one thing done.
func (g *progress) step() {
	if g.n++; g.n%16 == 0 {
		g.draw("%s: %s", g.what, plural(g.n, cmp.Or(g.unit, "change")))
	}
}

// bytes tells how much of a total is done.
func (g *progress) bytes(done, total int64) { g.draw("%s: %s of %s", g.what, size(done), size(total)) }

// telling gives a context with which acts on hosted stores tell on a terminal how far
// they are, and what makes the line go away. After it stands how to stop.
func (p *program) telling(ctx context.Context, stop string) (_ context.Context, end func()) {
	g := p.progress("")
	if g.w == nil {
		return ctx, func() {}
	}
	return versions.WithProgress(ctx, func(how versions.Progress) { g.draw("%s%s", how, stop) }), g.end
}

func (g *progress) end() {
	if g.w != nil {
		fmt.Fprint(g.w, "\r\x1b[K")
	}
}
