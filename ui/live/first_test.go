package live

import (
	"runtime/metrics"
	"testing"
	"time"
)

func TestAhead_ReturnsTheResultOrPanicOfACommand(t *testing.T) {
	clock := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	begun := make(chan bool)
	first := ahead(func() {}, func() (reading, error) { close(begun); return reading{now: clock}, nil })
	<-begun // before anything asks for it
	if read, err := first.wait(); read.now != clock || err != nil {
		t.Errorf("it brought %v, %v", read, err)
	}
	first = ahead(func() {}, func() (reading, error) { panic("a fault of ours") })
	defer func() {
		if fault := recover(); fault != "a fault of ours" {
			t.Errorf("whoever waited met %v", fault)
		}
	}()
	first.wait()
}

func TestFirst_RestoresTheGCSettingWhenDone(t *testing.T) {
	percent := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	usual := percent()
	delayGC()
	first := ahead(func() {}, func() (reading, error) { return reading{}, nil })
	if percent() <= usual {
		t.Error("it is collected as ever while the store is read")
	}
	first.End()
	if now := percent(); now != usual {
		t.Errorf("it is collected at %d, not at %d", now, usual)
	}
}
