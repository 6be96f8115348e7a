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
)

// toldTalk is a session with recorded events that has ended its work.
type toldTalk struct {
	*workingTalk
	events []talking.Event
}

func (s *toldTalk) Watch(context.Context) talk.Watch { return s }

func (s *toldTalk) Next(context.Context) ([]talking.Event, error) {
	if told := s.events; told != nil {
		s.events = nil
		return told, nil
	}
	return nil, io.EOF
}

// tells adds the next events.
func (s *toldTalk) tells(events ...talking.Event) {
	for _, e := range events {
		e.Seq, e.Session, e.Time = int64(len(s.events)+1), s.id, picturedNow.Add(time.Duration(len(s.events)-20)*time.Second)
		e.Actor = talking.Actor{Type: versions.Agent, Name: "support-agent"}
		s.state.Take(e)
		s.events = append(s.events, e)
	}
}

func spoken(raw map[string]any) talking.Event {
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
func (s *toldTalk) calls(store *versions.Store, by versions.By, id string, c memfs.Command, path string) (versions.Change, error) {
	by.Session, by.ToolUse = s.id, id
	s.tells(spoken(map[string]any{"type": "tool_use", "id": id, "name": "memory", "input": map[string]any{"command": c.Name(), "path": path}}))
	result, change, err := store.Tool(context.Background(), by, c, memfs.Options{})
	s.tells(talking.Event{Kind: talking.Answered, ToolUse: id, Tool: "memory", Command: c.Name(), Path: path, Text: result.Text, IsError: result.IsError, Change: change.Number, Store: store.Info().ID})
	return change, err
}

// toldManager is a manager of one such session.
type toldManager struct{ *toldTalk }

func (c toldManager) Ready(context.Context) error                     { return nil }
func (c toldManager) Models(context.Context) ([]talking.Model, error) { return nil, nil }
func (c toldManager) Settings() talking.Settings                      { return talking.DefaultSettings() }
func (c toldManager) Start(context.Context, talking.Start) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c toldManager) Resume(context.Context, versions.SessionID) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c toldManager) Session(versions.SessionID) talk.Session { return c.toldTalk }
func (c toldManager) Sessions() []talk.Session                { return []talk.Session{c.toldTalk} }
