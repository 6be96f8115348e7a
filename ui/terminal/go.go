package terminal

import (
	"runtime/debug"
	"sync"
)

// Go runs f in a goroutine of its own. Every goroutine that may run while a program
// is shown is started by it: a panic in one that Go's runtime catches ends the process
// at once and leaves the terminal raw. Here it ends the program as one of its own
// does, as a *Fault that Run returns; where nothing is shown, it is a panic as any
// other. What waits for f must not wait for what f does last, but for a defer of f.
func Go(f func()) {
	go func() {
		defer caught()
		f()
	}()
}

// Caught takes a panic that somebody else has recovered, with the stack where it was,
// as Go does.
func Caught(value any, stack []byte) {
	if !programs.fail(&Fault{value, stack}) {
		panic(value)
	}
}

// caught is to be deferred.
func caught() {
	if r := recover(); r != nil {
		Caught(r, debug.Stack())
	}
}

// programs are what runs on a terminal: one, but for tests.
var programs running

type running struct {
	mu   sync.Mutex
	last int
	ends map[int]func(*Fault)
}

// add has end called with each fault, which must not wait for anything, until the
// function that it returns is called.
func (r *running) add(end func(*Fault)) (done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends == nil {
		r.ends = map[int]func(*Fault){}
	}
	r.last++
	n := r.last
	r.ends[n] = end
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.ends, n)
	}
}

// fail reports whether there was a program to end.
func (r *running) fail(f *Fault) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.ends {
		end(f)
	}
	return len(r.ends) > 0
}
