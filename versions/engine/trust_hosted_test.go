package engine_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// A held change of a hosted store is sent to its service when it is accepted, and not before.
func TestHosted_AHeldWriteIsSentWhenItIsAccepted(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.policy("hold actor:agent")
	n := w.heldAs(robot, "/a.md", "one\ntwo\n")
	fresh := w.heldAs(robot, "/new.md", "new\n")
	w.agree()
	if w.file("a.md") != "one\n" || w.file("new.md") != "<none>" {
		t.Fatalf("written before it was accepted: %q, %q", w.file("a.md"), w.file("new.md"))
	}
	w.there("/z.md", "theirs\n") // the service is ahead
	c := w.accept(n)
	if c.Actor != robot.Actor || c.ToolUse != robot.ToolUse || w.file("a.md") != "one\ntwo\n" {
		t.Errorf("%+v, %q", c, w.file("a.md"))
	}
	if h := w.state(n); h.State != versions.HeldAccepted || h.Change != c.Number {
		t.Errorf("%+v", h)
	}
	w.accept(fresh)
	if w.file("new.md") != "new\n" {
		t.Errorf("%q", w.file("new.md"))
	}
	w.agree()
	if _, err := w.store.Write(t.Context(), robot, mustPath("/b.md"), []byte("x"), versions.Pre{}); !errors.As(err, new(*versions.HeldError)) {
		t.Errorf("%v", err)
	}
	w.policy("deny actor:agent")
	if _, err := w.store.Write(t.Context(), robot, mustPath("/b.md"), []byte("x"), versions.Pre{}); !errors.As(err, new(*versions.DeniedError)) {
		t.Errorf("%v", err)
	}
	w.agree()
}

// When the service refuses an accepted change, it waits as before.
func TestHosted_AnAcceptedWriteThatTheServiceRefusesStillWaits(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.policy("hold actor:agent")
	n := w.heldAs(robot, "/a.md", "two\n")
	p, err := plan.Make(t.Context(), w.store, plan.Accept(n))
	w.must(err)
	w.up.fault = func(string) (error, error) {
		return &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}, nil
	}
	if _, err := plan.Apply(t.Context(), w.store, alice, p, nil); err == nil {
		t.Fatal("accepted without the service")
	}
	w.up.fault = nil
	if h := w.state(n); h.State != versions.HeldWaiting {
		t.Errorf("%+v", h)
	}
	w.accept(n)
	if w.file("a.md") != "two\n" {
		t.Errorf("%q", w.file("a.md"))
	}
	w.agree()
}
