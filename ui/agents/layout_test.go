package agents

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// On a screen of 36 rows, of which the agents have 22 with their title, the conversation with
// the focus has at least half.
func TestLayout_GivesTheConversationHalfOfTheScreen(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 79, 21).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	f.begins(manager, "first", time.Hour)
	if !f.pane.talking() {
		t.Fatal("the conversation does not have the focus")
	}
	if h := f.pane.DetailBox().H; h < 34/2 {
		t.Errorf("it has %d rows", h)
	}
}

// The list of sessions grows with their number where there is room.
func TestLayout_GivesManySessionsTheRoom(t *testing.T) {
	f := newFixture(t, 79, 21).story()
	for i := range 30 {
		f.write(versions.By{Actor: claude.Actor, Session: versions.SessionID("sesn_" + string(rune('a'+i)))}, "notes/x.md", string(rune('a'+i)))
	}
	f.start()
	in := f.pane.Page()
	f.keys("h")
	on := f.pane.Page()
	if in != 6 || on != 12 {
		t.Errorf("there are %d sessions beside the stream, and %d with the focus", in, on)
	}
	f.keys("G", "l") // a session with one change: its stream leaves room
	if n := f.pane.Page(); n < 11 {
		t.Errorf("beside a short stream there are %d", n)
	}
}

func TestMouse_ScrollsTheSessionsPastTheCursor(t *testing.T) {
	f := newFixture(t, 79, 21).story()
	for i := range 30 {
		f.write(versions.By{Actor: claude.Actor, Session: versions.SessionID("sesn_" + string(rune('a'+i)))}, "notes/x.md", string(rune('a'+i)))
	}
	f.start()
	f.run(f.pane.Update(tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelDown}))
	if s := &f.pane.sessions; s.Cur != 0 || s.Top != 3 {
		t.Errorf("the cursor is on row %d, and row %d is the first", s.Cur, s.Top)
	}
}
