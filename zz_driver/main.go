package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/memtrail/memtrail/agent"
	"github.com/memtrail/memtrail/agent/messages"
	"github.com/memtrail/memtrail/agent/script"
	"github.com/memtrail/memtrail/ui"
	"github.com/memtrail/memtrail/ui/agents"
	"github.com/memtrail/memtrail/ui/cli/demo"
	"github.com/memtrail/memtrail/versions"
)

type journal struct{ *versions.Conversation }

func (j journal) Append(e agent.Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return j.Conversation.Append(b)
}

func main() {
	ctx := context.Background()
	home, _ := os.MkdirTemp("", "pane-driver-")
	defer os.RemoveAll(home)
	clock := demo.NewClock(time.Now)
	t, err := versions.Open(ctx, home, versions.Options{Now: clock.Now})
	check(err)
	info, err := demo.Make(ctx, t, clock)
	check(err)
	s, err := t.OpenStore(ctx, info.ID)
	check(err)
	long := strings.Repeat("A line of the long document that the agent reads.\n", 250)
	turns := []script.Turn{
		{Blocks: []script.Block{script.Think("First I look at what I remember.\nThen I decide."), script.Say("Let me look at **my notes** before I answer:\n\n1. what was decided\n2. who is concerned\n\n```go\nfmt.Println(\"hello\")\n```"), script.View("/memories")}},
		{Blocks: []script.Block{script.View("/memories/projects/api/plan.md"), script.Create("/memories/live/long.md", long)}},
		{Blocks: []script.Block{script.View("/memories/live/long.md")}, Faults: []script.Fault{script.RateLimited(2500 * time.Millisecond), script.OverloadedAfter(3)}},
		{Blocks: []script.Block{script.Create("/memories/live/release.md", "# Release\n\nThe release is on Monday.\nAsk Kim first.\n")}},
		{Blocks: []script.Block{script.Think("Friday, not Monday."), script.Replace("/memories/live/release.md", "Monday", "Friday"), script.View("/memories/live/release.md")}},
		{Blocks: []script.Block{script.Say("Done. The release is on **Friday**, and *Kim* is asked first.\n\n| who | when |\n|---|---|\n| Kim | Thursday |\n| Lee | Friday |")}},
	}
	more := []script.Turn{{Blocks: []script.Block{script.Say(strings.Repeat("This is a long answer that goes on and on, with many words in it. ", 60) + "\n\n" + strings.Repeat("Another paragraph of it, as long as that.\n\n", 10))}}}
	srv, err := script.New(script.Options{Conversations: []script.Conversation{{Name: "pane", Prompts: []script.Prompt{{Turns: turns}, {Turns: more}, {Turns: more}}}}, Delay: 6 * time.Millisecond, TokensPerByte: 1.2})
	check(err)
	defer srv.Close()
	api, err := messages.New(messages.Options{BaseURL: srv.URL(), APIKey: "scripted"})
	if os.Getenv("NOKEY") != "" {
		api, err = messages.New(messages.Options{})
	}
	check(err)
	set := agent.DefaultSettings()
	set.MaxTokens = 64000
	set.Edits = []agent.Edit{{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 20_000}, Keep: agent.Amount{Unit: agent.ToolUses, Value: 2}}}
	set.Compact = agent.Compaction{Mode: agent.CompactClient, Threshold: 150_000}
	kept := t.Conversations()
	crew := agent.NewCrew(agent.CrewOptions{API: api, Trail: t, Settings: set, Simulated: os.Getenv("REAL") == "",
		Journal: func(id versions.SessionID) (agent.Journal, error) {
			c, err := kept.Begin(id)
			if err != nil {
				return nil, err
			}
			return journal{c}, nil
		}})
	defer crew.Close()
	if p := os.Getenv("PROMPT"); p != "" {
		_, err = crew.Start(ctx, agent.Start{Prompt: p, Name: "scribe", Stores: []versions.Attachment{{Store: info.ID}}})
		check(err)
	}
	cfg := ui.Config{Store: s, By: versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "you"}, Session: versions.NewSession()}, Mouse: true, Banner: "demo · scripted",
		Agents: agents.Of(crew, kept), Talks: kept, Input: os.Stdin, Output: os.Stdout}
	cfg.Look = ui.Dark
	if os.Getenv("LIGHT") != "" {
		cfg.Look = ui.Light
	}
	cfg.ASCII = os.Getenv("ASCII") != ""
	check(ui.Run(ctx, cfg))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
