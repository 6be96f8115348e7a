// Package similar is the screen that lists near-duplicates: pairs of memories, of one store or two, that say nearly
// the same, with the difference of the pair under the cursor. Either can be opened in its store, and the two
// can be merged.
//
// The pairs are found in a job of the root, which scans the folders of all stores first. They are not found
// again by themselves when something changes: the title says so, for other stores than the open one within a
// minute. A merge checks that both are still as shown.
package similar

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Home has the stores whose memories are compared. *versions.Trail implements it.
type Home interface {
	Stores(ctx context.Context) ([]versions.StoreInfo, error)
	OpenStore(ctx context.Context, id versions.StoreID) (*versions.Store, error)
	Sizes(ctx context.Context) (map[versions.StoreID]versions.StoreSize, error)
	Similar(ctx context.Context, to versions.MemoryID, least float64) ([]versions.SimilarPair, error)
	Content(ctx context.Context, id versions.VersionID) ([]byte, error)
	MergeInto(ctx context.Context, by versions.By, keep, other versions.Merging, text []byte) (kept, deleted versions.Change, err error)
}

// Config holds what the screen works with.
type Config struct {
	Home     Home
	Here     versions.StoreInfo // the store that is open
	By       versions.By
	Memory   versions.MemoryID // that was open: the list begins there, and can be of it alone; may be empty
	Path     memfs.Path        // of Memory
	ReadOnly bool
}

// Least similarities that are listed: among all memories, and to one.
const (
	leastOfAll = 0.7
	leastToOne = 0.5
)

// Pane is the screen. New returns one.
type Pane struct {
	screen.Plain
	env    screen.Env
	cancel context.CancelFunc
	cfg    Config
	keys   *keys.Map[*Pane]
	now    time.Time

	one     bool // only what is similar to the memory that was open
	loading bool
	pairs   []versions.SimilarPair // only ever replaced as a whole
	stores  map[versions.StoreID]versions.StoreInfo
	left    []string // stores whose folders could not be scanned
	err     error
	begun   bool                       // the pairs were found once
	stale   bool                       // memories changed since
	last    map[versions.StoreID]int64 // the last change of each store that they include
	cols    int                        // that the widest row needs

	*split.Split
	looks   screen.Load[map[versions.StoreID]int64]
	details screen.Load[detail]
	detail  detail
}

// detail is the two texts of a pair, as far as they are known.
type detail struct {
	of    versions.SimilarPair
	texts [2][]byte
	doc   *diffview.Document
	err   error
}

// found is the result of a comparison.
type found struct {
	pairs  []versions.SimilarPair
	stores map[versions.StoreID]versions.StoreInfo
	left   []string
	last   map[versions.StoreID]int64
}

// New returns the screen; Start finds the pairs.
func New(env screen.Env, cfg Config) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	p := &Pane{env: env.During(ctx), cancel: cancel, cfg: cfg, keys: paneKeys(env.Keys)}
	p.Split = split.New(env.Theme, env.Keys, p)
	return p
}

// Start finds the pairs.
func (p *Pane) Start() tea.Cmd { return p.load() }

// Close cancels pending requests.
func (p *Pane) Close() { p.cancel() }

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

// Event notes that the pairs may be others by now.
func (p *Pane) Event(e versions.Event) tea.Cmd {
	p.stale = p.stale || e.Reload || slices.ContainsFunc(e.Changes, func(c versions.Change) bool { return c.Number > p.last[p.cfg.Here.ID] })
	return nil
}

// Look notes that the pairs may be others by now because another store changed.
func (p *Pane) Look() tea.Cmd {
	if p.loading || p.stale || !p.begun {
		return nil
	}
	home := p.cfg.Home
	return p.looks.Begin(p.env.Ctx, func(ctx context.Context) (map[versions.StoreID]int64, error) { return lastChanges(ctx, home) },
		func(now map[versions.StoreID]int64, err error) tea.Cmd {
			p.stale = p.stale || err == nil && !maps.Equal(now, p.last)
			return nil
		})
}

// lastChanges returns the number of the last change of each store.
func lastChanges(ctx context.Context, home Home) (map[versions.StoreID]int64, error) {
	sizes, err := home.Sizes(ctx)
	out := map[versions.StoreID]int64{}
	for id, z := range sizes {
		out[id] = z.Changes
	}
	return out, err
}

// load finds the pairs in a job, which shows its progress and can be cancelled.
func (p *Pane) load() tea.Cmd {
	if p.loading {
		return nil
	}
	p.loading, p.stale = true, false
	p.looks.Stop()
	home, memory, ended := p.cfg.Home, versions.MemoryID(""), p.env.Ctx
	if p.one {
		memory = p.cfg.Memory
	}
	return p.env.Ask(screen.Work{Doing: "find near-duplicates", Do: func(ctx context.Context) (tea.Msg, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(ended, cancel)() // the screen was left
		f, err := find(ctx, home, memory)
		return screen.Then(func() tea.Cmd { return p.loaded(f, err) }), ctx.Err()
	}, Cancelled: func(tea.Msg) tea.Cmd {
		p.loading, p.stale = false, p.begun
		return nil
	}})
}

// find scans the folders of all stores, and compares their memories.
func find(ctx context.Context, home Home, memory versions.MemoryID) (f found, err error) {
	stores, err := home.Stores(ctx)
	if err != nil {
		return f, err
	}
	f.stores = map[versions.StoreID]versions.StoreInfo{}
	for _, info := range stores {
		f.stores[info.ID] = info
		if err := scan(ctx, home, info.ID); ctx.Err() != nil {
			return f, ctx.Err()
		} else if err != nil && !versions.Unrecorded(err) {
			f.left = append(f.left, info.Name+": not scanned: "+wording.Why(err))
		}
	}
	if f.last, err = lastChanges(ctx, home); err != nil {
		return f, err
	}
	least := leastOfAll
	if memory != "" {
		least = leastToOne
	}
	f.pairs, err = home.Similar(ctx, memory, least)
	return f, err
}

// scan scans the folder of a store.
func scan(ctx context.Context, home Home, id versions.StoreID) error {
	s, err := home.OpenStore(ctx, id)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Sync(ctx)
	return err
}

// loaded lists what was found. The cursor stays at its pair, or at its row; first it is at the memory that was open.
func (p *Pane) loaded(f found, err error) tea.Cmd {
	cur, first := p.pair(), !p.begun
	p.loading, p.begun, p.err = false, true, err
	p.pairs, p.stores, p.left, p.last = f.pairs, f.stores, f.left, f.last
	if cur != nil {
		same := func(q versions.SimilarPair) bool { return q.A.Memory == cur.A.Memory && q.B.Memory == cur.B.Memory }
		if i := slices.IndexFunc(f.pairs, same); i >= 0 {
			p.Cur = i
		}
	} else if first {
		p.Cur = slices.IndexFunc(f.pairs, func(q versions.SimilarPair) bool { return q.A.Memory == p.cfg.Memory || q.B.Memory == p.cfg.Memory })
	}
	p.Cur = max(min(p.Cur, len(p.pairs)-1), 0)
	p.cols = 0
	for i := range p.pairs {
		p.cols = max(p.cols, needs(&p.pairs[i]))
	}
	p.Step(0)
	return p.compare()
}

// pair returns the pair under the cursor, or nil.
func (p *Pane) pair() *versions.SimilarPair {
	if p.Cur < len(p.pairs) {
		return &p.pairs[p.Cur]
	}
	return nil
}

// compare reads the texts of the pair under the cursor.
func (p *Pane) compare() tea.Cmd {
	p.details.Stop()
	p.detail = detail{}
	pair := p.pair()
	if pair == nil {
		p.Diff.Show(diffview.Note(""))
		return nil
	}
	home, of := p.cfg.Home, *pair
	return p.details.Begin(p.env.Ctx, func(ctx context.Context) (detail, error) { return read(ctx, home, of), nil },
		func(d detail, _ error) tea.Cmd {
			p.detail = d
			p.Diff.Show(d.doc)
			p.Fit()
			return nil
		})
}

// read reads the texts of a pair and compares them.
func read(ctx context.Context, home Home, of versions.SimilarPair) detail {
	d := detail{of: of}
	for i, m := range []versions.SimilarMemory{of.A, of.B} {
		text, err := home.Content(ctx, m.Version)
		if err != nil {
			d.err, d.doc = err, diffview.Note("Can't be shown: "+name(m)+": "+wording.Why(err))
			return d
		}
		d.texts[i] = text
	}
	d.doc = diffview.Compare(of.B.Path.Base(), d.texts[0], d.texts[1])
	return d
}

// Moved compares the pair that the cursor has moved to.
func (p *Pane) Moved() tea.Cmd { return p.compare() }
