package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen/screentest"
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

func TestFilter_SaysThatItIsStillCheckingMemories(t *testing.T) {
	q := newQueue(t, 120, 36)
	q.keys("/")
	q.typed("is:broken")
	q.shows("nothing matches")
	q.hides("checking…")
	q.keys("esc")
	q.app.Update(screentest.Key("/"))
	q.app.Update(tea.PasteMsg{Content: "is:broken"}) // the answers of its commands do not arrive
	q.shows("checking…")
}

func TestColumns_ShowWhetherAMemoryIsStillTrue(t *testing.T) {
	q := newQueue(t, 120, 36)
	q.policy("open")
	c := q.writes(reviewer, "bad.md", "[a](gone.md)\n")
	q.happens(versions.Event{Changes: []versions.Change{c}})
	for range 4 {
		q.keys("c")
	}
	q.shows("columns: is it still true?", "✗1")
	q.keys("c")
	q.shows("columns: size and age")
	q.hides("✗1")
}
