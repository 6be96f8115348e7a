package search

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Source is where the texts of a store are.
type Source struct {
	View     func(ctx context.Context, read func(db.Queryer) error) error // reads one snapshot of the trail
	Store    int64                                                        // row of the store
	Folder   func() *memfs.Dir                                            // its folder now
	MaxBytes int64                                                        // larger files are read from the trail
}

// Texts caches the texts of a store's memories between searches. It reads them from the files, which
// is several times as fast as from the trail. What changed since comes from the trail, by the number
// of the last cached change.
type Texts struct {
	Limit int // most bytes of texts to cache

	from   Source
	turn   chan struct{} // holds one token, for the search that reads or fills the fields below
	docs   map[memfs.Path]*doc
	slabs  [][]byte    // by reader: where the next short texts go
	whole  bool        // docs has every memory that can be searched
	bytes  int         // of all texts
	again  bool        // this is not the first search: a single search need not fill memory
	latest int64       // row of the last change that docs include
	names  memfs.Names // the files that the folder had when docs were read

	// These memories have changes that are not applied yet, and may never be: they are read again
	// each time.
	unsettled []memfs.Path
}

// doc is a memory to search. It does not change after it was searched.
type doc struct {
	path   memfs.Path
	text   []byte // nil after the search when it is not cached
	cached bool
	sha    ids.Hash // hash of the text, when it is not cached and matches
	mtime  int64    // nanoseconds since 1970
}

// release drops a text that is not cached, except for its hash.
func (d *doc) release(matches bool) {
	if matches {
		d.sha = sha256.Sum256(d.text)
	}
	d.text = nil
}

// defaultLimit is the most bytes of texts to cache. Each search reads the rest from the files.
const defaultLimit = 64 << 20

// maxReread is the most changed memories that are read one by one. When more have changed, the files
// are read again.
const maxReread = 1000

// New returns an empty cache.
func New(from Source) *Texts {
	return &Texts{Limit: defaultLimit, from: from, turn: make(chan struct{}, 1), docs: map[memfs.Path]*doc{}}
}

// Enter waits until no other search uses the texts. All other methods need that.
func (c *Texts) Enter(ctx context.Context) (unlock func(), err error) {
	select {
	case c.turn <- struct{}{}:
		return func() { <-c.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Refresh updates the cache from the trail.
func (c *Texts) Refresh(ctx context.Context) error {
	if names := c.from.Folder().Names(); !names.Same(c.names) { // files of other names are missing
		c.clear()
		c.names = names
	}
	return c.from.View(ctx, func(q db.Queryer) error {
		var settled int64
		if err := q.Row(`SELECT coalesce((SELECT min(change)-1 FROM intent WHERE store=?1 AND carried=0),
			(SELECT id FROM change WHERE store=?1 ORDER BY number DESC LIMIT 1),0)`, c.from.Store).Scan(&settled); err != nil {
			return err
		}
		if len(c.docs) == 0 && !c.whole { // nothing was read yet
			c.latest = settled
		}
		changed, ok, err := c.changedSince(q, c.latest)
		if err != nil {
			return err
		}
		if !ok {
			c.clear()
			if changed, _, err = c.changedSince(q, settled); err != nil {
				return err
			}
		}
		for _, p := range slices.Concat(changed, c.unsettled) {
			if err := c.reread(q, p); err != nil {
				return err
			}
		}
		c.latest, c.unsettled = settled, nil
		if len(changed) > 0 {
			c.unsettled, _, err = c.changedSince(q, settled)
		}
		return err
	})
}

// Reread caches memories again from the trail.
func (c *Texts) Reread(ctx context.Context, paths []memfs.Path) error {
	return c.from.View(ctx, func(q db.Queryer) error {
		for _, p := range paths {
			if err := c.reread(q, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// changedSince lists the paths that changes after a row left or reached. ok is false when there are
// too many of them, or when a redaction removed one.
func (c *Texts) changedSince(q db.Queryer, row int64) (paths []memfs.Path, ok bool, err error) {
	var now, before sql.NullString
	rows := q.Rows(`SELECT v.path,v.origin FROM change c JOIN version v ON v.change=c.id WHERE c.id>? AND c.store=? LIMIT ?`, row, c.from.Store, maxReread+1)
	for range rows.Each(&now, &before) {
		if !now.Valid {
			return nil, false, nil
		}
		for _, k := range []sql.NullString{now, before} {
			if !k.Valid {
				continue
			}
			p, err := parse(k.String)
			if err != nil {
				return nil, false, err
			}
			paths = append(paths, p)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, false, err
	}
	if len(paths) > maxReread {
		return nil, false, nil
	}
	return paths, true, nil
}

// reread caches the memory at p from the trail.
func (c *Texts) reread(q db.Queryer, p memfs.Path) error {
	c.drop(p)
	d, err := c.fetch(q, p)
	switch {
	case errors.Is(err, versions.ErrDamaged): // eachFile reports it
		c.whole, err = false, nil
	case err == nil && d != nil && !c.keep(d):
		c.whole = false
	}
	return err
}

// fetch reads the memory at p from the trail. It returns nil when there is none.
func (c *Texts) fetch(q db.Queryer, p memfs.Path) (*doc, error) {
	var blob, ts int64
	err := q.Row(`SELECT v.blob,h.ts FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND h.path=?`, c.from.Store, p.Rel()).Scan(&blob, &ts)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := blobs.Get(q, blob)
	if err != nil {
		return nil, err
	}
	return &doc{path: p, text: text, mtime: ts * 1000}, nil
}

func (c *Texts) clear() {
	c.docs, c.slabs, c.whole, c.bytes, c.unsettled = map[memfs.Path]*doc{}, nil, false, 0, nil
}

func (c *Texts) drop(p memfs.Path) {
	if d := c.docs[p]; d != nil {
		c.bytes -= len(d.text)
		delete(c.docs, p)
	}
}

// keep caches d if there is room.
func (c *Texts) keep(d *doc) bool {
	if c.bytes+len(d.text) > c.Limit {
		return false
	}
	d.cached = true
	c.bytes += len(d.text)
	c.docs[d.path] = d
	return true
}

// visit searches a memory and reports whether it matches. The text may be valid only until it returns.
// Several goroutines call it at once, each with its own reader number.
type visit func(reader int, d *doc) (matches bool)

// each calls do for every memory at or below in, and returns what could not be read.
func (c *Texts) each(ctx context.Context, in memfs.Path, do visit) (unread []versions.UnreadText, err error) {
	if err := c.eachCached(ctx, in, do); err != nil || c.whole {
		return nil, err
	}
	unread, err = c.eachFile(ctx, in, do)
	c.again = true
	return unread, err
}

func (c *Texts) eachCached(ctx context.Context, in memfs.Path, do visit) error {
	docs := make([]*doc, 0, len(c.docs))
	for p, d := range c.docs {
		if p.In(in) {
			docs = append(docs, d)
		}
	}
	var wg memfs.Group
	var at atomic.Int64
	const batch = 64
	for n := range memfs.Readers() {
		wg.Go(func() {
			for ctx.Err() == nil {
				from := int(at.Add(batch)) - batch
				if from >= len(docs) {
					return
				}
				for _, d := range docs[from:min(from+batch, len(docs))] {
					do(n, d)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// eachFile reads the memories that are not cached, and caches what fits.
func (c *Texts) eachFile(ctx context.Context, in memfs.Path, do visit) (unread []versions.UnreadText, err error) {
	type share struct {
		cached []*doc
		unread []versions.UnreadText
	}
	shares := make([]share, memfs.Readers())
	if c.slabs == nil { // they outlast this search: one that is stopped after a few texts would leave slabs for these alone
		c.slabs = make([][]byte, len(shares))
	}
	var bytes atomic.Int64
	bytes.Store(int64(c.bytes))
	missed := atomic.Bool{}
	err = c.from.Folder().ReadAll(ctx, in, c.from.MaxBytes,
		func(p memfs.Path) bool { return c.docs[p] == nil },
		func(n int, f memfs.Text) error {
			sh := &shares[n]
			if f.Err != nil {
				sh.unread = append(sh.unread, versions.UnreadText{Path: f.Path, Err: f.Err})
				return nil
			}
			d := &doc{path: f.Path, text: f.Content, mtime: f.Mtime}
			size := int64(len(f.Content))
			matches := do(n, d)
			keep := matches || c.again
			if keep && bytes.Add(size) > int64(c.Limit) {
				bytes.Add(-size)
				keep = false
			}
			if !keep {
				missed.Store(true)
				d.release(matches)
				return nil
			}
			c.slabs[n], d.text = stow(c.slabs[n], f.Content)
			d.cached = true
			sh.cached = append(sh.cached, d)
			return nil
		})
	for _, sh := range shares {
		for _, d := range sh.cached {
			c.keep(d)
		}
		unread = append(unread, sh.unread...)
	}
	if err != nil {
		return nil, err
	}
	if err := c.eachUnlisted(ctx, in, &missed, do); err != nil {
		return nil, err
	}
	c.whole = in.IsRoot() && !missed.Load() && len(unread) == 0
	return unread, nil
}

// stow copies a text into a slab, so that ten thousand texts need only a few allocations.
func stow(slab, text []byte) (rest, copied []byte) {
	const size = 1 << 20
	if len(text) > size/16 {
		return slab, slices.Clone(text)
	}
	if len(text) > cap(slab)-len(slab) {
		slab = make([]byte, 0, size)
	}
	at := len(slab)
	slab = append(slab, text...)
	return slab, slab[at:len(slab):len(slab)]
}

// eachUnlisted visits the memories that no listing of the folder shows: hidden ones, and those too
// large to be read from files.
func (c *Texts) eachUnlisted(ctx context.Context, in memfs.Path, missed *atomic.Bool, do visit) error {
	return c.from.View(ctx, func(q db.Queryer) error {
		paths, err := c.unlisted(q)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if !p.In(in) || c.docs[p] != nil {
				continue
			}
			d, err := c.fetch(q, p)
			if err != nil {
				return err
			}
			if matches := do(0, d); !c.keep(d) {
				missed.Store(true)
				d.release(matches)
			}
		}
		return nil
	})
}

func (c *Texts) unlisted(q db.Queryer) ([]memfs.Path, error) {
	var out []memfs.Path
	shown := c.from.Folder().Names()
	var k string
	var size int64
	rows := q.Rows(`SELECT path,bytes FROM head WHERE store=? AND (path GLOB '.*' OR path GLOB '*/.*' OR path GLOB '*node_modules*' OR bytes>?)`, c.from.Store, c.from.MaxBytes)
	for range rows.Each(&k, &size) {
		p, err := parse(k)
		if err != nil {
			return nil, err
		}
		if !shown.Shows(p) || size > c.from.MaxBytes {
			out = append(out, p)
		}
	}
	return out, rows.Err()
}

// parse parses a path of the tables. An invalid path means damage.
func parse(key string) (memfs.Path, error) {
	p, err := memfs.ParsePath(key)
	if err != nil {
		return p, errors.Join(versions.ErrDamaged, err)
	}
	return p, nil
}
