package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func begun(t *testing.T, w screen.Work) (*Jobs, OverMsg) {
	j := New(t.Context(), false, func(time.Duration, tea.Msg) tea.Cmd { return nil })
	over := j.Start(w)().(OverMsg)
	return j, over
}

func TestOver_HasTheOutcomeOfAJob(t *testing.T) {
	partly := &versions.PartlyError{Err: context.Canceled}
	for name, c := range map[string]struct {
		err    error
		cancel bool
		keeps  bool
		want   Outcome
	}{
		"done":                                     {nil, false, false, Ended},
		"failed":                                   {errors.New("no"), false, false, Ended},
		"failed after it was cancelled":            {errors.New("no"), true, false, Ended},
		"cancelled":                                {context.Canceled, true, false, Cancelled},
		"done before it could be cancelled":        {nil, true, false, TooLate},
		"cancelled when a part of it was done":     {partly, true, false, Ended},
		"cancelled, and what was done is kept":     {context.Canceled, true, true, Ended},
		"cancelled by somebody else than a person": {context.Canceled, false, false, Ended},
	} {
		j, msg := begun(t, screen.Work{Doing: "x", Keeps: c.keeps, Do: func(context.Context) (tea.Msg, error) { return "result", c.err }})
		j.Slow(SlowMsg{1})
		if c.cancel && (!j.Cancel() || j.Cancel()) {
			t.Errorf("%s: it can be cancelled once, and only once", name)
		}
		over, ok := j.Over(msg)
		if !ok || over.Outcome != c.want || over.Msg != "result" || over.Err != c.err {
			t.Errorf("%s: %+v", name, over)
		}
		if _, again := j.Over(msg); again || j.Running() > 0 {
			t.Errorf("%s: it ends twice", name)
		}
	}
}

func TestShown_IsTheNewestSlowJob(t *testing.T) {
	j := New(t.Context(), false, func(time.Duration, tea.Msg) tea.Cmd { return nil })
	for _, doing := range []string{"a", "b", "c"} {
		j.Start(screen.Work{Doing: doing})
	}
	if _, ok := j.Shown(); ok || j.Cancel() {
		t.Error("a job shows before its moment is over")
	}
	j.Slow(SlowMsg{2})
	j.Slow(SlowMsg{1})
	if s, _ := j.Shown(); s.Doing != "b" {
		t.Errorf("%+v shows", s)
	}
	j.Step()
	if s, _ := j.Shown(); s.Turn != 1 {
		t.Errorf("%+v after a step", s)
	}
}
