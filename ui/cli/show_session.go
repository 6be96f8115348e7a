package cli

import (
	"strings"

	"github.com/memtrail/memtrail/agent"
	"github.com/memtrail/memtrail/versions"
)

// sessionPrefix begins the ids of sessions that memtrail began.
const sessionPrefix = "sesn_"

// showSession prints the conversation of a session of the built-in agent.
func (p *program) showSession(t *versions.Trail, id versions.SessionID) error {
	info, err := t.Conversations().Info(id)
	if err != nil {
		return err
	}
	var state agent.State
	for e, err := range agent.Kept(t.Conversations(), id) {
		if err != nil {
			return err
		}
		state.Take(e)
		if p.json {
			err = p.emit(eventOf(e))
		} else {
			err = p.conversationPart(e)
		}
		if err != nil {
			return err
		}
	}
	if !p.json && !info.Running && state.Phase != agent.PhaseEnded {
		p.println("(interrupted; `memtrail agent --resume %s PROMPT` goes on with it)", id)
	}
	return nil
}

// conversationPart prints an event of a conversation: what was said in full, what was
// done in a line.
func (p *program) conversationPart(e agent.Event) error {
	switch {
	case e.Kind == agent.Started:
		p.println("session   %s by %s on %s", e.Session, p.who(versions.Actor{Kind: e.Actor.Type, Name: e.Actor.Name}), when(e.Time))
		for _, s := range e.Stores {
			p.println("store     %s at %s, %s", p.safe(s.Name), p.safe(s.Mount), strings.ReplaceAll(string(s.Access), "_", " "))
		}
	case e.Kind == agent.Prompted:
		p.println("")
		return p.said("> ", e.Text)
	case e.Kind == agent.BlockEnded && e.Block != nil && e.Block.Type == agent.TypeText:
		p.println("")
		return p.said("", e.Block.Text)
	case e.Kind == agent.Answered:
		p.println("· %s", p.callText(e))
	case e.Kind == agent.CompactedNow && e.Failure == nil && e.Compacted != nil:
		p.println("· %s", p.eventText(e))
		return p.said("  ", e.Compacted.Summary)
	default:
		if text := p.eventText(e); text != "" && e.Kind != agent.Replied {
			p.println("· %s", text)
		}
	}
	return nil
}

// said prints a text with something before each line.
func (p *program) said(before, text string) error {
	for line := range strings.Lines(text + "\n") {
		p.out.WriteString(before)
		if err := p.raw([]byte(strings.TrimSuffix(line, "\n") + "\n")); err != nil {
			return err
		}
	}
	return nil
}
