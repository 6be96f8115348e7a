package cli

import (
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// stamp is a time in JSON: RFC 3339 in UTC with six digits of a second, so that times sort
// as text.
type stamp time.Time

const stampLayout = "2006-01-02T15:04:05.000000Z"

func (s stamp) IsZero() bool { return time.Time(s).IsZero() }

func (s stamp) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"` + stampLayout + `"`)), nil
}

// eventJSON is an event with the field names of the other objects; conversations are stored
// with names of their own.
type eventJSON struct {
	agent.Event
	CreatedAt stamp           `json:"created_at"`
	By        *versions.Actor `json:"created_by,omitempty"`
	FromPath  string          `json:"from_path,omitempty"`
	ChangeOf  string          `json:"kind,omitempty"` // of a change

	// These hide the fields of the event.
	NoTime    bool   `json:"time,omitempty"`
	NoActor   bool   `json:"actor,omitempty"`
	NoFrom    bool   `json:"from,omitempty"`
	CommandOf string `json:"command,omitempty"` // of the memory tool
}

func eventOf(e agent.Event) eventJSON {
	j := eventJSON{Event: e, CreatedAt: stamp(e.Time), FromPath: e.From}
	if e.Actor != (versions.Actor{}) {
		j.By = &e.Actor
	}
	if e.Kind == agent.Changed {
		j.ChangeOf = e.Command
	} else {
		j.CommandOf = e.Command
	}
	return j
}
