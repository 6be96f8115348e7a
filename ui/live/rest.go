package live

import (
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// usualGC is how garbage is collected when nobody waits for the first frame; the
// setting is one of the whole process.
var usualGC atomic.Int64

// hurry has garbage collected from 64 MB on only, until calm: to read a large store
// makes little of it, and all that is read would be looked through again and again.
func hurry() { usualGC.Store(int64(debug.SetGCPercent(1600))) }

func calm() {
	if usual := usualGC.Swap(0); usual != 0 {
		debug.SetGCPercent(int(usual))
	}
}

// worthGiving is how much freed memory is worth the collection that gives it back.
const worthGiving = 1 << 20

// GiveBack returns to the system what reading a large store or file has used:
// left to itself the runtime takes minutes. It runs while nobody waits.
func GiveBack() {
	of := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(of)
	free, used, live := of[0].Value.Uint64(), of[1].Value.Uint64(), of[2].Value.Uint64()
	if free+used > live+worthGiving {
		debug.FreeOSMemory()
	}
	dropCode() // last: garbage collection needs the type tables
}
