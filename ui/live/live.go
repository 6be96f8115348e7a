// Package live tracks the state of the store: the tree as it was read last, the events of
// the store, what waits for the person, the connection of a hosted store to its service, and follow
// mode.
//
// The store's event refreshes the screens, whoever made the change. Only without a watcher
// does an action of the person itself reload the tree.
package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Store is what the package needs of a store.
type Store interface {
	tree.Store
	TrustStore
	Info() versions.StoreInfo
	// Writable returns why memories can't be created in the folder, or nil. It may block.
	Writable() error
	// Changes lists the changes of the store, newest first, before the change numbered
	// before (0: from the newest), at most limit.
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	// History lists the versions of one memory, newest first: those before the version
	// numbered before (0: from the newest), at most limit.
	History(ctx context.Context, m versions.MemoryID, before int, limit int) ([]versions.Version, error)
	// Content returns the content of a version, or versions.ErrRedacted.
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	// Activity lists reads and writes, newest first.
	Activity(ctx context.Context, f versions.ActivityFilter, before versions.Cursor, limit int) ([]versions.Activity, versions.Cursor, error)
	// Change returns a change with its versions.
	Change(ctx context.Context, n int64) (versions.Change, []versions.Version, error)
	// Bulks lists what one program did to many memories in one go, since a time.
	Bulks(ctx context.Context, since time.Time) ([]versions.Bulk, error)
	// Sync adopts what other programs did to the folder.
	Sync(ctx context.Context) (versions.SyncReport, error)
	// SyncAndWatch is Sync, followed by an event for each change by anyone, until ctx ends
	// and the channel is closed.
	SyncAndWatch(ctx context.Context) (<-chan versions.Event, versions.SyncReport, error)
}

// Home records that a person uses a store.
type Home interface {
	UseStore(ctx context.Context, id versions.StoreID) error
}

// Conversations are the recorded conversations with agents. *conversations.Folder
// implements it.
type Conversations interface {
	agents.Conversations
	// Watch sends the sessions whose conversations may have grown, until ctx ends.
	Watch(ctx context.Context) <-chan versions.SessionID
}

// Config holds the options of a Room.
type Config struct {
	Store       Store
	By          versions.By
	Home        Home           // nil if there is only this store
	Talks       Conversations  // nil: conversations are not recorded
	Manager     agents.Manager // runs agents here; nil: disabled
	Follow      bool           // begin in follow mode
	NoAnimation bool           // don't highlight recent changes
	Now         func() time.Time
	Shown       <-chan struct{} // closed when the first frame is on the terminal; nil: it is
	Read        func()          // called once the store has been read and shown, before its folder is scanned; may be nil
	Scanned     func()          // called in a new goroutine once the tree shows the first scan; may be nil
}

// Watch is the state of the watcher.
type Watch int

const (
	NotWatching Watch = iota
	Watching
	Polling
	Lost // the folder can't be read now
)

// Room is the state of the store.
type Room struct {
	env    screen.Env
	cfg    Config
	tree   *tree.Pane
	memory *memory.Pane

	loads       screen.Load[reading]
	adopting    bool  // changes from before the start are being adopted
	adopted     bool  // they are adopted: from now on changes are news
	skippedScan bool  // the person cancelled that
	unwritable  error // why nothing can be created in the folder, or nil
	events      <-chan versions.Event
	watch       Watch
	trouble     string                 // why the store could not be followed, as it was said last
	upstream    versions.UpstreamState // of a hosted store
	last        versions.Change        // the newest change of the store
	ownChanges  map[int64]bool         // changes made by this person in this session
	lossTold    int64                  // the newest deletion of the mass deletions that were reported
	atWork      int                    // running agents

	flashID     int
	memoryFlash int // the last flash of the open memory

	trust     trust
	following following
	now       time.Time
	person    Person
}

// New returns a room that has read nothing yet.
func New(env screen.Env, cfg Config, t *tree.Pane, m *memory.Pane) *Room {
	r := &Room{env: env, cfg: cfg, tree: t, memory: m, ownChanges: map[int64]bool{}}
	r.following.on = cfg.Follow
	return r
}

// Start begins to read the tree, unless that was begun, and to watch conversations.
func (r *Room) Start() tea.Cmd {
	if r.loads.Waiting() {
		return r.watchTalks()
	}
	return tea.Batch(r.Reload(), r.watchTalks())
}

// SetStart sets Shown, Read and Scanned of the Config.
func (r *Room) SetStart(shown <-chan struct{}, read, scanned func()) {
	r.cfg.Shown, r.cfg.Read, r.cfg.Scanned = shown, read, scanned
}

// SetNow sets the time.
func (r *Room) SetNow(now time.Time) { r.now = now }

// Watch returns the state of the watcher, whether changes from before the start are
// adopted, and whether the person cancelled that.
func (r *Room) Watch() (w Watch, adopted, skipped bool) { return r.watch, r.adopted, r.skippedScan }

// Unwritable returns why nothing can be created in the folder, or nil.
func (r *Room) Unwritable() error { return r.unwritable }

// Upstream returns the state of a hosted store's connection.
func (r *Room) Upstream() versions.UpstreamState { return r.upstream }

// Last returns the newest change of the store.
func (r *Room) Last() versions.Change { return r.last }

// AtWork returns the number of running agents.
func (r *Room) AtWork() int { return r.atWork }

// Loading reports whether the tree is being read.
func (r *Room) Loading() bool { return r.loads.Waiting() }

func (r *Room) say(text string, bad bool) tea.Cmd {
	return r.env.Do(screen.Notice{Text: text, Bad: bad})
}

// Reload reads the tree; during a reading, it is read again afterwards.
func (r *Room) Reload() tea.Cmd {
	if r.loads.After(r.Reload) {
		return nil
	}
	store, asked, adopted, now := r.cfg.Store, r.tree.Ask(), r.adopted, r.cfg.Now
	return r.loads.Begin(r.env.Ctx, func(ctx context.Context) (reading, error) {
		return read(ctx, store, asked, adopted, now)
	}, r.loaded)
}

// loaded shows a reading of the tree.
func (r *Room) loaded(read reading, err error) tea.Cmd {
	r.env.Do(screen.Now{Time: read.now})
	var cmds []tea.Cmd
	if err != nil {
		r.tree.Fail(err)
		r.say("read the store: "+err.Error(), true)
	} else {
		r.last = read.last
		cmds = append(cmds, r.tree.Load(read.Reading))
		r.env.Do(screen.Reviewed{})
		r.revealFollowed()
		cmds = append(cmds, r.flashTree(read.changed))
		if r.adopted {
			r.tellScanned()
		}
	}
	if !r.adopting { // not earlier, because it would delay the first frame
		cmds = append(cmds, after(r.cfg.Shown, tea.Batch(r.startScan(), r.LoadTrust(), r.used())))
	}
	return tea.Batch(cmds...)
}

// used records that the store is used. A failure is ignored, because the store can be shown
// anyway.
func (r *Room) used() tea.Cmd {
	home, ctx, id := r.cfg.Home, r.env.Ctx, r.cfg.Store.Info().ID
	if home == nil {
		return nil
	}
	return func() tea.Msg {
		_ = home.UseStore(ctx, id)
		return nil
	}
}

const flashTime = 1500 * time.Millisecond

// startFlash begins a flash with the number flashID. Each flash ends separately, so that
// during continuous writes the first changes don't stay highlighted.
func (r *Room) startFlash() tea.Cmd {
	r.flashID++
	n := r.flashID
	return r.env.Later(flashTime, screen.Then(func() tea.Cmd {
		r.tree.Draw.ClearFlash(n)
		if n >= r.memoryFlash {
			r.memory.ClearFlash()
		}
		return nil
	}))
}

// flashTree highlights changes by others.
func (r *Room) flashTree(changed []versions.Entry) tea.Cmd {
	others := slices.DeleteFunc(slices.Clone(changed), func(e versions.Entry) bool { return r.ownChanges[e.Change] })
	if len(others) == 0 || r.cfg.NoAnimation {
		return nil
	}
	flash := r.startFlash()
	r.tree.Draw.Flash(r.flashID, others)
	return flash
}

// FlashMemory highlights changes in the open memory.
func (r *Room) FlashMemory() tea.Cmd {
	if r.cfg.NoAnimation {
		r.memory.ClearFlash()
		return nil
	}
	flash := r.startFlash()
	r.memoryFlash = r.flashID
	return flash
}

// startScan begins the first scan of the folder.
func (r *Room) startScan() tea.Cmd {
	r.adopting, r.skippedScan = true, false
	ctx, store, read := r.env.Ctx, r.cfg.Store, r.cfg.Read
	work := screen.Work{Doing: "scan the folder", Cancelled: r.scanCancelled, Do: func(work context.Context) (tea.Msg, error) {
		watch, end := context.WithCancel(ctx) // the watch outlives the scan
		stop := context.AfterFunc(work, end)
		if read != nil {
			read()
		}
		s := scan(watch, store)
		if !stop() && s.err == nil { // it was cancelled as it ended
			s.err = context.Canceled
		}
		return screen.Then(func() tea.Cmd { return r.scanned(s) }), s.err
	}}
	return func() tea.Msg { return work }
}

// ScanNow adopts changes by others, at once and on this goroutine.
func (r *Room) ScanNow() tea.Cmd { return r.scanned(scan(r.env.Ctx, r.cfg.Store)) }

// scanCancelled goes on with the state of the trail.
func (r *Room) scanCancelled(tea.Msg) tea.Cmd {
	r.adopting, r.skippedScan = false, true
	r.tree.Scanned() // it shows what is known
	return r.say("the folder was not scanned: recent changes by others are not shown · "+r.env.Hint("store.sync")+" scans it", false)
}

// scanned goes on after earlier changes by others are adopted.
func (r *Room) scanned(s scanResult) tea.Cmd {
	var cmds []tea.Cmd
	if r.events = s.events; r.events != nil {
		r.watch = Watching
		cmds = append(cmds, r.wait())
	}
	fresh := !s.changed && s.err == nil && !r.loads.Waiting() && r.tree.Data() != nil && s.newest == r.last.Number
	if !fresh {
		r.loads.Stop() // a reading under way may have come before it: its answer is stale
		cmds = append(cmds, r.Reload())
	}
	if r.unwritable = s.unwritable; s.unwritable != nil && s.err == nil {
		r.say("read-only: memend can't write in "+r.cfg.Store.Info().Folder+": "+s.unwritable.Error(), true)
	}
	r.adopted = true
	r.tree.Scanned()
	if fresh {
		r.tellScanned()
	}
	r.setProblem(s.err)
	return tea.Batch(cmds...)
}

// tellScanned calls Scanned, once.
func (r *Room) tellScanned() {
	if r.cfg.Scanned != nil {
		terminal.Go(r.cfg.Scanned)
		r.cfg.Scanned = nil
	}
}

// setProblem reports a problem with the folder.
func (r *Room) setProblem(err error) {
	r.tree.SetProblem(err)
	if err != nil {
		r.env.Do(screen.StoreProblem{Err: err})
	}
}

// wait waits for one event; each event starts it again. No event may be dropped: it may be
// the only notification of a change.
func (r *Room) wait() tea.Cmd {
	events := r.events
	return func() tea.Msg {
		e, ok := <-events
		return screen.Then(func() tea.Cmd { return r.arrived(e, ok) })
	}
}

func (r *Room) arrived(e versions.Event, ok bool) tea.Cmd {
	if !ok {
		r.watch = NotWatching
		return nil
	}
	return tea.Batch(r.wait(), r.HandleEvent(e))
}

// HandleEvent handles an event of the store: it reloads the tree and passes the event on.
func (r *Room) HandleEvent(e versions.Event) tea.Cmd {
	r.setUpstream(e.Upstream)
	trouble := ""
	switch {
	case e.Err != nil:
		r.watch, trouble = Lost, e.Err.Error()
	case e.Polling:
		r.watch = Polling
	default:
		r.watch = Watching
	}
	if e.Err == nil || trouble != r.trouble {
		r.setProblem(e.Err)
	}
	r.trouble = trouble
	for _, c := range e.Changes {
		if c.Session == r.cfg.By.Session && c.Actor == r.cfg.By.Actor {
			r.Own(c)
		}
	}
	r.env.Do(screen.StoreEvent{Event: e})
	cmds := []tea.Cmd{r.warnOfLoss(e.Changes)}
	if len(e.Changes)+len(e.Attributed) > 0 || e.Reload || e.Others || e.Reviewed { // a read changes nothing that the tree shows
		cmds = append(cmds, r.Reload())
	}
	if e.Trust || len(e.Changes) > 0 || e.Reload { // pins follow what is moved
		cmds = append(cmds, r.LoadTrust())
	}
	return tea.Batch(append(cmds, r.followEvent(e))...)
}

// warnOfLoss warns if another program has deleted many memories in one go, because the
// person may not be looking at the tree.
func (r *Room) warnOfLoss(changes []versions.Change) tea.Cmd {
	i := slices.IndexFunc(changes, func(c versions.Change) bool {
		return c.Actor.Kind != versions.Person && (c.Kind == versions.KindAdopt || c.Kind == versions.KindDelete)
	})
	if i < 0 {
		return nil
	}
	ctx, store, since := r.env.Ctx, r.cfg.Store, changes[i].Time
	return func() tea.Msg {
		bulks, err := store.Bulks(ctx, since)
		if err != nil { // the watcher reports a trail that can't be read
			return nil
		}
		for _, b := range slices.Backward(bulks) {
			if b.Loss {
				return screen.Then(func() tea.Cmd { return r.tellLoss(b) })
			}
		}
		return nil
	}
}

// tellLoss reports a mass deletion, once: what it deletes arrives in several events, and what its program does next belongs
// to the same bulk.
func (r *Room) tellLoss(b versions.Bulk) tea.Cmd {
	newest := b.Deleting[len(b.Deleting)-1]
	if newest <= r.lossTold {
		return nil
	}
	r.lossTold = newest
	return r.say(fmt.Sprintf("%s deleted %d memories at once: %s", b.Actor, b.Deleted, wording.UndoLoss(b)), true)
}

// Own records that the person made a change, so that it is not reported.
func (r *Room) Own(c versions.Change) {
	if c.Number != 0 {
		r.ownChanges[c.Number] = true
	}
}

// ExpectsEvent reports whether an event will follow a change by this person.
func (r *Room) ExpectsEvent(c versions.Change) bool {
	return c.Number != 0 && (r.watch == Watching || r.watch == Polling)
}
