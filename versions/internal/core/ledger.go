package core

import (
	"context"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
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

// Noted is a read that is not written yet.
type Noted struct {
	store   *Store
	path    memfs.Path
	version versions.VersionID // set when a version was read instead of the current one at path
	by      versions.By
	ts      int64
}

// ledger collects the reads of one Trail.
type ledger struct {
	Mu       sync.Mutex
	Waiting  []Noted
	Writing  []Noted // the reads that the current write took
	timer    *time.Timer
	pause    time.Duration // after a failed write; 0 when the last one succeeded
	closed   bool
	Panicked func(fault any) // reports a panic of the trail

	One sync.Mutex // held by the current write
}

// NoteRead records that an agent or an API client read the memory at p. What a person views is not
// a read. NoteRead returns immediately and can't fail. The record is written shortly after: a
// process that is killed loses only the reads of its last moment.
func (s *Store) NoteRead(by versions.By, p memfs.Path) {
	if at, _, err := Folder(s).Resolve(p); err == nil { // a link's memory is its target
		p = at
	}
	note(s, Noted{store: s, path: p, by: by})
}

// NoteVersionRead is NoteRead for one version of a memory, current or old.
func (s *Store) NoteVersionRead(by versions.By, id versions.VersionID) {
	note(s, Noted{store: s, version: id, by: by})
}

// note records a read for the ledger, if an agent or an API client made it. It does not wait for the disk.
func note(s *Store, n Noted) {
	if n.by.Actor.Kind != versions.Agent && n.by.Actor.Kind != versions.APIKey {
		return
	}
	n.ts = s.Trail.Now().UnixMicro()
	s.Trail.Ledger.add(n)
}

// FlushReads writes the pending reads of this process. Queries return only written reads, and only
// the ones that decide about deletions (Stale, Expire) call FlushReads themselves.
func (t *Trail) FlushReads(ctx context.Context) error { return t.Ledger.write(ctx) }

func (l *ledger) add(n Noted) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.closed {
		return
	}
	if n := len(l.Waiting); n >= ledgerMax {
		l.Waiting = append(l.Waiting[:0], l.Waiting[n-ledgerMax+ledgerBatch:]...)
	}
	l.Waiting = append(l.Waiting, n)
	if l.Writing != nil { // the current write checks again when it is done
		return
	}
	switch len(l.Waiting) {
	case 1:
		l.arm(ledgerDelay)
	case ledgerBatch:
		l.arm(l.pause)
	}
}

// arm schedules a write after a pause. The caller holds mu.
func (l *ledger) arm(after time.Duration) {
	if l.timer == nil {
		l.timer = time.AfterFunc(after, l.Background)
		return
	}
	l.timer.Reset(after)
}

// Background writes the reads that wait.
func (l *ledger) Background() {
	defer func() {
		if fault := recover(); fault != nil {
			l.Panicked(fault)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), ledgerRetry)
	defer cancel()
	_ = l.write(ctx) // the error is not reported: the reader has gone on, and the write is retried
}

// write writes the pending reads once. After an error they stay pending.
func (l *ledger) write(ctx context.Context) error {
	l.One.Lock()
	defer l.One.Unlock()
	l.Mu.Lock()
	batch := l.Waiting
	l.Waiting, l.Writing = nil, batch
	l.Mu.Unlock()
	if len(batch) == 0 {
		return nil
	}
	err := writeReads(ctx, batch)
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.Writing = nil
	if err != nil {
		l.Waiting = append(batch, l.Waiting...)
		l.pause = min(max(2*l.pause, ledgerDelay), ledgerRetry)
	} else {
		l.pause = 0
	}
	switch n := len(l.Waiting); {
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
	l.Mu.Lock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.Mu.Unlock()
	l.flush()
}

// flush writes the pending reads if that is possible soon.
func (l *ledger) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), ledgerWait)
	defer cancel()
	_ = l.write(ctx) // ignored as in background: reads are no reason to fail
}

// unwrittenBy returns the reads of a session that are not in the trail yet.
func (l *ledger) unwrittenBy(session versions.SessionID) (out []Noted) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, batch := range [][]Noted{l.Writing, l.Waiting} {
		for _, n := range batch {
			if n.by.Session == session {
				out = append(out, n)
			}
		}
	}
	return out
}

// Unwritten returns the reads of s that are not in the trail yet.
func (l *ledger) Unwritten(s *Store) (out []Noted) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, batch := range [][]Noted{l.Writing, l.Waiting} {
		for _, n := range batch {
			if n.store.Row == s.Row {
				out = append(out, n)
			}
		}
	}
	return out
}
