package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestVerify_MarksTheMemoryUntilItsTextChanges(t *testing.T) {
	q := newQueue(t, 120, 36)
	q.policy("open")
	c := q.writes(reviewer, "rules", "one\n")
	q.happens(versions.Event{Changes: []versions.Change{c}})
	mark := func() bool {
		for _, row := range strings.Split(q.screen(), "\n") {
			if strings.Contains(row, "rules") && strings.Contains(row, "✓") {
				return true
			}
		}
		return false
	}
	q.on("rules").keys("v")
	q.shows("verified /rules: the mark goes when its text changes")
	if !mark() {
		t.Errorf("it has no mark:\n%s", q.screen())
	}
	q.keys("H")
	q.shows("verified by ")
	q.keys("esc")
	q.on("rules")
	q.keys("/")
	q.typed("is:unv")
	q.keys("enter")
	q.hides("   rules ")
	q.keys("esc")

	c = q.writes(reviewer, "rules", "two\n")
	q.happens(versions.Event{Changes: []versions.Change{c}})
	if mark() {
		t.Errorf("it changed, and has the mark still:\n%s", q.screen())
	}
	q.on("rules").keys("v v")
	q.shows("/rules is not verified any more")
	if mark() {
		t.Errorf("it has the mark still:\n%s", q.screen())
	}
}
