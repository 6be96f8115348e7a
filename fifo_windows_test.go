package main

import "github.com/rogpeppe/go-internal/testscript"

// fifo can't be made here; scripts that want one are skipped.
func fifo(ts *testscript.TestScript, neg bool, args []string) { ts.Fatalf("no FIFOs here") }
