package cli

import (
	"runtime/metrics"
	"testing"
)

func TestDelayGC_LastsUntilItIsRestored(t *testing.T) {
	percent := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	usual := percent()
	restore := delayGC()
	if percent() <= usual {
		t.Error("garbage is collected as usual while the store is read")
	}
	restore()
	restore() // the end of the program may come before the end of the reading
	if now := percent(); now != usual {
		t.Errorf("the target is %d after it, not %d", now, usual)
	}
}
