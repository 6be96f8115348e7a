package demo

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// Banner is the first banner of the TUI while Play runs.
const Banner = "the agents are scripted"

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
	Read    time.Duration // after the first session, which is misled: a person reads what it did
	Between time.Duration // between two sessions
	Tickets time.Duration // between two tickets
	Next    time.Duration // between a mistake that was found and the name of the next one
	// Sleep waits, or returns the context's error when that ends; nil: real time.
	Sleep func(context.Context, time.Duration) error
}

// UsualPace is for people.
var UsualPace = Pace{Start: 1500 * time.Millisecond, Read: 12 * time.Second, Between: 4 * time.Second, Tickets: 20 * time.Second, Next: 5 * time.Second}

// Times returns the pace speeded up by a factor.
func (p Pace) Times(speed float64) Pace {
	for _, d := range []*time.Duration{&p.Start, &p.Read, &p.Between, &p.Tickets, &p.Next} {
		*d = Faster(*d, speed)
	}
	return p
}

// Faster returns a duration divided by a factor.
func Faster(d time.Duration, speed float64) time.Duration {
	return time.Duration(float64(d) / speed)
}

func (p Pace) wait(ctx context.Context, d time.Duration) error {
	if p.Sleep == nil {
		return wait(ctx, d)
	}
	return p.Sleep(ctx, d)
}

// countEvery is how often Play counts the mistakes that are found.
const countEvery = 250 * time.Millisecond

// Play lets three agents work in a store, one after another, and then the second one work on
// a ticket now and then, until ctx ends. The first one is misled by a document; the store's
// policy holds what it writes, and once that is rejected it tries again. The person may stop them, give them other prompts and change the memories. report is called with what
// to show, from one goroutine at a time.
func Play(ctx context.Context, manager *agent.Manager, trail *engine.Trail, s *engine.Store, p Pace, keys Keys, report func(Status)) error {
	ctx, stop := context.WithCancel(ctx)
	g, err := newGame(ctx, s, keys, report)
	if err != nil {
		stop()
		return ended(ctx, err)
	}
	counted := make(chan error, 1)
	terminal.Go(func() { counted <- g.follow(ctx, p.Next) })
	err = play(ctx, manager, trail, s, p, g)
	end := ended(ctx, err)
	stop()
	return errors.Join(end, <-counted)
}

// ended returns an error of Play, or nil if a person ended it.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, agent.ErrEnded) {
		return nil
	}
	return err
}

// play is Play without counting the mistakes.
func play(ctx context.Context, manager *agent.Manager, trail *engine.Trail, s *engine.Store, p Pace, g *game) error {
	if err := p.wait(ctx, p.Start); err != nil {
		return err
	}
	inbox, err := start(ctx, manager, s, "inbox-agent", Settings())
	if err == nil {
		// As with a prompt that is piped into "memend agent": nobody typed the document.
		err = trail.NoteInputs(ctx, inbox.By(), versions.InputFile, time.Time{})
	}
	if err == nil {
		err = ask(ctx, inbox, askTerms+"\n\n"+partnerTerms)
	}
	if err != nil && !errors.Is(err, agent.ErrEnded) {
		return err
	}
	if err := g.setMisled(ctx); err != nil {
		return err
	}
	if err := p.wait(ctx, p.Read); err != nil {
		return err
	}
	support, err := begin(ctx, manager, s, "support-agent", Settings(), askSupport)
	if err == nil {
		err = p.wait(ctx, p.Between)
	}
	if err == nil {
		_, err = begin(ctx, manager, s, "coding-agent", projectSettings(), askProject)
	}
	for n, again := 0, false; err == nil; n++ {
		if err = p.wait(ctx, p.Tickets); err == nil {
			err = ask(ctx, support, askTicket(n))
		}
		if err != nil || again {
			continue
		}
		if again, _ = g.holds(ctx, mistakes()[0].path, versions.HeldRejected); again { // by a person: what the document made an agent write
			if err = ask(ctx, inbox, askAgain); errors.Is(err, agent.ErrEnded) {
				err = nil // the person stopped it
			}
		}
	}
	return err
}

// begin starts a session, and waits until its prompt is done.
func begin(ctx context.Context, manager *agent.Manager, s *engine.Store, name string, set agent.Settings, prompt string) (*agent.Session, error) {
	session, err := start(ctx, manager, s, name, set)
	if err != nil {
		return nil, err
	}
	return session, ask(ctx, session, prompt)
}

func start(ctx context.Context, manager *agent.Manager, s *engine.Store, name string, set agent.Settings) (*agent.Session, error) {
	return manager.Start(ctx, agent.Start{Name: name, Stores: []versions.Attachment{{Store: s.Info().ID}}, Settings: set})
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
