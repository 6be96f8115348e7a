package memfs

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Group runs functions concurrently and waits for them. A panic in one would end the program,
// which may own a terminal or hold unsaved text; instead Wait panics with it, in the
// goroutine that started the work.
type Group struct {
	all      sync.WaitGroup
	once     sync.Once
	panicked *Panicked
}

// Panicked is the value that Wait panics with: a function's panic and its stack.
type Panicked struct {
	Value any
	Stack []byte
}

func (f *Panicked) Error() string { return fmt.Sprintf("%v\n\n%s", f.Value, f.Stack) }

// Go runs f in a new goroutine.
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

// Wait returns when all functions have returned.
func (g *Group) Wait() {
	g.all.Wait()
	if g.panicked != nil {
		panic(g.panicked)
	}
}

// Parallel calls do with each number below n, on all cores, and returns when all calls have returned. A panic in one of
// them goes on in the caller.
func Parallel(n int, do func(i int)) {
	var all Group
	var next atomic.Int64
	for range min(n, Readers()) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	all.Wait()
}
