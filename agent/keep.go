package agent

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// Keep returns the function for ManagerOptions.Journal that stores conversations in the home, one
// event a line.
func Keep(all *conversations.Folder) func(versions.SessionID) (Journal, error) {
	return func(id versions.SessionID) (Journal, error) {
		c, err := all.Begin(id)
		if err != nil {
			return nil, err
		}
		return journal{c}, nil
	}
}

type journal struct{ *conversations.Conversation }

func (j journal) Append(e Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("store the conversation: %w", err)
	}
	return j.Conversation.Append(b)
}

// StoredEvents returns the events of a stored conversation in order. It skips a truncated last line
// that a killed program left.
func StoredEvents(all *conversations.Folder, id versions.SessionID) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for at := int64(0); ; {
			objects, next, err := all.Read(id, at)
			if err != nil {
				yield(Event{}, err)
				return
			}
			if next == at {
				return
			}
			at = next
			for _, o := range objects {
				var e Event
				if json.Unmarshal(o, &e) == nil && !yield(e, nil) {
					return
				}
			}
		}
	}
}
