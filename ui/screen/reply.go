package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Reply brings what a command found back to the one who began it. The root takes it: no
// other pane sees it, and it needs no message type of its own.
type Reply struct {
	of   *Question // nil where an answer is never stale
	id   int
	take func() tea.Cmd
}

// Take hands the answer over, unless a newer question was asked meanwhile.
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

// Then is the reply that calls then. It is for a command that has several outcomes.
func Then(then func() tea.Cmd) Reply { return Reply{take: then} }

// Run does something on a goroutine of its own; then gets the result on that of Update.
func Run[T any](do func() T, then func(T) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		result := do()
		return Then(func() tea.Cmd { return then(result) })
	}
}

// Load asks one question at a time: of two answers that cross, only the one to the last
// question is taken.
type Load[T any] struct{ Question }

// Begin asks on a goroutine of its own and cancels the question before; then gets the
// answer on the goroutine of Update.
func (l *Load[T]) Begin(parent context.Context, ask func(context.Context) (T, error), then func(T, error) tea.Cmd) tea.Cmd {
	ctx, _ := l.Question.Begin(parent)
	return l.Next(func() (T, error) { return ask(ctx) }, then)
}

// Next asks one more step of the question that was begun last.
func (l *Load[T]) Next(ask func() (T, error), then func(T, error) tea.Cmd) tea.Cmd {
	id := l.ID()
	l.waiting = true
	return func() tea.Msg {
		found, err := ask()
		return Reply{&l.Question, id, func() tea.Cmd { return then(found, err) }}
	}
}
