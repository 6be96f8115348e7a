// Package ramdisk keeps the temporary files of tests in memory, so that no test waits
// for a disk, and collects garbage less often. Tests of this module sync thousands of files, and what a loss of power
// would leave is tested with a simulated disk.
//
// Only Linux has such a folder. It is not used where TMPDIR is set, or where it has
// less than a gibibyte of free space.
package ramdisk

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
)

// Tests runs the tests of a package: its TestMain calls os.Exit(ramdisk.Tests(m).Run()).
func Tests(m *testing.M) Runner { return Runner{m} }

// Runner is a testing.M whose tests have a temporary folder in memory.
type Runner struct{ m *testing.M }

// AtOnce runs so many tests at once for each of a few processors, unless the command line says how many. Tests that wait
// leave a processor idle; of many processors, all have work.
func (r Runner) AtOnce(each int) Runner {
	n := runtime.GOMAXPROCS(0)
	if err := flag.Set("test.parallel", strconv.Itoa(max(n, min(each*n, 12)))); err != nil {
		panic(err)
	}
	return r
}

// Run runs the tests and returns the exit code. Processes that the tests start use
// the same folder.
func (r Runner) Run() int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // tests have small heaps and make much garbage
	}
	parent := inMemory()
	if parent == "" || os.Getenv("TMPDIR") != "" {
		return r.m.Run()
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("memend-test-%d-", os.Getpid()))
	if err != nil {
		return r.m.Run()
	}
	defer os.RemoveAll(dir)
	if err := os.Setenv("TMPDIR", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return r.m.Run()
}
