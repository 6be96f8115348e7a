package versions

import (
	"context"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
)

// The ledger is the record of reads. A reader never waits for it: reads are collected in memory and
// written in the background, many in one transaction.
const (
	ledgerDelay  = 200 * time.Millisecond // the longest wait of a read while the trail can be written
	ledgerBatch  = 256                    // this many reads are written without a wait
	ledgerMax    = 16384                  // beyond this, the oldest reads are dropped: the trail can't be written
	ledgerRetry  = 30 * time.Second       // the longest pause between retries then
	ledgerWait   = 2 * time.Second        // how long closing waits for the lock
	ledgerAtOnce = 32                     // rows in one statement
)

// noted is a read that is not written yet.
type noted struct {
	s       *Store
	path    memfs.Path
	version VersionID // set when a version was read instead of the current one at path
	by      By
	ts      int64
}

// ledger collects the reads of one Trail.
type ledger struct {
	mu       sync.Mutex
	waiting  []noted
	writing  []noted // the reads that the current write took
	timer    *time.Timer
	pause    time.Duration // after a failed write; 0 when the last one succeeded
	closed   bool
	panicked func(fault any) // reports a panic of the trail

	one sync.Mutex // held by the current write
}

// NoteRead records that an agent or an API client read the memory at p. What a person views is not
// a read. NoteRead returns immediately and can't fail. The record is written shortly after: a
// process that is killed loses only the reads of its last moment.
func (s *Store) NoteRead(by By, p memfs.Path) {
	if at, _, err := s.folder().Resolve(p); err == nil { // a link's memory is its target
		p = at
	}
	s.note(noted{s: s, path: p, by: by})
}

// NoteVersionRead is NoteRead for one version of a memory, current or old.
func (s *Store) NoteVersionRead(by By, id VersionID) { s.note(noted{s: s, version: id, by: by}) }

func (s *Store) note(n noted) {
	if n.by.Actor.Kind != Agent && n.by.Actor.Kind != APIKey {
		return
	}
	n.ts = s.t.now().UnixMicro()
	s.t.ledger.add(n)
}

// FlushReads writes the pending reads of this process. Queries return only written reads, and only
// the ones that decide about deletions (Stale, Expire) call FlushReads themselves.
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
	if l.writing != nil { // the current write checks again when it is done
		return
	}
	switch len(l.waiting) {
	case 1:
		l.arm(ledgerDelay)
	case ledgerBatch:
		l.arm(l.pause)
	}
}

// arm schedules a write after a pause. The caller holds mu.
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
			l.panicked(fault)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), ledgerRetry)
	defer cancel()
	_ = l.write(ctx) // the error is not reported: the reader has gone on, and the write is retried
}

// write writes the pending reads once. After an error they stay pending.
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

// close writes the pending reads if that is possible soon, and accepts no more.
func (l *ledger) close() {
	l.mu.Lock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.flush()
}

// flush writes the pending reads if that is possible soon.
func (l *ledger) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerWait)
	defer cancel()
	_ = l.write(ctx) // ignored as in background: reads are no reason to fail
}

// unwrittenBy returns the reads of a session that are not in the trail yet.
func (l *ledger) unwrittenBy(session SessionID) (out []noted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, batch := range [][]noted{l.writing, l.waiting} {
		for _, n := range batch {
			if n.by.Session == session {
				out = append(out, n)
			}
		}
	}
	return out
}

// unwritten returns the reads of s that are not in the trail yet.
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
