package scrub

import (
	"encoding/base64"
	"math/rand/v2"
)

// unique is a text of which every 24 bytes occur nowhere else.
func unique(r *rand.Rand, n int) string {
	b := make([]byte, n*3/4+1)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.RawURLEncoding.EncodeToString(b)[:n]
}
