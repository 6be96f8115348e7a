package wording

import (
	"strconv"
	"testing"

	"github.com/memend/memend/versions/match"
)

func TestNear_SaysWhereEachWordIs(t *testing.T) {
	t.Parallel()
	for want, near := range map[string][]match.NearWord{
		"": nil,
		`"deplyo" was not found; similar: deploy, deploys; "filler" is in 1 memory`: {{Text: "deplyo", Similar: []string{"deploy", "deploys"}}, {Text: "filler", Memories: 1}},
		`"Lee" is in 2 memories in another case`:                                    {{Text: "Lee", AnyCase: 2}},
		`"x" was not found; "y" was not found`:                                      {{Text: "x"}, {Text: "y"}},
	} {
		if got := Near(near, strconv.Quote); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
