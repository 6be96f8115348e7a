package cli

import (
	"fmt"
	"io"
	"time"
)

// progress tells on a terminal how far long work has come, in a line that is gone
// when the work is done. In a pipe it says nothing.
type progress struct {
	w    io.Writer // nil: nobody looks
	what string
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
		fmt.Fprintf(g.w, "\r%s: %s\x1b[K", g.what, plural(g.n, "change"))
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

// of tells how many of a number of things are done.
func (g *progress) of(now func() time.Time, done, total int, what string) {
	if g.w == nil {
		return
	}
	if t := now(); t.Sub(g.told) >= tellEvery {
		g.told = t
		fmt.Fprintf(g.w, "\r%s: %d of %s\x1b[K", g.what, done, plural(total, what))
	}
}

func (g *progress) end() {
	if g.w != nil {
		fmt.Fprint(g.w, "\r\x1b[K")
	}
}
