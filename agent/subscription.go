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
	maxWaiting    = 4096    // events that wait for a watcher
	maxWaitedText = 4 << 20 // bytes of text in them
)

// Subscription is somebody who watches a session. However slow it reads, what waits
// for it is bounded: pieces of a text become one, a block that is finished takes the
// place of its pieces, and who is hopelessly behind is told to read the journal.
type Subscription struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []Event
	text    []byte // of the last event, which is an Added, when there is one
	size    int
	missed  *Event
	ended   bool
	last    time.Time // of the batch before
}

// Watch tells what happens from now on, until the context ends.
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

// Next waits for events: a batch at most every 33 ms, pieces of a text as one. The
// error is io.EOF after the session's last event, or when what Watch was given ended.
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
		if wait > 0 { // there is something, and it is too soon for it
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

// ready takes what waits, unless it is too soon after the batch before.
func (sub *Subscription) ready(now time.Time) (batch []Event, wait time.Duration, ended bool) {
	sub.mu.Lock()
	defer sub.mu.Unlock()
	if len(sub.waiting) == 0 && sub.missed == nil {
		return nil, 0, sub.ended
	}
	if wait = batchEvery - now.Sub(sub.last); wait > 0 && !sub.ended {
		return nil, wait, false
	}
	sub.settle()
	if sub.missed != nil {
		batch = append(batch, *sub.missed)
	}
	batch = append(batch, sub.waiting...)
	sub.waiting, sub.missed, sub.size, sub.last = nil, nil, 0, now
	return batch, 0, false
}

// push adds an event for the watcher.
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
		sub.settle()
		if e.Kind == BlockEnded { // it holds what its pieces say
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

// settle gives the last event the text that was put together for it.
func (sub *Subscription) settle() {
	if sub.text != nil {
		sub.waiting[len(sub.waiting)-1].Text = string(sub.text)
		sub.text = nil
	}
}

// drop forgets the pieces of a block.
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
