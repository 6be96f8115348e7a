package memfs

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// Group runs functions side by side and waits for them. A panic of one must not end
// the program there and then, which may own a terminal or hold a text that is not
// saved: it comes out of Wait, in the goroutine that began the work.
type Group struct {
	all      sync.WaitGroup
	once     sync.Once
	panicked *Panicked
}

// Panicked is what Wait panics with: the panic of one of the functions, and where it was.
type Panicked struct {
	Value any
	Stack []byte
}

func (f *Panicked) Error() string { return fmt.Sprintf("%v\n\n%s", f.Value, f.Stack) }

// Go runs f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.all.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				g.once.Do(func() { g.panicked = &Panicked{r, debug.Stack()} })
			}
		}()
		f()
	})
}

// Wait returns when all have ended.
func (g *Group) Wait() {
	g.all.Wait()
	if g.panicked != nil {
		panic(g.panicked)
	}
}
