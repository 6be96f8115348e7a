//go:build unix

package terminal

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// slow has nothing to show at first.
type slow struct{ scene }

func (s slow) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := s.scene.Update(msg)
	s.scene = m.(scene)
	return s, cmd
}

func (s slow) View() tea.View {
	if s.said == "" {
		return tea.View{}
	}
	return s.scene.View()
}

func TestRun_DrawsNoEmptyFrame(t *testing.T) {
	g := newFakeTerminal(t)
	var shown atomic.Bool
	done := make(chan error, 1)
	go func() {
		done <- Run(context.Background(), slow{}, Config{Input: g.slave, Output: g.slave, Shown: func() { shown.Store(true) }})
	}()
	g.wait("the questions", func() bool { return strings.Contains(g.bytes(), ansi.RequestKittyKeyboard) })
	time.Sleep(20 * time.Millisecond)
	if s := g.bytes(); strings.Contains(s, ansi.SetModeAltScreenSaveCursor) || shown.Load() {
		t.Errorf("an empty frame was drawn: %q", s)
	}
	g.press("a")
	g.until("said: key a")
	g.wait("it is told", shown.Load)
	g.press("q")
	if err := g.ended(done); err != nil {
		t.Fatal(err)
	}
}

func TestRun_EndsBeforeTheFirstFrameAndLeavesNothingBehind(t *testing.T) {
	g := newFakeTerminal(t)
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- Run(ctx, slow{}, Config{Input: g.slave, Output: g.slave}) }()
	g.wait("the questions", func() bool { return strings.Contains(g.bytes(), ansi.RequestKittyKeyboard) })
	cancel()
	_ = g.ended(done)
	if s := g.bytes(); strings.Contains(s, ansi.SetModeAltScreenSaveCursor) {
		t.Errorf("%q", s)
	}
}
