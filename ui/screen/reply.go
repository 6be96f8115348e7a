package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Reply returns the result of a command to the pane that started it. The root calls Take: no
// other pane sees the result, and it needs no message type.
type Reply struct {
	of   *Question // nil if an answer is never outdated
	id   int
	take func() tea.Cmd
}

// Take handles the answer, unless a newer request was sent meanwhile.
func (r Reply) Take() tea.Cmd {
	if r.of == nil {
		return r.take()
	}
	if !r.of.Current(r.id) {
		return nil
	}
	after := r.of.answered()
	cmd := r.take()
	if after != nil {
		cmd = tea.Batch(cmd, after())
	}
	return cmd
}

// Then returns a reply that calls then. It is for a command with several outcomes.
func Then(then func() tea.Cmd) Reply { return Reply{take: then} }

// Run runs do on its own goroutine, and then with the result on that of Update.
func Run[T any](do func() T, then func(T) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		result := do()
		return Then(func() tea.Cmd { return then(result) })
	}
}

// Load handles one request at a time. If two answers overtake each other, only the answer to
// the last request is used.
type Load[T any] struct{ Question }

// Begin runs ask on its own goroutine and cancels the previous request; then gets the answer
// on the goroutine of Update.
func (l *Load[T]) Begin(parent context.Context, ask func(context.Context) (T, error), then func(T, error) tea.Cmd) tea.Cmd {
	ctx, _ := l.Question.Begin(parent)
	return l.Next(func() (T, error) { return ask(ctx) }, then)
}

// Next runs another step of the last request.
func (l *Load[T]) Next(ask func() (T, error), then func(T, error) tea.Cmd) tea.Cmd {
	id := l.ID()
	l.waiting = true
	return func() tea.Msg {
		found, err := ask()
		return Reply{&l.Question, id, func() tea.Cmd { return then(found, err) }}
	}
}
