package text

import "testing"

func TestAnd_JoinsAsInASentence(t *testing.T) {
	for want, words := range map[string][]string{
		"":           nil,
		"a":          {"a"},
		"a and b":    {"a", "b"},
		"a, b and c": {"a", "b", "c"},
	} {
		if got := And(words); got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
