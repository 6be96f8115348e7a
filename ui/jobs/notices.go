package jobs

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Notice is a message to the user. It must be drawn through ui/text, because it may contain
// control characters.
type Notice struct {
	Text string
	Bad  bool
	Back string // the action that undoes what the message reports: "undo"; "" for none
	When time.Time

	Queued bool // as in screen.Notice
}

// Notices are the messages of this session.
type Notices struct {
	all   []Notice
	shown *Notice
	later func(time.Duration, tea.Msg) tea.Cmd
}

const (
	noticeTime = 4 * time.Second
	maxNotices = 200
)

// NewNotices returns an empty list; later sends a message after a delay.
func NewNotices(later func(time.Duration, tea.Msg) tea.Cmd) *Notices { return &Notices{later: later} }

// All returns the messages, oldest first.
func (n *Notices) All() []Notice { return n.all }

// Shown returns the visible message, or nil.
func (n *Notices) Shown() *Notice { return n.shown }

// Read hides an error: a key was pressed, so the error was read.
func (n *Notices) Read() {
	if n.shown != nil && n.shown.Bad {
		n.shown = nil
	}
}

// Opened hides the announcement of a held change. It is called when the review queue opens,
// which lists it.
func (n *Notices) Opened() {
	if n.shown != nil && n.shown.Queued {
		n.shown = nil
	}
}

// Log adds a message to the list without showing it.
func (n *Notices) Log(m Notice) {
	if len(n.all) >= maxNotices {
		n.all = append(n.all[:0], n.all[maxNotices/2:]...)
	}
	n.all = append(n.all, m)
}

// Say shows a message for a while; an error stays until a key is pressed.
func (n *Notices) Say(m Notice) tea.Cmd {
	n.Log(m)
	n.shown = &m
	if m.Bad {
		return nil
	}
	return n.later(noticeTime, screen.Then(func() tea.Cmd {
		if n.shown == &m {
			n.shown = nil
		}
		return nil
	}))
}

// SayDone reports a change that was made. While the message is visible, it shows how to undo
// the change.
func (n *Notices) SayDone(did string, c versions.Change, now time.Time) tea.Cmd {
	m := Notice{Text: did, When: now}
	switch {
	case c.Number == 0:
	case c.Kind == versions.KindUndo:
		m.Back = "redo"
	default:
		m.Back = "undo"
	}
	return n.Say(m)
}
