package terminal

import (
	"runtime/debug"
	"sync"
)

// Go runs f in a new goroutine. Every goroutine that may run while a program is shown must
// be started by it: otherwise a panic would end the process at once and leave the terminal
// in raw mode. Here it ends the program, and Run returns a *Fault; if no program is shown,
// it is an ordinary panic. Whatever waits for f must be notified by a deferred call of f,
// not by its last statement.
func Go(f func()) {
	go func() {
		defer caught()
		f()
	}()
}

// Caught handles a panic that was recovered elsewhere, with its stack, as Go does.
func Caught(value any, stack []byte) {
	if !programs.fail(&Fault{value, stack}) {
		panic(value)
	}
}

// caught recovers a panic; call it with defer.
func caught() {
	if r := recover(); r != nil {
		Caught(r, debug.Stack())
	}
}

// programs are the running programs: one, except in tests.
var programs running

type running struct {
	mu   sync.Mutex
	last int
	ends map[int]func(*Fault)
}

// add registers end, which is called with each fault and must not block, until the returned
// function is called.
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
