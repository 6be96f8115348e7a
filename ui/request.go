package ui

import "context"

// request gives each effect of one kind an id and cancels the one before: of
// two answers that cross, only the one to the last question counts.
type request struct {
	id     int
	cancel context.CancelFunc
}

// begin starts a new request and cancels the last.
func (r *request) begin(parent context.Context) (context.Context, int) {
	if r.cancel != nil {
		r.cancel()
	}
	r.id++
	ctx, cancel := context.WithCancel(parent)
	r.cancel = cancel
	return ctx, r.id
}

// stop cancels what is under way; its answer will be stale.
func (r *request) stop() {
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
	r.id++
}

// current reports whether an answer with this id is still wanted.
func (r *request) current(id int) bool { return id == r.id }
