package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// sessionPrefix begins the ids of memend's own sessions.
const sessionPrefix = "sesn_"

// isSession reports whether a word names a session: one of memend's own by its form, any
// other if it exists in the home and the word can't mean anything else.
func isSession(ctx context.Context, p *homeOpener, word string) bool {
	if strings.HasPrefix(word, sessionPrefix) {
		return true
	}
	if strings.ContainsAny(word, "/@:.") || !strings.ContainsFunc(word, func(r rune) bool { return r < '0' || r > '9' }) || !p.hasTrail() {
		return false
	}
	found := false
	_ = p.withTrail(ctx, func(t *engine.Trail) error {
		ss, _, err := history.HomeSessions(ctx, t, versions.SessionFilter{ID: versions.SessionID(word)}, "", 1)
		found = len(ss) > 0
		return err
	})
	return found
}

// beginsSession reports whether a word is the beginning of a session's id.
func beginsSession(ctx context.Context, p *homeOpener, word string) (found bool) {
	_ = p.withTrail(ctx, func(t *engine.Trail) error {
		ids, err := history.IDs(ctx, t, versions.SessionIDs, word)
		found = len(ids) > 0
		return err
	})
	return found
}

// showSession prints the conversation of a session, if it is known: that of the built-in
// agent, or Claude Code's transcript. For any other session it prints what the session
// changed and read.
func showSession(ctx context.Context, p *homeOpener, id versions.SessionID) error {
	return p.withTrail(ctx, func(t *engine.Trail) error {
		id, err := homeSession(ctx, t, id)
		if err != nil {
			return err
		}
		if info, err := t.Conversations().Info(id); err == nil {
			return showConversation(&p.console, t, id, info.Running)
		}
		ss, _, failed := history.HomeSessions(ctx, t, versions.SessionFilter{ID: id}, "", 1)
		if failed != nil {
			return failed
		}
		if len(ss) == 0 {
			return fmt.Errorf("session %s: %w", id, versions.ErrNoSession)
		}
		start := agent.Event{Kind: agent.Started, Time: ss[0].Started, Session: id, Actor: versions.Actor{Kind: ss[0].Actor.Kind, Name: ss[0].Actor.Name}}
		printSessionPart(&p.console, start)
		config, err := outside.Config()
		if err == nil {
			err = outside.Conversation(ctx, config, string(id), func(s outside.Message) error { printSessionPart(&p.console, messageEvent(start, s)); return nil })
		}
		if err == nil {
			return nil
		}
		if !errors.Is(err, outside.ErrNoTranscript) {
			fmt.Fprintf(p.err, "memend: the transcript of session %s can't be read: %s\n", p.safe(string(id)), p.safe(err.Error()))
		}
		if err := showActivity(ctx, &p.console, t, ss[0]); err != nil || ss[0].Actor.Kind == versions.Person {
			return err
		}
		reportNotStored(&p.console, ss[0])
		return nil
	})
}

// reportNotStored reports that the conversation of another program's session is not kept here, and
// where it may be.
func reportNotStored(p *console, s versions.Session) {
	_ = p.out.Flush() // print it after the output
	fmt.Fprintf(p.err, "memend: the conversation of session %s is not recorded here; above is everything that %s changed and read\n", p.safe(string(s.ID)), p.safe(actors.Name(s.Actor)))
	codex, err := outside.CodexHome()
	switch file := outside.CodexRecord(codex, string(s.ID)); {
	case err == nil && file != "":
		fmt.Fprintf(p.err, "  hint: Codex has its own record in %s, of which memend reads only the first prompt\n", p.safe(file))
	case strings.HasPrefix(s.Actor.Name, claudeCode):
		fmt.Fprintln(p.err, "  hint: Claude Code's transcript of it is not here; Claude Code deletes old ones (cleanupPeriodDays in its settings)")
	default:
		fmt.Fprintln(p.err, "  hint: memend records the conversations of its own agent and reads Claude Code's transcripts; other agents may have records of their own")
	}
}

// showConversation prints the conversation of a session of the built-in agent.
func showConversation(p *console, t *engine.Trail, id versions.SessionID, running bool) error {
	var state agent.State
	for e, err := range agent.StoredEvents(t.Conversations(), id) {
		if err != nil {
			return err
		}
		state.Take(e)
		printSessionPart(p, e)
	}
	if !p.json && !running && state.Phase != agent.PhaseEnded {
		p.println("(interrupted; `memend agent --resume %s PROMPT` continues it)", id)
	}
	return nil
}

// showActivity prints what a session changed and read, store by store.
func showActivity(ctx context.Context, p *console, t *engine.Trail, s versions.Session) error {
	for _, id := range s.Stores {
		err := withOpenPast(ctx, p, t, versions.StoreInfo{ID: id}, nil, func(store *engine.Store) error {
			events, err := agent.Done(ctx, store, s.ID)
			for _, e := range events {
				printSessionPart(p, e)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func printSessionPart(p *console, e agent.Event) {
	if p.json {
		p.emit(eventOf(e))
	} else {
		printConversationPart(p, e)
	}
}

// messageEvent converts a message of a transcript to an event of its session.
func messageEvent(start agent.Event, s outside.Message) agent.Event {
	e := agent.Event{Kind: agent.Prompted, Time: s.Time, Session: start.Session, Actor: start.Actor, Text: s.Text}
	switch {
	case s.Tool != "":
		e.Kind, e.ToolUse, e.Tool, e.Path, e.IsError = agent.Answered, s.ToolUse, s.Tool, s.About, s.Failed
	case !s.Prompt:
		block := agent.TextBlock(s.Text)
		e.Kind, e.Text, e.Block = agent.BlockEnded, "", &block
	}
	return e
}

// printConversationPart prints an event of a conversation: texts in full, actions in one line.
func printConversationPart(p *console, e agent.Event) {
	switch {
	case e.Kind == agent.Started:
		p.println("session   %s by %s on %s", p.safe(string(e.Session)), actorText(p, versions.Actor{Kind: e.Actor.Kind, Name: e.Actor.Name}), when(e.Time))
		for _, s := range e.Stores {
			p.println("store     %s at %s, %s", p.safe(s.Name), p.safe(s.Mount), strings.ReplaceAll(string(s.Access), "_", " "))
		}
	case e.Kind == agent.Prompted:
		p.println("")
		printIndented(p, "> ", e.Text)
	case e.Kind == agent.BlockEnded && e.Block != nil && e.Block.Type == agent.TypeText:
		p.println("")
		printIndented(p, "", e.Block.Text)
	case e.Kind == agent.Answered:
		p.println("· %s", callText(p, e))
	case e.Kind == agent.CompactedNow && e.Failure == nil && e.Compacted != nil:
		p.println("· %s", eventText(p, e))
		printIndented(p, "  ", e.Compacted.Summary)
	default:
		if text := eventText(p, e); text != "" && e.Kind != agent.Replied {
			p.println("· %s", text)
		}
	}
}

// printIndented prints a text with a prefix on each line.
func printIndented(p *console, before, text string) {
	for line := range strings.Lines(text + "\n") {
		p.out.WriteString(before)
		p.raw([]byte(strings.TrimSuffix(line, "\n") + "\n"))
	}
}
