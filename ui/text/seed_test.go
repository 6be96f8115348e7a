package text

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // defines the flag
)

// Random tests use the same seed each time. -rapid.seed=0 draws one.
func init() {
	if os.Getenv("RAPID_SEED") == "" {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
}
