package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Question gives each request of one kind an id and cancels the previous one. If two answers
// overtake each other, only the answer to the last request is used.
type Question struct {
	id      int
	cancel  context.CancelFunc
	waiting bool           // for the answer
	after   func() tea.Cmd // called after the answer
}

// Begin starts a new request and cancels the last one.
func (q *Question) Begin(parent context.Context) (context.Context, int) {
	q.Stop()
	ctx, cancel := context.WithCancel(parent)
	q.cancel = cancel
	return ctx, q.id
}

// Stop cancels the pending request; its answer will be outdated.
func (q *Question) Stop() {
	if q.cancel != nil {
		q.cancel()
		q.cancel = nil
	}
	q.id++
	q.waiting, q.after = false, nil
}

// ID returns the id of the last request.
func (q *Question) ID() int { return q.id }

// Current reports whether an answer with this id is up to date.
func (q *Question) Current(id int) bool { return id == q.id }

// Waiting reports whether the last request is pending.
func (q *Question) Waiting() bool { return q.waiting }

// After reports whether a request is pending. If so, ask is called once the answer was
// handled; only the ask of the last call counts. It is for requests that are sent one at a
// time, and sent again if something changed meanwhile.
func (q *Question) After(ask func() tea.Cmd) bool {
	if q.waiting {
		q.after = ask
	}
	return q.waiting
}

// answered ends the wait and returns the function that After deferred.
func (q *Question) answered() (after func() tea.Cmd) {
	after = q.after
	q.waiting, q.after = false, nil
	return after
}
