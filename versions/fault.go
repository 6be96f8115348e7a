package versions

import "runtime/debug"

// caught is to be deferred in goroutines that nobody waits for.
func (t *Trail) caught() {
	if fault := recover(); fault != nil {
		t.fell(fault)
	}
}

// fell tells of a panic that was recovered.
func (t *Trail) fell(fault any) {
	if t.fault == nil {
		panic(fault)
	}
	t.fault(fault, debug.Stack())
}
