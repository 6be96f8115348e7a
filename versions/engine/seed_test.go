package engine_test

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var caseEach = flag.Int("case.each", 4, "in tests of many costly cases or steps, try only every so many of them")

// sampled are those of all cases or steps that -case.each lets a test try.
func sampled[T any](all []T) (out []T) {
	for i := 0; i < len(all); i += *caseEach {
		out = append(out, all[i])
	}
	return out
}

var randomSeed = flag.Int64("seed", 20261121, "seed of the random tests; 0 takes one from the clock")

// testSeed returns the seed of a random test and logs it if the test fails.
func testSeed(t *testing.T) int64 {
	seed := *randomSeed
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

// seeded returns a source of random numbers for a seed from a flag, and logs the seed.
func seeded(t *testing.T, name string, seed uint64) *rand.Rand {
	t.Helper()
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-%s=%d", name, seed)
	return rand.New(rand.NewPCG(seed, 1))
}
