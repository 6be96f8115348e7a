package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestPreviewCountsOrEstimatesTokens(t *testing.T) {
	long := step{reply: says(StopToolUse, Usage{Input: 4000}, view("a"), view("b"), view("c"), TextBlock(strings.Repeat("text ", 3000)))}
	onStage(t, func(st *stage) {
		s := st.start("")
		set := s.State().Settings
		if p, err := s.Preview(st.t.Context(), set); err != nil || p.Then.Cleared.ToolUses != nil {
			t.Errorf("of nothing: %+v, %v", p, err)
		}
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		waitIdle()
		set.Edits = []Edit{{Type: ClearToolUses, Trigger: Amount{ToolUses, 1}, Keep: Amount{ToolUses, 1}}}
		before, asked := asJSON(s.past().messages), len(st.api.requests())
		p, err := s.Preview(st.t.Context(), set)
		if err != nil || !p.Estimated || p.Now.Tokens != p.Now.Original || p.Then.Tokens > p.Then.Original || strings.Join(p.Then.Cleared.ToolUses, " ") != "a b" || len(p.Now.Cleared.ToolUses) > 0 {
			t.Errorf("estimated %+v, %v", p, err)
		}
		// CE12: what is saved is the original less what is left.
		st.api.count = func(r Request) (Count, error) {
			if last := r.Messages[len(r.Messages)-1]; last.Role != "user" {
				t.Error("an answer is counted as one that is to go on")
			}
			if len(r.Edits) > 0 {
				return Count{25_000, 70_000}, nil
			}
			return Count{70_000, 70_000}, nil
		}
		p, err = s.Preview(st.t.Context(), set)
		if err != nil || p.Estimated || p.Now.Tokens != 70_000 || p.Then.Tokens != 25_000 || p.Then.Original != 70_000 {
			t.Errorf("counted %+v, %v", p, err)
		}
		set.Edits = append(set.Edits, Edit{Type: ClearThinking})
		if _, err = s.Preview(st.t.Context(), set); err == nil {
			t.Error("previews what can't be")
		}
		if asJSON(s.past().messages) != before || len(st.api.requests()) != asked || len(s.State().Settings.Edits) > 0 {
			t.Error("a preview changed something")
		}
	}, long)
}

// Estimates follow what the API last said of this conversation.
func TestEstimatesAreCalibrated(t *testing.T) {
	text := strings.Repeat("words ", 2000)
	estimated := map[int64]int64{}
	for _, tokens := range []int64{3000, 9000} {
		onStage(t, func(st *stage) {
			s := st.start(text)
			waitIdle()
			if err := s.Send("and"); err != nil {
				t.Error(err)
			}
			waitIdle()
			estimated[tokens] = st.last(Sent).Tokens
		}, endStep("x", Usage{Input: tokens}))
	}
	for tokens, got := range estimated {
		if got < tokens || got > tokens+tokens/50 {
			t.Errorf("a prompt a little longer than %d tokens is estimated as %d", tokens, got)
		}
	}
}

func TestReadyReportsMissingSettings(t *testing.T) {
	for want, c := range map[string]*Manager{
		"":                              {o: ManagerOptions{API: &fakeAPI{}}}, // a gateway without models
		"no credentials: set this":      {o: ManagerOptions{API: brokenAPI{err: errors.New("no credentials: set this")}}},
		"401 authentication_error: bad": {o: ManagerOptions{API: brokenAPI{err: &Failure{Type: "authentication_error", Status: 401, Message: "bad"}}}},
	} {
		got := ""
		if err := c.Ready(t.Context()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestASessionWithoutAModelUsesTheNewest(t *testing.T) {
	onStage(t, func(st *stage) {
		st.api.models = []Model{{ID: "new", MaxInputTokens: 200_000}, {ID: "old"}}
		s := st.start("go", func(s *Settings) { s.Model = "" })
		waitIdle()
		if got := st.api.requests()[0].Model; got != "new" || s.State().Window != 200_000 {
			t.Errorf("model %s, window %d", got, s.State().Window)
		}
		st.manager.models = []Model{}
		if _, err := st.manager.Start(st.t.Context(), Start{Settings: Settings{MaxTokens: 1}}); !errors.Is(err, ErrNoModel) {
			t.Errorf("%v", err)
		}
		if _, err := st.manager.Start(st.t.Context(), Start{Settings: Settings{Model: "m"}}); err == nil {
			t.Error("begins with settings that can't be")
		}
	})
}

type brokenAPI struct {
	API
	err error
}

func (b brokenAPI) Models(context.Context) ([]Model, error) { return nil, b.err }
