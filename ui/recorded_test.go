package ui

import (
	"context"
	"encoding/json"
	"io"
	"time"

	talking "github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// recordedSession is a session with recorded events that has ended its work.
type recordedSession struct {
	*workingTalk
	events []talking.Event
}

func (s *recordedSession) Watch(context.Context) talk.Watch { return s }

func (s *recordedSession) Next(context.Context) ([]talking.Event, error) {
	if events := s.events; events != nil {
		s.events = nil
		return events, nil
	}
	return nil, io.EOF
}

// addEvents adds the next events.
func (s *recordedSession) addEvents(events ...talking.Event) {
	for _, e := range events {
		e.Seq, e.Session, e.Time = int64(len(s.events)+1), s.id, picturedNow.Add(time.Duration(len(s.events)-20)*time.Second)
		e.Actor = versions.Actor{Kind: versions.Agent, Name: "support-agent"}
		s.state.Take(e)
		s.events = append(s.events, e)
	}
}

func recorded(raw map[string]any) talking.Event {
	b, err := json.Marshal(raw)
	if err != nil {
		panic(err)
	}
	block, err := talking.ParseBlock(b)
	if err != nil {
		panic(err)
	}
	return talking.Event{Kind: talking.BlockEnded, Type: block.Type, Block: &block, ToolUse: block.ID, Tool: block.Name}
}

// calls makes a call of the memory tool in a store and adds its events.
func (s *recordedSession) calls(store *engine.Store, by versions.By, id string, c memfs.Command, path string) (versions.Change, error) {
	by.Session, by.ToolUse = s.id, id
	s.addEvents(recorded(map[string]any{"type": "tool_use", "id": id, "name": "memory", "input": map[string]any{"command": c.Name(), "path": path}}))
	result, change, err := store.Tool(context.Background(), by, c, memfs.Options{})
	s.addEvents(talking.Event{Kind: talking.Answered, ToolUse: id, Tool: "memory", Command: c.Name(), Path: path, Text: result.Text, IsError: result.IsError, Change: change.Number, Store: store.Info().ID})
	return change, err
}

// recordedManager is a manager of one such session.
type recordedManager struct{ *recordedSession }

func (c recordedManager) Ready(context.Context) error { return nil }
func (c recordedManager) Start(context.Context, talking.Start) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c recordedManager) Resume(context.Context, versions.SessionID) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c recordedManager) Session(versions.SessionID) talk.Session { return c.recordedSession }
func (c recordedManager) Sessions() []talk.Session                { return []talk.Session{c.recordedSession} }
