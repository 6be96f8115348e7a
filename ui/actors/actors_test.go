package actors

import (
	"testing"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/policy"
)

func TestActor_NamesKeysWithoutTheirCommonPrefix(t *testing.T) {
	for name, want := range map[string]string{"apikey_ou4byqks": "key ou4byqks", "apikey_": "apikey_", "apikey_local": "key local", "robot": "robot"} {
		if got := Short(versions.Actor{Kind: versions.APIKey, Name: name}); got != want {
			t.Errorf("%s is called %q, not %q", name, got, want)
		}
	}
	who := versions.Actor{Kind: versions.Agent, Name: "apikey_x"}
	if got := Short(who); got != "apikey_x" {
		t.Errorf("an agent is called %q", got)
	}
	if got := ShortInferred(who, true); got != "≈apikey_x" {
		t.Errorf("inferred: %q", got)
	}
}

// A rule of a policy that names what the screens show is about that agent.
func TestClientsAreShownAndNamedByTheirTitles(t *testing.T) {
	for _, c := range clients.All() {
		a := versions.Actor{Kind: versions.Agent, Name: c.Name + " 1.0"}
		if got := Short(a); got != c.Title+" 1.0" || !policy.Named(c.Title, a.Name) {
			t.Errorf("%s is shown as %q, and named by its title: %v", a.Name, got, policy.Named(c.Title, a.Name))
		}
	}
}

func TestUnknownAgentsHaveTheTitleOfTheirClient(t *testing.T) {
	for _, c := range []struct {
		kind        versions.ActorKind
		name, title string
		want        string
	}{
		{versions.Agent, "my-agent 1.2", "My Agent 1.2", "My Agent 1.2"},
		{versions.Agent, "my-agent 1.2", "", "my-agent 1.2"},
		{versions.Agent, "claude-code 2.1.330", "Something Else 2.1.330", "Claude Code 2.1.330"},
		{versions.Person, "alice", "Alice", "alice"},
	} {
		a := versions.Actor{Kind: c.kind, Name: c.name, Title: c.title}
		if got := Short(a); got != c.want {
			t.Errorf("%+v is shown as %q, not %q", a, got, c.want)
		}
	}
	if a := (versions.Actor{Kind: versions.Agent, Name: "x 1", Title: "My Agent 1"}); !Called(a, "myagent") || !Called(a, "x1") {
		t.Error("it is not found by its title and its name")
	}
}

func TestAgentsAreFoundByTitleAndByName(t *testing.T) {
	claude := versions.Actor{Kind: versions.Agent, Name: "claude-code 2.1.330"}
	if got := Signed(claude); got != "◇ Claude Code 2.1.330" {
		t.Errorf("shown as %q", got)
	}
	for word, want := range map[string]bool{"claudecode2": true, "claude-code": true, "claude_code": true, "code": true, "codex": false} {
		if Called(claude, word) != want {
			t.Errorf("%q finds it: %v", word, !want)
		}
	}
	for name, want := range map[string]bool{"claude-code": true, "Claude Code": true, "claude-code 2.1.330": true, "Claude Code 2.1": false, "claude": false, "claude*": true} {
		if Named(claude, name) != want {
			t.Errorf("%q names it: %v", name, !want)
		}
	}
	if gemini := (versions.Actor{Kind: versions.Agent, Name: "gemini-cli-mcp-client 0.2"}); !Named(gemini, "Gemini CLI") {
		t.Error("the title of a known agent doesn't name it")
	}
	if person := (versions.Actor{Kind: versions.Person, Name: "codex"}); Short(person) != "codex" {
		t.Errorf("a person is shown as %q", Short(person))
	}
}
