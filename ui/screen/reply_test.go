package screen

import (
	"context"
	"errors"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestLoad_AcceptsOnlyTheAnswerToTheLastRequest(t *testing.T) {
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

func TestLoad_CancelsTheEarlierRequest(t *testing.T) {
	var l Load[string]
	var ended error
	first := l.Begin(t.Context(), func(ctx context.Context) (string, error) { ended = ctx.Err(); return "", nil }, nil)
	l.Begin(t.Context(), nil, nil)
	first()
	if !errors.Is(ended, context.Canceled) {
		t.Errorf("it goes on: %v", ended)
	}
}

func TestLoad_RepeatsAfterTheAnswer(t *testing.T) {
	var l Load[int]
	asked := 0
	var ask func() tea.Cmd
	ask = func() tea.Cmd {
		if l.After(ask) {
			return nil
		}
		asked++
		return l.Begin(t.Context(), func(context.Context) (int, error) { return 0, nil }, func(int, error) tea.Cmd { return nil })
	}
	first := ask()
	ask()
	ask()
	if asked != 1 || !l.Waiting() {
		t.Fatalf("asked %d times, waiting %v", asked, l.Waiting())
	}
	first().(Reply).Take()
	if asked != 2 || !l.Waiting() {
		t.Errorf("after the first answer it is asked %d times, waiting %v", asked, l.Waiting())
	}
	l.Stop()
	if l.Waiting() {
		t.Error("it waits for an answer that nobody takes")
	}
}
