package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/versions"
)

// What a preview says is what the API does then, and what the screens dim is what it
// cleared.
func TestAPreviewMatchesWhatIsCleared(t *testing.T) {
	t.Parallel()
	var turns []script.Turn
	for i := range 6 {
		path := fmt.Sprintf("/memories/%d.md", i)
		turns = append(turns, script.Turn{Blocks: []script.Block{script.Think(strings.Repeat("hm ", 50)), script.Create(path, strings.Repeat("text ", 300)), script.View(path)}})
	}
	turns = append(turns, script.Turn{Blocks: []script.Block{script.Say("Done.")}})
	yes := []script.Turn{{Blocks: []script.Block{script.Say("Yes.")}}}
	_, api := serveWith(t, script.Options{Conversations: []script.Conversation{{Name: "a", Prompts: []script.Prompt{{Turns: turns}, {Turns: yes}}}}})
	trail, err := versions.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	info, err := trail.CreateStore(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "notes", "", "")
	if err != nil {
		t.Fatal(err)
	}
	set := agent.DefaultSettings()
	set.Model, set.Edits = "scripted", nil
	manager := agent.NewManager(agent.ManagerOptions{API: api, Trail: trail, Settings: set, Simulated: true})
	defer manager.Close()
	s, err := manager.Start(t.Context(), agent.Start{Stores: []versions.Attachment{{Store: info.ID}}})
	if err != nil {
		t.Fatal(err)
	}
	run := func(prompt string) agent.State {
		t.Helper()
		sub := s.Watch(t.Context())
		if err := s.Send(prompt); err != nil {
			t.Fatal(err)
		}
		for {
			batch, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(batch, func(e agent.Event) bool { return e.Kind == agent.Idle }) {
				return s.State()
			}
		}
	}
	if st := run("go"); st.Reason != "end_turn" || len(st.Cleared) > 0 {
		t.Fatalf("%s, %+v", st.Reason, st.Failure)
	}
	set.Edits = []agent.Edit{{Type: agent.ClearThinking}, {Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.ToolUses, Value: 4}}}
	p, err := s.Preview(t.Context(), set)
	if err != nil || p.Estimated || p.Then.Original != p.Now.Tokens || p.Then.Tokens >= p.Now.Tokens || len(p.Then.Cleared.ToolUses) != 9 {
		t.Errorf("now %d tokens, then %d of %d (estimated: %v), cleared %v, %v", p.Now.Tokens, p.Then.Tokens, p.Then.Original, p.Estimated, p.Then.Cleared.ToolUses, err)
	}
	if err := s.Set(set); err != nil {
		t.Fatal(err)
	}
	if st := run("and now"); !slices.Equal(st.Cleared, p.Then.Cleared.ToolUses) || st.Reason != "end_turn" || !st.Simulated {
		t.Errorf("cleared %v, applied %+v, foreseen %v", st.Cleared, st.Applied, p.Then.Cleared.ToolUses)
	}
}
