package talk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
)

func TestRetries_WithTheSameEndAreOneNote(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 20)
	failed := func(what string) agent.Event {
		return agent.Event{Kind: agent.Retrying, Failure: &agent.Failure{Type: "connection", Message: what}, Wait: agent.Millis(8 * time.Second)}
	}
	const refused = "Post to a host with a name that is rather long: connection refused"
	s.setState(started(), prompt("Go."), sent(), failed(refused))
	s.shows("again in 8 s · connection: ")
	s.hides("…")
	s.setState(failed(refused), failed(refused))
	if n := strings.Count(s.screen(), "again in"); n != 2 { // in the note and in the status
		t.Errorf("it is told %d times:\n%s", n, s.screen())
	}
	s.setState(failed("reset"), began(0, "text"), added(0, "text", "There."))
	s.shows("tried again 3 times · connection: Post", "tried again · connection: reset", "There.")
	for _, word := range strings.Fields(refused) {
		s.shows(word)
	}
	for w := 1; w < 70; w++ {
		s.v.SetSize(w, 20)
		s.shows()
		if strings.Contains(s.screen(), "__") || w > 30 && strings.Contains(s.screen(), "…") {
			t.Fatal(fmt.Sprint("at ", w, " columns\n", s.screen()))
		}
	}
}

func TestStatus_CutsNoWordInNarrowPanes(t *testing.T) {
	t.Parallel()
	s := newSim(t, 40, 12)
	s.setState(started(), prompt("Go."), sent())
	s.v.state.Prompt, s.v.state.Window, s.v.state.Requests = 123_400, 200_000, 1
	for w := 30; w < 70; w++ {
		s.v.SetSize(w, 12)
		s.v.SetNow(s.now.Add(90 * time.Second))
		s.hides("…")
		s.shows("waiting")
	}
	s.shows("waiting for the model 90 s · x stops")
}
