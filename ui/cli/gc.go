package cli

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/memend/memend/ui"
)

// tuneMemory makes this process collect garbage late until the TUI has read its store, or until
// restore is called, and return memory to the system after that and while the TUI is idle. The
// settings of the runtime apply to the whole process, so Run decides that the TUI gets them.
func tuneMemory(cfg *ui.Config) (restore func()) {
	restore = delayGC()
	cfg.Idle = releaseMemory
	cfg.Read = func() {
		restore()
		dropCode() // what the start has used: a third of the memory at the first frame
	}
	return restore
}

// delayGC delays garbage collection until the heap has 64 MB, or until restore is called: reading
// a large store creates little garbage, and collections would scan all of it again and again.
func delayGC() (restore func()) {
	usual := debug.SetGCPercent(1600)
	return sync.OnceFunc(func() { debug.SetGCPercent(usual) })
}

// collectLess makes a command that reads all texts of a store collect garbage less often: up to a fifth of its time is saved for
// some 20 MB, because what it keeps is small beside what it reads.
func collectLess() { debug.SetGCPercent(400) }

// minFreed is the amount of freed memory from which a collection is worthwhile.
const minFreed = 1 << 20

// releaseMemory returns memory to the system that reading a large store or file has used: the
// runtime alone takes minutes. It runs while the program is idle.
func releaseMemory() {
	of := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(of)
	free, used, live := of[0].Value.Uint64(), of[1].Value.Uint64(), of[2].Value.Uint64()
	if free+used > live+minFreed {
		debug.FreeOSMemory()
	}
	dropCode() // last, because garbage collection needs the type tables
}
