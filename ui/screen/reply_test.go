package screen

import (
	"context"
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestLoad_TakesOnlyTheAnswerToTheLastQuestion(t *testing.T) {
	var l Load[string]
	var got []string
	ask := func(answer string) tea.Cmd {
		return l.Begin(t.Context(), func(ctx context.Context) (string, error) { return answer, ctx.Err() },
			func(answer string, err error) tea.Cmd {
				got = append(got, answer)
				return nil
			})
	}
	first, second := ask("first"), ask("second")
	late := first()
	second().(Reply).Take()
	late.(Reply).Take()
	if !slices.Equal(got, []string{"second"}) {
		t.Errorf("taken are %q", got)
	}
	third := ask("third")()
	l.Stop()
	third.(Reply).Take()
	if len(got) != 1 {
		t.Errorf("after it was stopped, taken are %q", got)
	}
}

func TestLoad_CancelsTheQuestionBefore(t *testing.T) {
	var l Load[string]
	var ended error
	first := l.Begin(t.Context(), func(ctx context.Context) (string, error) { ended = ctx.Err(); return "", nil }, nil)
	l.Begin(t.Context(), nil, nil)
	first()
	if !errors.Is(ended, context.Canceled) {
		t.Errorf("it goes on: %v", ended)
	}
}
