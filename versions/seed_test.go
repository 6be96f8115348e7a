package versions

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var randomSeed = flag.Int64("seed", 0, "seed of the random tests; 0 takes a fixed one")

// testSeed is the seed of a random test, told when the test fails.
func testSeed(t *testing.T) int64 {
	seed := *randomSeed
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

// seeded draws a seed, or takes the one of a flag, and says which.
func seeded(t *testing.T, name string, seed uint64) *rand.Rand {
	t.Helper()
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-%s=%d", name, seed)
	return rand.New(rand.NewPCG(seed, 1))
}
