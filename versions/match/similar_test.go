package match

import (
	"testing"
)

func TestNearly_CountsMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		near bool
	}{
		{"run", "run", true}, {"run", "rnu", true}, {"run", "ran", true}, {"run", "runs", true}, {"run", "un", true},
		{"run", "rains", false}, {"run", "", false}, {"search", "saerhc", true}, {"search", "xearhc", false}, {"search", "xearch", true},
		{"größe", "grösse", false}, {"größe", "große", true},
	} {
		if got := nearly([]rune(c.a), []rune(c.b)); got != c.near {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
