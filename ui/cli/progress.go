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
	told time.Time
}

// tellEvery is how often the line is drawn anew.
const tellEvery = 100 * time.Millisecond

func (p *program) progress(what string) *progress {
	g := &progress{what: what, told: p.now()}
	if isTerminal(p.err) {
		g.w = p.err
	}
	return g
}

// step counts one thing done.
func (g *progress) step(now func() time.Time) {
	g.n++
	if g.w == nil || g.n%16 != 0 {
		return
	}
	if t := now(); t.Sub(g.told) >= tellEvery {
		g.told = t
		fmt.Fprintf(g.w, "\r%s: %s\x1b[K", g.what, plural(g.n, cmp.Or(g.unit, "change")))
	}
}

// bytes tells how much of a total is done.
func (g *progress) bytes(now func() time.Time, done, total int64) {
	if g.w == nil {
		return
	}
	if t := now(); t.Sub(g.told) >= tellEvery {
		g.told = t
		fmt.Fprintf(g.w, "\r%s: %s of %s\x1b[K", g.what, size(done), size(total))
	}
}

// telling gives a context with which acts on hosted stores tell on a terminal how far
// they are, and what makes the line go away. After it stands how to stop.
func (p *program) telling(ctx context.Context, stop string) (_ context.Context, end func()) {
	g := p.progress("")
	if g.w == nil {
		return ctx, func() {}
	}
	return versions.WithProgress(ctx, func(how versions.Progress) {
		if t := p.now(); t.Sub(g.told) >= tellEvery {
			g.told = t
			fmt.Fprintf(g.w, "\r%s%s\x1b[K", how, stop)
		}
	}), g.end
}

func (g *progress) end() {
	if g.w != nil {
		fmt.Fprint(g.w, "\r\x1b[K")
	}
}
