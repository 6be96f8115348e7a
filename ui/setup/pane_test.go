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
