package messages_test

import (
	"errors"
	"io"
	"log"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/agent/script"
)

// bare is an environment without anything that the SDK reads.
func bare(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS",
		"ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_ORGANIZATION_ID", "ANTHROPIC_IDENTITY_TOKEN_FILE", "ANTHROPIC_IDENTITY_TOKEN"} {
		t.Setenv(name, "")
	}
	t.Setenv("ANTHROPIC_CONFIG_DIR", t.TempDir())
}

func TestNothingIsSentWithoutCredentials(t *testing.T) {
	bare(t)
	s, err := script.New(script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Setenv("ANTHROPIC_BASE_URL", s.URL())
	c, err := messages.New(messages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, streamErr := c.Stream(t.Context(), request(), nil)
	_, modelsErr := c.Models(t.Context())
	for _, err := range []error{streamErr, modelsErr} {
		if !errors.Is(err, agent.ErrNoCredentials) || !strings.Contains(err.Error(), "ANTHROPIC_API_KEY") || !strings.Contains(err.Error(), "ANTHROPIC_AUTH_TOKEN") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
	t.Setenv("ANTHROPIC_PROFILE", "nobody")
	if c, err = messages.New(messages.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Models(t.Context()); !errors.Is(err, agent.ErrNoCredentials) || !strings.Contains(err.Error(), `ANTHROPIC_PROFILE="nobody"`) {
		t.Errorf("a profile that is not there: %v", err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests came", n)
	}
	if _, err := messages.New(messages.Options{BaseURL: s.URL()}); !errors.Is(err, agent.ErrNoCredentials) {
		t.Errorf("a base URL alone: %v", err)
	}
}

func TestCredentialsDefaultToTheEnvironment(t *testing.T) {
	s, err := script.New(script.Options{Conversations: []script.Conversation{script.Play(script.Turn{Blocks: []script.Block{script.Say("hi")}})}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		name    string
		env     map[string]string
		o       messages.Options
		bearer  string
		xAPIKey string
	}{
		{"key", map[string]string{"ANTHROPIC_API_KEY": "k"}, messages.Options{}, "Bearer k", ""},
		{"token", map[string]string{"ANTHROPIC_AUTH_TOKEN": "t"}, messages.Options{}, "Bearer t", ""},
		{"a key for a gateway that knows x-api-key alone", map[string]string{"ANTHROPIC_API_KEY": "k"}, messages.Options{XAPIKey: true}, "Bearer k", "k"},
		{"the same by the environment", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CUSTOM_HEADERS": "x-api-key: g"}, messages.Options{}, "Bearer k", "g"},
		{"given", map[string]string{"ANTHROPIC_API_KEY": "k", "ANTHROPIC_CUSTOM_HEADERS": "x-api-key: g"}, messages.Options{BaseURL: s.URL(), APIKey: "mine"}, "Bearer mine", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bare(t)
			t.Setenv("ANTHROPIC_BASE_URL", s.URL())
			if c.o.BaseURL != "" {
				t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
			}
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			cl, err := messages.New(c.o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cl.Stream(t.Context(), request(), nil); err != nil {
				t.Fatal(err)
			}
			all := s.Requests()
			h := all[len(all)-1].Header
			if h.Get("authorization") != c.bearer || h.Get("x-api-key") != c.xAPIKey {
				t.Errorf("%v", h)
			}
		})
	}
}

// The SDK warns of two credentials through the standard logger.
func TestTheSDKDoesNotWriteToTheTerminal(t *testing.T) {
	bare(t)
	t.Setenv("ANTHROPIC_API_KEY", "k")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "t")
	if _, err := messages.New(messages.Options{}); err != nil {
		t.Fatal(err)
	}
	if log.Writer() != io.Discard {
		t.Error("the standard logger writes")
	}
}
