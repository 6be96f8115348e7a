package diff

import (
	"flag"
	"testing"
)

var diffSeed = flag.Int64("seed", 0, "seed of the random diff tests; 0 takes a fixed one")

// testSeed is the seed of a random test, told when the test fails.
func testSeed(t *testing.T) int64 {
	seed := *diffSeed
	if seed == 0 {
		seed = 20261121
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -seed=%d", seed)
		}
	})
	return seed
}
