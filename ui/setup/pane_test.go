package setup

import (
	"testing"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen/screentest"
)

func TestOptions_AreTurnedWithConfiguredKeys(t *testing.T) {
	env := screentest.Env(t.Context())
	env.Keys = keys.Bindings{"agent-form-options.turn": {"n"}}
	p := New(env, Config{Settings: every()})
	p.wait = 0
	s := screentest.New(t, env, p, 100, 40)
	for p.f.current().kind != choice {
		p.f.step(1)
	}
	before := p.f.current().at
	s.Keys("space")
	if p.f.current().at != before {
		t.Error("the usual key still turns")
	}
	s.Keys("n")
	if p.f.current().at == before {
		t.Error("the configured key does nothing")
	}
}

// The keys that go through matches are named in a field that has some, and say so in the others.
func TestOffer_IsForFieldsThatHaveMatches(t *testing.T) {
	p := New(screentest.Env(t.Context()), Config{Settings: every()})
	p.wait = 0
	s := screentest.New(t, screentest.Env(t.Context()), p, 100, 40)
	why := func() string {
		for _, e := range p.Entries() {
			if e.ID == "agent-form.offer" {
				return e.Why
			}
		}
		t.Fatal("the action is missing")
		return ""
	}
	if got := why(); got == "" {
		t.Error("the prompt is said to have matches")
	}
	p.f.current().offers = []string{"one", "two"}
	if got := why(); got != "" {
		t.Errorf("a field with matches says %q", got)
	}
	s.Keys("ctrl+n")
	if got := p.f.current().input.Value; got != "one" {
		t.Errorf("the key sets %q", got)
	}
}
