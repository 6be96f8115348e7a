package ui

import (
	"testing"

	"github.com/memend/memend/versions"
)

func TestFilter_FindsMemoriesThatNameWhatIsGone(t *testing.T) {
	q := newQueue(t, 120, 36)
	q.policy("open")
	var made []versions.Change
	for p, text := range map[string]string{"good.md": "[a](rules.md)\n", "bad.md": "[a](gone.md)\n", "rules.md": "none\n"} {
		made = append(made, q.writes(reviewer, p, text))
	}
	q.happens(versions.Event{Changes: made})
	q.hides("✗1")
	q.keys("/")
	q.typed("is:broken")
	q.keys("enter")
	q.shows("bad.md", "✗1")
	q.hides("good.md", "rules.md")

	c := q.writes(reviewer, "bad.md", "[a](good.md)\n")
	q.happens(versions.Event{Changes: []versions.Change{c}})
	q.hides("✗1")
	q.keys("esc")
	q.shows("good.md")
}
