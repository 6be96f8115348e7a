package diff

import (
	"flag"
	"testing"
	"time"
)

var diffSeed = flag.Int64("seed", 20261121, "seed of the random diff tests; 0 takes one from the clock")

// testSeed returns the seed of a random test and logs it if the test fails.
func testSeed(t *testing.T) int64 {
	seed := *diffSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("run again with -seed=%d", seed)
		}
	})
	return seed
}
