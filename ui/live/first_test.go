package live

import (
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
