package versions

import (
	"context"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
)

// The ledger is the record of reads. Whoever reads never waits for it: reads are
// gathered in memory and written in the background, in one transaction for many.
const (
	ledgerDelay  = 200 * time.Millisecond // a read waits no longer, as long as the trail can be written
	ledgerBatch  = 256                    // and this many don't wait at all
	ledgerMax    = 16384                  // beyond it the oldest are dropped: the trail can't be written
	ledgerRetry  = 30 * time.Second       // the longest pause between tries then
	ledgerWait   = 2 * time.Second        // how long closing waits for the lock
	ledgerAtOnce = 32                     // rows of one statement
)

// noted is a read that is not written yet.
type noted struct {
	s       *Store
	path    memfs.Path
	version VersionID // when a version was read, not what stands at path
	by      By
	ts      int64
}

// ledger gathers the reads of one Trail.
type ledger struct {
	mu      sync.Mutex
	waiting []noted
	writing []noted // taken by the write under way
	timer   *time.Timer
	pause   time.Duration // after a failed write; 0 when the last one succeeded
	closed  bool
	fell    func(fault any) // of the trail

	one sync.Mutex // held by the write under way
}

// NoteRead records that an agent or an API client read the memory at p; a person's
// looking is not a read. It returns at once and can't fail. The record is written
// within a moment: a process that is killed loses those of its last moment, and
// nothing else.
func (s *Store) NoteRead(by By, p memfs.Path) {
	if at, _, err := s.folder().Resolve(p); err == nil { // a link's memory is the one it leads to
		p = at
	}
	s.note(noted{s: s, path: p, by: by})
}

// NoteVersionRead is NoteRead for one version of a memory, old or not.
func (s *Store) NoteVersionRead(by By, id VersionID) { s.note(noted{s: s, version: id, by: by}) }

func (s *Store) note(n noted) {
	if n.by.Actor.Kind != Agent && n.by.Actor.Kind != APIKey {
		return
	}
	n.ts = s.t.now().UnixMicro()
	s.t.ledger.add(n)
}

// FlushReads writes the reads that wait in this process. Queries show what is
// written; only those that decide about deleting (Stale, Expire) do this themselves.
func (t *Trail) FlushReads(ctx context.Context) error { return t.ledger.write(ctx) }

func (l *ledger) add(n noted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if n := len(l.waiting); n >= ledgerMax {
		l.waiting = append(l.waiting[:0], l.waiting[n-ledgerMax+ledgerBatch:]...)
	}
	l.waiting = append(l.waiting, n)
	if l.writing != nil { // it looks again when it is done
		return
	}
	switch len(l.waiting) {
	case 1:
		l.arm(ledgerDelay)
	case ledgerBatch:
		l.arm(l.pause)
	}
}

// arm has the write done after a pause. The caller holds mu.
func (l *ledger) arm(after time.Duration) {
	if l.timer == nil {
		l.timer = time.AfterFunc(after, l.background)
		return
	}
	l.timer.Reset(after)
}

func (l *ledger) background() {
	defer func() {
		if fault := recover(); fault != nil {
			l.fell(fault)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), ledgerRetry)
	defer cancel()
	_ = l.write(ctx) // told to nobody: whoever read has gone on, and it is tried again
}

// write writes what waits, once. When that fails it waits again.
func (l *ledger) write(ctx context.Context) error {
	l.one.Lock()
	defer l.one.Unlock()
	l.mu.Lock()
	batch := l.waiting
	l.waiting, l.writing = nil, batch
	l.mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	err := writeReads(ctx, batch)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = nil
	if err != nil {
		l.waiting = append(batch, l.waiting...)
		l.pause = min(max(2*l.pause, ledgerDelay), ledgerRetry)
	} else {
		l.pause = 0
	}
	switch n := len(l.waiting); {
	case n == 0 || l.closed:
	case n >= ledgerBatch:
		l.arm(l.pause)
	default:
		l.arm(max(l.pause, ledgerDelay))
	}
	return err
}

// close writes what waits, if that can be done soon, and takes no more.
func (l *ledger) close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.flush()
}

// flush writes what waits, if that can be done soon.
func (l *ledger) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerWait)
	defer cancel()
	_ = l.write(ctx) // as in background: reads are no reason to fail
}

// unwritten are the reads of s that are not in the trail yet.
func (l *ledger) unwritten(s *Store) (out []noted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, batch := range [][]noted{l.writing, l.waiting} {
		for _, n := range batch {
			if n.s.id == s.id {
				out = append(out, n)
			}
		}
	}
	return out
}
