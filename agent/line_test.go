package agent

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestTooLongLinesAreSkipped(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	long := io.LimitReader(xs{}, 400<<20)
	r := bufio.NewReader(io.MultiReader(strings.NewReader("one\r\n \n"), long, strings.NewReader("\ntwo")))
	for _, want := range []struct {
		line  string
		whole bool
	}{{"one", true}, {"", true}, {"", false}} {
		if line, whole, err := ReadLine(r, 1<<20); string(line) != want.line || whole != want.whole || err != nil {
			t.Errorf("%d bytes, %v, %v; want %q, %v", len(line), whole, err, want.line, want.whole)
		}
	}
	if line, whole, err := ReadLine(r, 1<<20); string(line) != "two" || !whole || !errors.Is(err, io.EOF) {
		t.Errorf("%q, %v, %v", line, whole, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d MiB were allocated", n>>20)
	}
}

// xs is without an end.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
