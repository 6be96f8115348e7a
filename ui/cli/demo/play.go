package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/versions"
)

// Banner is what the screens say while Play plays.
const Banner = "the agents are scripted"

// Believed is what they say while that can be taken back which an agent was made to
// believe; by the keys that show the agents, and that take a session back.
func Believed(show, undo string) string {
	return undo + " on inbox-agent (" + show + ") undoes it · it was misled by a document"
}

// Model is what the scripted agents run on.
const Model = "scripted"

// Models are those of the demo's API: one with a context that is filled in a minute.
func Models() []agent.Model {
	m := script.DefaultModels[0]
	m.ID, m.MaxInputTokens = Model, 8000
	return []agent.Model{m}
}

// Settings are those of the demo's sessions: the context is so small that it is
// cleared and summarized before somebody's eyes.
func Settings() agent.Settings {
	set := agent.DefaultSettings()
	set.Model, set.MaxTokens = Model, 2000
	set.Edits = []agent.Edit{
		{Type: agent.ClearThinking, Keep: agent.Amount{Unit: agent.ThinkingTurns, Value: 1}},
		{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 1700}, Keep: agent.Amount{Unit: agent.ToolUses, Value: 3}},
	}
	set.Compact = agent.Compaction{Mode: agent.CompactClient, Threshold: 4000}
	return set
}

// projectSettings let the project's agent be summarized in the middle of its work.
func projectSettings() agent.Settings {
	set := Settings()
	set.Edits = nil
	set.Compact.Threshold = 2100
	return set
}

// Pace is how long the play waits.
type Pace struct {
	Start   time.Duration // before the first session
	Between time.Duration // two sessions
	Tickets time.Duration // two tickets
}

// UsualPace is for people.
var UsualPace = Pace{Start: 1500 * time.Millisecond, Between: 4 * time.Second, Tickets: 20 * time.Second}

// Times is the pace that is so many times as fast.
func (p Pace) Times(speed float64) Pace {
	return Pace{Faster(p.Start, speed), Faster(p.Between, speed), Faster(p.Tickets, speed)}
}

// Faster is a duration at so many times the speed.
func Faster(d time.Duration, speed float64) time.Duration {
	return time.Duration(float64(d) / speed)
}

// Play lets three agents work in a store, one after another, and then the first go on
// with a ticket now and then, until ctx ends. Who looks on may stop them, ask them
// something else and change what they work on. While what the third was made to
// believe stands, believed is told so.
func Play(ctx context.Context, crew *agent.Crew, s *versions.Store, p Pace, believed func(bool)) error {
	first, err := begin(ctx, crew, s, "support-agent", Settings(), askSupport, p.Start)
	if err == nil {
		_, err = begin(ctx, crew, s, "coding-agent", projectSettings(), askProject, p.Between)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Info().Folder, "inbox-partner-terms.md"), []byte(partnerTerms), 0o600)
	}
	var third *agent.Session
	if err == nil {
		third, err = begin(ctx, crew, s, "inbox-agent", Settings(), askTerms, p.Between)
	}
	tell := func() error { return nil }
	if err == nil {
		tell = teller(ctx, s, third.ID(), believed)
	}
	for n := 0; err == nil; n++ {
		for left := p.Tickets; err == nil && left >= 0; left -= time.Second {
			if err = tell(); err == nil {
				err = wait(ctx, min(left, time.Second))
			}
		}
		if err == nil {
			err = ask(ctx, first, askTicket(n))
		}
	}
	if ctx.Err() != nil || errors.Is(err, agent.ErrEnded) { // somebody closed it: that is the end of the play
		return nil
	}
	return err
}

// teller makes a function that tells when changes of a session come to stand, or do
// not any more.
func teller(ctx context.Context, s *versions.Store, id versions.SessionID, stands func(bool)) func() error {
	was := false
	return func() error {
		list, err := s.Sessions(ctx, versions.SessionFilter{ID: id}, versions.Session{}, 1)
		if err != nil {
			return err
		}
		if is := len(list) > 0 && list[0].Changes > list[0].Undone; is != was {
			was = is
			stands(is)
		}
		return nil
	}
}

// begin starts a session after a while, and waits until it is done.
func begin(ctx context.Context, crew *agent.Crew, s *versions.Store, name string, set agent.Settings, prompt string, after time.Duration) (*agent.Session, error) {
	if err := wait(ctx, after); err != nil {
		return nil, err
	}
	session, err := crew.Start(ctx, agent.Start{Name: name, Stores: []versions.Attachment{{Store: s.Info().ID}}, Settings: set})
	if err != nil {
		return nil, err
	}
	return session, ask(ctx, session, prompt)
}

// ask gives a session a prompt, and waits until it is done with it and with what
// somebody else asked meanwhile.
func ask(ctx context.Context, s *agent.Session, prompt string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sub := s.Watch(ctx)
	if err := s.Send(prompt); err != nil {
		return err
	}
	for {
		events, err := sub.Next(ctx)
		if errors.Is(err, io.EOF) {
			return errors.Join(ctx.Err(), agent.ErrEnded)
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			if e.Kind == agent.Idle && len(s.State().Queue) == 0 {
				return nil
			}
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
