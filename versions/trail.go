package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/journal"
)

// Options configure Open. The zero Options are right for everything but tests.
type Options struct {
	Now      func() time.Time              // the clock; nil means time.Now
	MaxBytes int64                         // larger files are listed but not versioned; 0 means DefaultMaxBytes
	Hook     func(step string) error       // called at each step of a mutation; an error stops it
	Fault    func(value any, stack []byte) // called with a panic of one of the trail's goroutines; nil crashes the program
	Boot     string                        // the boot id, for tests; "" reads the system's

	// ReadOnly rejects every change of memories and stores (ErrReadingOnly), and Open creates
	// no home. Other programs' changes and reads are still recorded.
	ReadOnly bool

	// Look leaves a home that doesn't exist as it is. Open then returns an empty trail that rejects
	// every change and is gone when it is closed. Make makes the home.
	Look bool

	// Upstream returns a client for the service of a hosted store. It is called when such a
	// store is opened and must not wait for the network. If it is nil, only local data can be
	// read.
	Upstream func(StoreInfo) (Upstream, error)

	// Recall reports what agents did while memend wasn't running; nil disables that.
	Recall Recollection

	// Loss returns what a mass deletion is; nil means DefaultLoss. It is called when somebody deleted memories.
	Loss func() Loss

	// Poll is the shortest pause between two requests that only ask a hosted store's service for news, for
	// tests; 0 means three seconds.
	Poll time.Duration

	driver   string // the SQL driver; "" means SQLite's
	unlogged bool   // changes are not recorded in the log: a benchmark measures without it
}

// DefaultMaxBytes is the size up to which files of other programs are versioned. A larger
// file is listed as TooBig, and scans never read it.
const DefaultMaxBytes = 8 << 20

// Trail is the journal of one home: all changes, versions and contents of all its stores.
// Several processes, and several Trails in one process, may have one home open at the same
// time. Its methods are safe for concurrent use.
type Trail struct {
	home     string // as given, made absolute
	real     string // with links resolved
	absent   string // the home that doesn't exist, for which an empty one stands in until Make or Close; see Options.Look
	asked    Options
	now      func() time.Time
	maxBytes int64
	hook     func(string) error
	fault    func(any, []byte)
	reading  bool   // changes are rejected
	boot     string // "": a lost write can't be distinguished from another program's
	dial     func(StoreInfo) (Upstream, error)
	recall   Recollection
	loss     func() Loss

	db       *db.DB
	parts    Parts
	notifier notifier

	near        nearness
	newsPace    time.Duration
	settleDelay time.Duration // how long the first change of a batch waits for the flush
	maxListed   int           // maximum number of versions, or memories, that a service may list
	syncChunk   int           // number of files that a sync adopts at once
	maxReplaced int64         // maximum bytes of texts in one replacement plan
	ledger      ledger
	flushing    flushing
	settings    atomic.Int64 // counts this process's changes of store settings
}

// OpenWith opens the trail of a home folder, with the features that stand on the engine. It creates both if they don't exist.
func OpenWith(ctx context.Context, home string, o Options, parts Parts) (*Trail, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, err)
	}
	config := configOf(home)
	if o.Look && config.IsNew() {
		return openAbsent(ctx, home, o, parts)
	}
	if o.ReadOnly && config.IsNew() {
		return nil, fmt.Errorf("open trail in %s: %w: %w", home, ErrNoTrail, ErrReadingOnly)
	}
	if err := disk.MakeFolder(home); err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, disk.Bare(err))
	}
	real, err := realFolder(home)
	if err != nil {
		return nil, fmt.Errorf("open home %s: %w", home, disk.Bare(err))
	}
	fresh := !exists(filepath.Join(home, db.File)) // SQLite chooses the mode of a new file
	if !fresh {
		disk.MakePrivate(real, "trail.", storesFolder) // it contains the texts of all stores
	}
	t := &Trail{home: home, real: real, parts: parts, now: o.Now, maxBytes: o.MaxBytes, hook: o.Hook, fault: o.Fault, reading: o.ReadOnly, near: usualNearness, maxListed: maxListed, maxReplaced: maxReplacedBytes, syncChunk: syncChunk, settleDelay: settleDelay, boot: o.Boot, dial: o.Upstream, newsPace: cmp.Or(o.Poll, newsPace), recall: o.Recall, loss: o.Loss}
	if t.loss == nil {
		t.loss = func() Loss { return DefaultLoss }
	}
	t.ledger.panicked = t.reportPanic
	if t.boot == "" {
		t.boot = disk.BootID()
	}
	if t.now == nil {
		t.now = time.Now
	}
	if t.maxBytes == 0 {
		t.maxBytes = DefaultMaxBytes
	}
	config.Driver, config.Go = o.driver, t.Go
	if o.unlogged {
		config.Watch = nil
	}
	if t.db, err = db.Open(ctx, config); err != nil {
		return nil, fmt.Errorf("open trail in %s: %w", home, err)
	}
	if fresh {
		disk.MakePrivate(real, "trail.", storesFolder) // it contains the texts of all stores
	}
	parts.ResumeErasing(ctx, t)
	return t, nil
}

// openAbsent opens an empty trail in place of that of a home that doesn't exist.
func openAbsent(ctx context.Context, home string, o Options, parts Parts) (*Trail, error) {
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
	left, stood := t.db, t.home
	t.home, t.real, t.db, t.absent, t.reading = made.home, made.real, made.db, "", made.reading
	return errors.Join(left.Close(), os.RemoveAll(stood))
}

// IsNew reports whether a home never had a trail. One that can't be looked at counts as an old one.
func IsNew(home string) bool {
	config := configOf(home)
	return config.IsNew()
}

// configOf describes the database of a home.
func configOf(home string) db.Config {
	return db.Config{Dir: home, Schema: migrations, Watch: journal.Watches(), Traces: []string{storesFolder, conversations.FolderName, drafts.Folder},
		Upgrade: func(x *db.Tx, from int) error { return upgrade(x, home, from) }}
}

// upgrade does what the SQL of the migrations from an earlier format can't do.
func upgrade(x *db.Tx, home string, from int) error {
	if from < 5 {
		real, err := realFolder(home)
		if err != nil {
			return err
		}
		if err := relateFolders(x, real); err != nil {
			return err
		}
	}
	if from < journal.Format {
		return journal.Begin(x, time.Now().UnixMicro(), func(done, total int) { ReportProgress(x.Ctx, Progress{done, total, ChangesConverted}) })
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// Close closes the trail. It doesn't close stores opened from it.
func (t *Trail) Close() error {
	t.ledger.close()
	t.flushing.close()
	err := t.db.Close()
	if t.absent != "" {
		err = errors.Join(err, os.RemoveAll(t.home))
	}
	return err
}

// Home returns the folder of the trail.
func (t *Trail) Home() string { return cmp.Or(t.absent, t.home) }

// IsEmpty reports whether the trail has no store and never had a change.
func (t *Trail) IsEmpty(ctx context.Context) (empty bool, err error) {
	err = t.db.Row(ctx, `SELECT NOT EXISTS(SELECT 1 FROM store) AND NOT EXISTS(SELECT 1 FROM change)`).Scan(&empty)
	return empty, err
}

// mayChange returns an error when memories and stores are read-only.
func (t *Trail) mayChange() error {
	if t.reading {
		return ErrReadingOnly
	}
	return nil
}

// step is a named point of the protocol at which tests kill the process or inject errors.
func (t *Trail) step(name string) error {
	if t.hook == nil {
		return nil
	}
	return t.hook(name)
}
