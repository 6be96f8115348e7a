package versions

import "runtime/debug"

// Go runs f in a new goroutine and passes a panic of f to Options.Fault. It is for
// background work with the trail. If the trail is nil, a panic crashes the program.
func (t *Trail) Go(f func()) {
	go func() {
		defer t.recoverPanic()
		f()
	}()
}

// recoverPanic must be deferred in goroutines that nobody waits for.
func (t *Trail) recoverPanic() {
	if fault := recover(); fault != nil {
		t.reportPanic(fault)
	}
}

// reportPanic passes a recovered panic to Options.Fault.
func (t *Trail) reportPanic(fault any) {
	if t == nil || t.fault == nil {
		panic(fault)
	}
	t.fault(fault, debug.Stack())
}
