package agents

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// work performs the last request of the pane and passes the outcome to it.
func (f *fixture) work() {
	f.t.Helper()
	w, ok := f.last().(screen.Work)
	if !ok {
		f.t.Fatalf("asked is %#v", f.asked)
	}
	msg, err := w.Do(f.t.Context())
	f.must(err)
	f.run(msg.(screen.Reply).Take())
}

func TestSession_EndAsksWhileItWorks(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	idle := (&fakeTalk{id: versions.NewSession(), name: "idle"}).phase(agent.PhaseIdle)
	busy := (&fakeTalk{id: versions.NewSession(), name: "busy"}).phase(agent.PhaseWaiting)
	idle.state.Seen, busy.state.Seen = f.time().Add(2*time.Minute), f.time().Add(time.Minute)
	manager.sessions = append(manager.sessions, idle, busy)
	f.start()
	f.press("h g g j Q") // nothing is lost
	f.work()
	if n, ok := f.last().(screen.Notice); fmt.Sprint(idle.asked) != "[close]" || !ok || n.Bad || !strings.Contains(n.Text, "i resumes it") {
		t.Errorf("asked of it was %q, told is %#v", idle.asked, f.last())
	}
	f.press("j Q")
	q, ok := f.last().(screen.Choose)
	if !ok || len(busy.asked) > 0 {
		t.Fatalf("asked is %#v, of the session %q", f.last(), busy.asked)
	}
	if q.Options[len(q.Options)-1].Then != nil {
		t.Error("to leave the question ends the session")
	}
	f.run(q.Options[0].Then())
	f.work()
	if fmt.Sprint(busy.asked) != "[close]" {
		t.Errorf("asked of it was %q", busy.asked)
	}
	busy.phase(agent.PhaseEnded)
	f.run(f.pane.ended(errors.New("the disk is full")))
	if n, ok := f.last().(screen.Notice); !ok || !n.Bad || !strings.Contains(n.Text, "disk is full") {
		t.Errorf("told is %#v", f.last())
	}
}

func TestSession_ElsewhereCanNotBeEnded(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	f.host()
	_, c := f.keep(append(said("Remember the plan."), agent.Event{Kind: agent.Ended})...)
	f.must(c.Close())
	f.start()
	f.press("h g g j")
	if why := f.pane.endDisabled(); !strings.Contains(why, "runs here") {
		t.Errorf("it is refused because %q", why)
	}
}
