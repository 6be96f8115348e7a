package ui

import "testing"

func TestCompare_ShowsTwoMemoriesOfTheTree(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("space")
	s.on("people/lee.md").keys("D")
	s.shows("compare /people/", " → /people/")
	s.keys("q")
	s.hides("compare /people/")
	s.shows("1 chosen")
}
