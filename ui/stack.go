package ui

import (
	"slices"

	"github.com/memend/memend/ui/screen"
)

// stack is the open screens; the last one is in front.
type stack []screen.Pane

// drop closes a screen, wherever it is.
func (s *stack) drop(p screen.Pane) {
	i := slices.Index(*s, p)
	if i < 0 {
		return
	}
	if c, ok := p.(screen.Closer); ok {
		c.Close()
	}
	*s = slices.Delete(*s, i, i+1)
}

// uncover closes the screens that cover the memory just opened.
func (s *stack) uncover() {
	for _, p := range slices.Backward(*s) {
		if d, ok := p.(screen.Decider); ok && d.Stays() {
			return
		}
		s.drop(p)
	}
}

// deciding returns why actions of the root can't change the store now: see screen.Decider.
func (s stack) deciding() string {
	for _, p := range s {
		if d, ok := p.(screen.Decider); ok && d.Decides() != "" {
			return "finish or leave the " + d.Decides() + " first"
		}
	}
	return ""
}
