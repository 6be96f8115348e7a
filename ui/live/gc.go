package live

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// usualGC is the garbage collection target to restore after the first frame; the setting
// applies to the whole process.
var usualGC atomic.Int64

// delayGC delays garbage collection until the heap has 64 MB, or until restoreGC: reading a large
// store creates little garbage, and collections would scan all of it again and again.
func delayGC() { usualGC.Store(int64(debug.SetGCPercent(1600))) }

func restoreGC() {
	if usual := usualGC.Swap(0); usual != 0 {
		debug.SetGCPercent(int(usual))
	}
}

// minFreed is the amount of freed memory from which a collection is worthwhile.
const minFreed = 1 << 20

// ReleaseMemory returns memory to the system that reading a large store or file has used: the
// runtime alone takes minutes. It runs while the program is idle.
func ReleaseMemory() {
	of := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(of)
	free, used, live := of[0].Value.Uint64(), of[1].Value.Uint64(), of[2].Value.Uint64()
	if free+used > live+minFreed {
		debug.FreeOSMemory()
	}
	dropCode() // last, because garbage collection needs the type tables
}
