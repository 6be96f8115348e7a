package agent

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	batchEvery    = time.Second / 30
	maxWaiting    = 4096    // events waiting for a watcher
	maxWaitedText = 4 << 20 // bytes of text in them
)

// Subscription delivers a session's events to one watcher. However slowly it reads, the queue
// is bounded: deltas of a text are merged, a finished block replaces its deltas, and a watcher
// that is too far behind gets a Missed event and must read the journal.
type Subscription struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []Event
	text    []byte // of the last event, if that is an Added
	size    int
	missed  *Event
	ended   bool
	last    time.Time // of the previous batch
}

// Watch subscribes to the events from now on, until ctx ends.
func (s *Session) Watch(ctx context.Context) *Subscription {
	sub := &Subscription{wake: make(chan struct{}, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		sub.finish()
		return sub
	}
	s.subs[sub] = struct{}{}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, sub)
		sub.finish()
	})
	return sub
}

// Next waits for events and returns a batch at most every 33 ms, with deltas merged. The error
// is io.EOF after the session's last event, or when the context of Watch ended.
func (sub *Subscription) Next(ctx context.Context) ([]Event, error) {
	for {
		batch, wait, ended := sub.ready(time.Now())
		if batch != nil {
			return batch, nil
		}
		if ended {
			return nil, io.EOF
		}
		var later <-chan time.Time
		wake := sub.wake
		if wait > 0 { // there are events, but it is too soon
			later, wake = time.After(wait), nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-wake:
		case <-later:
		}
	}
}

// ready returns the waiting events, unless it is too soon after the previous batch.
func (sub *Subscription) ready(now time.Time) (batch []Event, wait time.Duration, ended bool) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if len(sub.waiting) == 0 && sub.missed == nil {
		return nil, 0, sub.ended
	}
	if wait = batchEvery - now.Sub(sub.last); wait > 0 && !sub.ended {
		return nil, wait, false
	}
	sub.storeText()
	if sub.missed != nil {
		batch = append(batch, *sub.missed)
	}
	batch = append(batch, sub.waiting...)
	sub.waiting, sub.missed, sub.size, sub.last = nil, nil, 0, now
	return batch, 0, false
}

// push queues an event.
func (sub *Subscription) push(e Event) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	switch n := len(sub.waiting); {
	case e.Kind == Added && n > 0 && samePieces(sub.waiting[n-1], e):
		if sub.text == nil {
			sub.text = []byte(sub.waiting[n-1].Text)
		}
		sub.text = append(sub.text, e.Text...)
		sub.size += len(e.Text)
	default:
		sub.storeText()
		if e.Kind == BlockEnded { // it contains its deltas
			sub.drop(e)
		}
		sub.waiting = append(sub.waiting, e)
		sub.size += sizeOf(e)
	}
	if len(sub.waiting) > maxWaiting || sub.size > maxWaitedText {
		sub.missed = &Event{Kind: Missed, Session: e.Session, Actor: e.Actor, Time: e.Time, Turn: e.Turn, Seq: e.Seq}
		sub.waiting, sub.text, sub.size = nil, nil, 0
	}
	sub.signal()
}

func samePieces(a, b Event) bool {
	return a.Kind == Added && a.Turn == b.Turn && a.Index == b.Index && a.Type == b.Type
}

func sizeOf(e Event) int {
	n := len(e.Text)
	if e.Block != nil {
		n += len(e.Block.raw)
	}
	return n
}

// storeText stores the merged text in the last event.
func (sub *Subscription) storeText() {
	if sub.text != nil {
		sub.waiting[len(sub.waiting)-1].Text = string(sub.text)
		sub.text = nil
	}
}

// drop removes the deltas of a finished block.
func (sub *Subscription) drop(block Event) {
	sub.waiting = slices.DeleteFunc(sub.waiting, func(e Event) bool {
		same := e.Kind == Added && e.Turn == block.Turn && e.Index == block.Index
		if same {
			sub.size -= len(e.Text)
		}
		return same
	})
}

func (sub *Subscription) finish() {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	sub.ended = true
	sub.signal()
}

func (sub *Subscription) signal() {
	select {
	case sub.wake <- struct{}{}:
	default:
	}
}
