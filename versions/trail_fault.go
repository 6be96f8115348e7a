package versions

import "runtime/debug"

// Go runs f in a goroutine of its own, a panic of which is told to Options.Fault: for
// what works with the trail for as long as a program runs. A nil trail tells nobody.
func (t *Trail) Go(f func()) {
	go func() {
		defer t.recoverPanic()
		f()
	}()
}

// recoverPanic is to be deferred in goroutines that nobody waits for.
func (t *Trail) recoverPanic() {
	if fault := recover(); fault != nil {
		t.reportPanic(fault)
	}
}

// reportPanic tells of a panic that was recovered.
func (t *Trail) reportPanic(fault any) {
	if t == nil || t.fault == nil {
		panic(fault)
	}
	t.fault(fault, debug.Stack())
}
