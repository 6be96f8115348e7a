package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/memend/memend/ui/live"
)

func TestFirstFrame_WaitsForTheStore(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Config{Store: sample(), By: me, Now: func() time.Time { return clock }, Background: Dark})
	shown := make(chan struct{})
	scanned := make(chan struct{}, 2)
	read := make(chan struct{}, 2)
	m.app.live.SetStart(shown, func() { read <- struct{}{} }, func() { scanned <- struct{}{} })
	p := &program{t: t, m: m, msgs: make(chan tea.Msg, 100)}
	p.start(m.Init())
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
	if v := m.View(); v.Content != "" {
		t.Errorf("a frame without the store shows:\n%s", ansi.Strip(v.Content))
	}
	p.until("the store shows", func(*App) bool { return strings.Contains(ansi.Strip(m.View().Content), "people") })
	for over := time.After(20 * time.Millisecond); over != nil; {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-over:
			over = nil
		}
	}
	if m.app.watch() != live.NotWatching || len(read)+len(scanned) > 0 {
		t.Error("the folder is looked through before the first frame is there")
	}
	close(shown)
	p.until("the folder is watched", func(a *App) bool { return a.watch() == live.Watching })
	if len(read) != 1 {
		t.Errorf("the end of the first reading is told %d times", len(read))
	}
	select {
	case <-scanned:
	case <-time.After(10 * time.Second):
		t.Fatal("the end of the first scan is not told")
	}
	p.start(m.app.live.Reload())
	p.until("the tree is read again", func(a *App) bool { return !a.live.Loading() })
	select {
	case <-scanned:
		t.Error("the first scan is told twice")
	case <-time.After(20 * time.Millisecond):
	}
}

func TestFirstFrame_WaitsBriefly(t *testing.T) {
	t.Parallel()
	m := newModel(t.Context(), Config{Store: sample(), By: me, Now: func() time.Time { return clock }, Background: Dark})
	m.Init()
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
	m.Update(waitedMsg{})
	if v := ansi.Strip(m.View().Content); !strings.Contains(v, "tree") {
		t.Errorf("after a tenth of a second there is still no frame: %q", v)
	}
}
