// Package branches syncs stores with git: one when the person asks for it, and all that have a branch at the pace of
// the settings. It keeps what is known of the branches for the status line.
//
// A sync runs on a goroutine of its own and never waits for a key. The home has only one sync of a store at a time: one
// that comes meanwhile waits for it.
package branches

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/gitsync"
)

// State is what is known of the branch of a store.
type State struct {
	versions.BranchState
	Store  string // its name
	Failed error  // of the last sync of this program; nil: it did not fail
}

// LastLook says when the branch was looked at last.
func (s State) LastLook(now time.Time) string {
	if s.Seen.IsZero() {
		return "never looked at"
	}
	return "last look " + draw.Ago(now, s.Seen)
}

// Home syncs the stores of a home. Its methods block and may be called from any goroutine.
type Home interface {
	// BranchStates returns the branches of the stores that have one and can be written.
	BranchStates(ctx context.Context) (map[versions.StoreID]State, error)
	// SyncStore syncs a store. Its progress goes to the function of versions.WithProgress.
	SyncStore(ctx context.Context, order screen.Sync) (gitsync.Result, error)
}

// Config holds the options of a Room.
type Config struct {
	Home     Home             // nil: nothing is synced
	Every    time.Duration    // the pace of the syncs in the background; 0: there are none
	ReadOnly bool             // there are none either
	Now      func() time.Time // of the clock
}

// Room handles screen.Sync.
type Room struct {
	env    screen.Env
	cfg    Config
	states map[versions.StoreID]State
	loads  screen.Load[map[versions.StoreID]State]
}

// New returns a room that knows no branch yet.
func New(env screen.Env, cfg Config) *Room { return &Room{env: env, cfg: cfg} }

// startAfter is the pause before the first read and the first sync: the first frame comes before.
const startAfter = 300 * time.Millisecond

// Start begins to read the branches and to sync them.
func (r *Room) Start() tea.Cmd {
	if r.cfg.Home == nil {
		return nil
	}
	return r.env.Later(startAfter, screen.Then(func() tea.Cmd { return tea.Batch(r.Load(), r.syncDue()) }))
}

// State returns what is known of the branch of a store; false if it has none.
func (r *Room) State(id versions.StoreID) (State, bool) {
	st, ok := r.states[id]
	return st, ok
}

// Load reads what is known of the branches; during a reading, it is read again afterwards.
func (r *Room) Load() tea.Cmd {
	if r.cfg.Home == nil || r.loads.After(r.Load) {
		return nil
	}
	return r.loads.Begin(r.env.Ctx, r.cfg.Home.BranchStates, func(found map[versions.StoreID]State, err error) tea.Cmd {
		if err == nil { // a problem of the trail is reported by the reading of the tree
			r.states = found
		}
		return nil
	})
}

// Sync syncs a store with its branch, as the person asked.
func (r *Room) Sync(order screen.Sync) tea.Cmd {
	home := r.cfg.Home
	return r.env.Do(screen.Work{Doing: "sync " + order.Name, Keeps: true, Do: func(ctx context.Context) (tea.Msg, error) {
		did, err := home.SyncStore(ctx, order)
		return screen.Then(func() tea.Cmd { return r.synced(order, did, err) }), err
	}})
}

// synced reports a sync that the person asked for.
func (r *Room) synced(order screen.Sync, did gitsync.Result, err error) tea.Cmd {
	after := r.Load()
	if order.Then != nil {
		after = tea.Batch(after, order.Then())
	}
	st, known := r.states[order.Store]
	switch {
	case errors.Is(err, context.Canceled):
		r.say("stopped: sync "+order.Name+" · what was done is kept", false)
	case known && wording.AsksRewrite(err):
		b := st.Branch
		if order.Rewrite = true; order.URL != "" {
			b.URL, b.Name = order.URL, cmp.Or(order.Branch, b.Name)
		}
		ask := wording.AskRewrite(b, order.Name)
		if !b.Erased { // else the question says why it is asked
			ask = err.Error() + ". " + ask
		}
		r.env.Do(screen.Choose{Title: "sync " + order.Name, Text: ask, Arrows: true, Options: []screen.Option{ // it comes while other keys are typed
			{Key: "y", Label: "replace it", Then: func() tea.Cmd { return r.env.Do(order) }},
			{Key: "n", Label: "leave it as it is"},
		}})
	case err != nil:
		r.say(failure(order.Name, err), true)
	default:
		r.say(success(order.Name, did), false)
	}
	return after
}

func (r *Room) say(text string, bad bool) { r.env.Do(screen.Notice{Text: text, Bad: bad}) }

// failure says why a store was not synced, and what to do.
func failure(store string, err error) string {
	s := "sync " + store + ": " + err.Error()
	if hint := wording.BranchHint(err); hint != "" {
		s += " · " + hint
	}
	return s
}

// success says what a sync of a store did.
func success(store string, did gitsync.Result) string {
	s := "synced " + store + ": " + wording.Synced(did)
	if n := len(did.LeftOut); n > 0 {
		s += ", " + draw.Plural(n, "path is", "paths are") + " no memory: " + did.LeftOut[0]
	}
	return s
}

// syncDue syncs the stores whose branches were not looked at for a while, one after the other, and says what the person
// should know: that something came in or waits, and a failure that is not the one from before. Another program, or this
// one before it showed another store, may have synced some of them.
func (r *Room) syncDue() tea.Cmd {
	if r.cfg.Every == 0 || r.cfg.ReadOnly {
		return nil
	}
	ctx, home, now, pause := r.env.Ctx, r.cfg.Home, r.cfg.Now, r.cfg.Every/2
	return func() tea.Msg {
		var news []screen.Notice
		all, _ := home.BranchStates(ctx) // a problem of the trail is reported by the reading of the tree
		for _, id := range slices.Sorted(maps.Keys(all)) {
			st := all[id]
			if now().Sub(st.Seen) < pause {
				continue
			}
			did, err := home.SyncStore(ctx, screen.Sync{Store: id, Name: st.Store})
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil && (st.Failed == nil || st.Failed.Error() != err.Error()):
				news = append(news, screen.Notice{Text: failure(st.Store, err), Bad: true})
			case err == nil && len(did.Taken)+did.Imported+len(did.Held) > 0:
				news = append(news, screen.Notice{Text: success(st.Store, did)})
			}
		}
		return screen.Then(func() tea.Cmd {
			for _, n := range news {
				r.env.Do(n)
			}
			return tea.Batch(r.Load(), r.env.Later(r.cfg.Every, screen.Then(r.syncDue)))
		})
	}
}
