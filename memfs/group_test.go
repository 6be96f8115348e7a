package memfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

func panicOf(f func()) (what *Panicked) {
	defer func() { what, _ = recover().(*Panicked) }()
	f()
	return nil
}

func TestGroup_PassesPanicsToWait(t *testing.T) {
	var g Group
	others := make(chan int, 3)
	f := panicOf(func() {
		for i := range 3 {
			g.Go(func() { others <- i })
		}
		g.Go(func() { panic("one fell") })
		g.Wait()
	})
	if f == nil || f.Value != "one fell" || !strings.Contains(string(f.Stack), "group_test.go") || len(others) != 3 {
		t.Errorf("%v, %d others", f, len(others))
	}
}

func TestReadAll_PassesPanicsOfItsVisitorToTheCaller(t *testing.T) {
	folder := t.TempDir()
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(i)), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := func(Path) bool { return true }
	f := panicOf(func() {
		err = d.ReadAll(context.Background(), Root, 100, all, func(int, Text) error { panic("the visitor fell") })
	})
	if f == nil || f.Value != "the visitor fell" {
		t.Errorf("%v, %v", f, errors.Join(err))
	}
}

func TestParallel_CallsWithEachNumberOnce(t *testing.T) {
	t.Parallel()
	var calls [1000]atomic.Int32
	Parallel(len(calls), func(i int) { calls[i].Add(1) })
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Errorf("%d calls with %d", n, i)
		}
	}
	Parallel(0, func(i int) { t.Errorf("a call with %d", i) })
}

func TestParallel_PassesPanicsToTheCaller(t *testing.T) {
	if f := panicOf(func() { Parallel(3, func(int) { panic("one fell") }) }); f == nil || f.Value != "one fell" {
		t.Errorf("%v", f)
	}
}
