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

// Banner is the banner of the TUI while Play runs.
const Banner = "the agents are scripted"

// MisledBanner returns the banner that is shown while the false rule, which an agent read in a
// document, can be undone. Its arguments are the keys that show the agents and undo a
// session.
func MisledBanner(show, undo string) string {
	return undo + " on inbox-agent (" + show + ") undoes it · it was misled by a document"
}

// Model is the model of the scripted agents.
const Model = "scripted"

// Models returns the models of the demo's API: one, with a context that fills within a
// minute.
func Models() []agent.Model {
	m := script.DefaultModels[0]
	m.ID, m.MaxInputTokens = Model, 8000
	return []agent.Model{m}
}

// Settings returns the settings of the demo's sessions: the context is so small that it is
// cleared and summarized while someone watches.
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

// projectSettings make the project agent's context be summarized in the middle of its work.
func projectSettings() agent.Settings {
	set := Settings()
	set.Edits = nil
	set.Compact.Threshold = 2100
	return set
}

// Pace holds the waiting times of Play.
type Pace struct {
	Start   time.Duration // before the first session
	Between time.Duration // between two sessions
	Tickets time.Duration // between two tickets
}

// UsualPace is for people.
var UsualPace = Pace{Start: 1500 * time.Millisecond, Between: 4 * time.Second, Tickets: 20 * time.Second}

// Times returns the pace speeded up by a factor.
func (p Pace) Times(speed float64) Pace {
	return Pace{Faster(p.Start, speed), Faster(p.Between, speed), Faster(p.Tickets, speed)}
}

// Faster returns a duration divided by a factor.
func Faster(d time.Duration, speed float64) time.Duration {
	return time.Duration(float64(d) / speed)
}

// Play lets three agents work in a store, one after another, and then the first one work on
// a ticket now and then, until ctx ends. The person may stop them, give them other prompts
// and change the memories. believed is called when the changes of the third agent, which
// was misled, become current, and when they are undone.
func Play(ctx context.Context, manager *agent.Manager, s *versions.Store, p Pace, believed func(bool)) error {
	first, err := begin(ctx, manager, s, "support-agent", Settings(), askSupport, p.Start)
	if err == nil {
		_, err = begin(ctx, manager, s, "coding-agent", projectSettings(), askProject, p.Between)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Info().Folder, "inbox-partner-terms.md"), []byte(partnerTerms), 0o600)
	}
	var third *agent.Session
	if err == nil {
		third, err = begin(ctx, manager, s, "inbox-agent", Settings(), askTerms, p.Between)
	}
	notify := func() error { return nil }
	if err == nil {
		notify = currentNotifier(ctx, s, third.ID(), believed)
	}
	for n := 0; err == nil; n++ {
		for left := p.Tickets; err == nil && left >= 0; left -= time.Second {
			if err = notify(); err == nil {
				err = wait(ctx, min(left, time.Second))
			}
		}
		if err == nil {
			err = ask(ctx, first, askTicket(n))
		}
	}
	if ctx.Err() != nil || errors.Is(err, agent.ErrEnded) { // the person closed it: Play ends
		return nil
	}
	return err
}

// currentNotifier returns a function that calls stands when the changes of a session become current,
// or are undone.
func currentNotifier(ctx context.Context, s *versions.Store, id versions.SessionID, notify func(bool)) func() error {
	was := false
	return func() error {
		list, _, err := s.Sessions(ctx, versions.SessionFilter{ID: id}, "", 1)
		if err != nil {
			return err
		}
		if is := len(list) > 0 && list[0].Changes > list[0].Undone; is != was {
			was = is
			notify(is)
		}
		return nil
	}
}

// begin starts a session after a while, and waits until its prompt is done.
func begin(ctx context.Context, manager *agent.Manager, s *versions.Store, name string, set agent.Settings, prompt string, after time.Duration) (*agent.Session, error) {
	if err := wait(ctx, after); err != nil {
		return nil, err
	}
	session, err := manager.Start(ctx, agent.Start{Name: name, Stores: []versions.Attachment{{Store: s.Info().ID}}, Settings: set})
	if err != nil {
		return nil, err
	}
	return session, ask(ctx, session, prompt)
}

// ask sends a prompt to a session, and waits until it is done with it and with prompts that
// others sent meanwhile.
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
