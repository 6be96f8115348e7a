package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/journal"
)

// Trail is the journal of one home: all changes, versions and contents of all its stores.
// Several processes, and several Trails in one process, may have one home open at the same
// time. Its methods are safe for concurrent use.
type Trail struct {
	Folder   string // as given, made absolute
	Real     string // with links resolved
	absent   string // the home that doesn't exist, for which an empty one stands in until Make or Close; see Options.Look
	asked    versions.Options
	Now      func() time.Time
	MaxBytes int64
	Hook     func(string) error
	fault    func(any, []byte)
	reading  bool   // changes are rejected
	boot     string // "": a lost write can't be distinguished from another program's
	Dial     func(versions.StoreInfo) (versions.Upstream, error)
	Recall   versions.Recollection
	Loss     func() versions.Loss

	DB       *db.DB
	parts    Parts
	Notifier notifier

	Near        evidence.Nearness
	NewsPace    time.Duration
	FlushDelay  time.Duration // how long the first change of a batch waits for the flush
	MaxListed   int           // maximum number of versions, or memories, that a service may list
	SyncChunk   int           // number of files that a sync adopts at once
	SyncPause   time.Duration // time between two chunks
	MaxReplaced int64         // maximum bytes of texts in one replacement plan
	Ledger      ledger
	flushing    flushing
	Settings    atomic.Int64 // counts this process's changes of store settings
}

// OpenWith opens the trail of a home folder, with the features that stand on the engine. It creates both if they don't exist.
func OpenWith(ctx context.Context, home string, o versions.Options, parts Parts) (*Trail, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, err)
	}
	config := ConfigOf(home)
	if o.Look && config.IsNew() {
		return openAbsent(ctx, home, o, parts)
	}
	if o.ReadOnly && config.IsNew() {
		return nil, fmt.Errorf("open trail in %s: %w: %w", home, versions.ErrNoTrail, versions.ErrReadingOnly)
	}
	if err := disk.MakeFolder(home); err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, disk.Bare(err))
	}
	real, err := disk.RealFolder(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, disk.Bare(err))
	}
	fresh := !exists(filepath.Join(home, db.File)) // SQLite chooses the mode of a new file
	if !fresh {
		disk.MakePrivate(real, "trail.", StoresFolder) // it contains the texts of all stores
	}
	t := &Trail{Folder: home, Real: real, parts: parts, Now: o.Now, MaxBytes: o.MaxBytes, Hook: o.Hook, fault: o.Fault, reading: o.ReadOnly, Near: evidence.UsualNearness, MaxListed: maxListed, MaxReplaced: maxReplacedBytes, SyncChunk: SyncChunk, SyncPause: SyncPause, FlushDelay: flushDelay, boot: o.Boot, Dial: o.Upstream, NewsPace: cmp.Or(o.Poll, newsPace), Recall: o.Recall, Loss: o.Loss}
	if t.Loss == nil {
		t.Loss = func() versions.Loss { return versions.DefaultLoss }
	}
	t.Ledger.Panicked = t.reportPanic
	if t.boot == "" {
		t.boot = disk.BootID()
	}
	if t.Now == nil {
		t.Now = time.Now
	}
	if t.MaxBytes == 0 {
		t.MaxBytes = versions.DefaultMaxBytes
	}
	config.Driver, config.Go = o.Driver, t.Go
	if o.Unlogged {
		config.Watch = nil
	}
	if t.DB, err = db.Open(ctx, config); err != nil {
		return nil, fmt.Errorf("open trail in %s: %w", home, err)
	}
	if fresh {
		disk.MakePrivate(real, "trail.", StoresFolder) // it contains the texts of all stores
	}
	parts.ResumeErasing(ctx, t)
	return t, nil
}

// openAbsent opens an empty trail in place of that of a home that doesn't exist.
func openAbsent(ctx context.Context, home string, o versions.Options, parts Parts) (*Trail, error) {
	empty, err := os.MkdirTemp("", "memend-*")
	if err != nil {
		return nil, fmt.Errorf("look at home %s, which does not exist: %w", home, err)
	}
	o.Look = false
	asked := o
	o.ReadOnly = false
	t, err := OpenWith(ctx, empty, o, parts)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(empty))
	}
	t.absent, t.asked, t.reading = home, asked, true
	return t, nil
}

// Make makes the home of a trail that stands in for one that doesn't exist; see Options.Look. Otherwise it does nothing. It
// must not be called while another method runs.
func (t *Trail) Make(ctx context.Context) error {
	if t.absent == "" {
		return nil
	}
	made, err := OpenWith(ctx, t.absent, t.asked, t.parts)
	if err != nil {
		return err
	}
	left, stood := t.DB, t.Folder
	t.Folder, t.Real, t.DB, t.absent, t.reading = made.Folder, made.Real, made.DB, "", made.reading
	return errors.Join(left.Close(), os.RemoveAll(stood))
}

// ConfigOf describes the database of a home.
func ConfigOf(home string) db.Config {
	return db.Config{Dir: home, Schema: schema.Migrations, Watch: journal.Watches(), Traces: []string{StoresFolder, conversations.FolderName, drafts.Folder},
		Upgrade: func(x *db.Tx, from int) error { return upgrade(x, home, from) }}
}

// upgrade does what the SQL of the migrations from an earlier format can't do.
func upgrade(x *db.Tx, home string, from int) error {
	if from < 5 {
		real, err := disk.RealFolder(home)
		if err != nil {
			return err
		}
		if err := relateFolders(x, real); err != nil {
			return err
		}
	}
	if from < journal.Format {
		return journal.Begin(x, time.Now().UnixMicro(), func(done, total int) {
			versions.ReportProgress(x.Ctx, versions.Progress{Done: done, Total: total, Of: versions.ChangesConverted})
		})
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Close closes the trail. It doesn't close stores opened from it.
func (t *Trail) Close() error {
	t.Ledger.close()
	t.flushing.close()
	err := t.DB.Close()
	if t.absent != "" {
		err = errors.Join(err, os.RemoveAll(t.Folder))
	}
	return err
}

// Home returns the folder of the trail.
func (t *Trail) Home() string { return cmp.Or(t.absent, t.Folder) }

// IsEmpty reports whether the trail has no store and never had a change.
func (t *Trail) IsEmpty(ctx context.Context) (empty bool, err error) {
	err = t.DB.Row(ctx, `SELECT NOT EXISTS(SELECT 1 FROM store) AND NOT EXISTS(SELECT 1 FROM change)`).Scan(&empty)
	return empty, err
}

// MayChange returns an error when memories and stores are read-only.
func MayChange(t *Trail) error {
	if t.reading {
		return versions.ErrReadingOnly
	}
	return nil
}

// AtStep is a named point of the protocol at which tests kill the process or inject errors.
func AtStep(t *Trail, name string) error {
	if t.Hook == nil {
		return nil
	}
	return t.Hook(name)
}

// Drafts returns the drafts of a store. It writes nothing until a draft is kept.
func (t *Trail) Drafts(store versions.StoreID) *drafts.Keeper {
	return drafts.New(t.Folder, store, t.Now)
}

// Conversations returns the conversations of the home. It writes nothing until one begins.
func (t *Trail) Conversations() *conversations.Folder { return conversations.New(t.Folder, t.Go) }

// NewEditCopy copies a text into the home for an external editor; see
// [drafts.NewEditCopy].
func (s *Store) NewEditCopy(name string, text []byte) (c *drafts.EditCopy, left []string, err error) {
	return drafts.NewEditCopy(s.Trail.Folder, name, text)
}

// Go runs f in a new goroutine and passes a panic of f to Options.Fault. It is for
// background work with the trail. If the trail is nil, a panic crashes the program.
func (t *Trail) Go(f func()) {
	go func() {
		defer t.recoverPanic()
		f()
	}()
}

// recoverPanic must be deferred in goroutines that nobody waits for.
func (t *Trail) recoverPanic() {
	if fault := recover(); fault != nil {
		t.reportPanic(fault)
	}
}

// reportPanic passes a recovered panic to Options.Fault.
func (t *Trail) reportPanic(fault any) {
	if t == nil || t.fault == nil {
		panic(fault)
	}
	t.fault(fault, debug.Stack())
}
