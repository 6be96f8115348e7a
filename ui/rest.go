package ui

import (
	"runtime/debug"
	"runtime/metrics"
)

// worthGiving is how much freed memory is worth the collection that gives it back.
const worthGiving = 2 << 20

// giveBack returns to the system what reading a large store or file has used:
// left to itself the runtime takes minutes. It runs while nobody waits.
func giveBack() {
	of := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(of)
	free, used, live := of[0].Value.Uint64(), of[1].Value.Uint64(), of[2].Value.Uint64()
	if free+used > live+worthGiving {
		debug.FreeOSMemory()
	}
}
