package actors

import (
	"testing"

	"github.com/memend/memend/versions"
)

func TestActor_NamesKeysWithoutWhatAllOfThemBeginWith(t *testing.T) {
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

func TestAgentsAreFoundByTitleAndByName(t *testing.T) {
	claude := versions.Actor{Kind: versions.Agent, Name: "claude-code 2.1.330"}
	if got := Signed(claude); got != "◇ Claude Code 2.1.330" {
		t.Errorf("shown as %q", got)
	}
	for word, want := range map[string]bool{"claudecode2": true, "claude-code": true, "code": true, "codex": false} {
		if Called(claude, word) != want {
			t.Errorf("%q finds it: %v", word, !want)
		}
	}
	if person := (versions.Actor{Kind: versions.Person, Name: "codex"}); Short(person) != "codex" {
		t.Errorf("a person is shown as %q", Short(person))
	}
}
