package versions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// searchTexts caches the texts of a store's memories between searches. It reads them from the
// files, which is several times as fast as from the trail. What changed since comes from the trail,
// by the number of the last cached change. The user of a text must compare its hash with the head's
// before treating it as the head's content.
type searchTexts struct {
	turn  chan struct{} // holds one token, for the search that reads or fills the fields below
	docs  map[memfs.Path]*searchDoc
	whole bool  // docs has every memory that can be searched
	bytes int   // of all texts
	most  int   // most bytes to cache
	again bool  // this is not the first search: a single search need not fill memory
	stamp int64 // row of the last change that docs include

	// These memories have changes that are not applied yet, and may never be: they are read again
	// each time.
	unsettled []memfs.Path
}

// searchDoc is a memory to search. It does not change after it was searched.
type searchDoc struct {
	path  memfs.Path
	text  []byte // nil after the search when it is not cached
	kept  bool
	sha   Hash  // hash of the text, when it is not cached and matches
	mtime int64 // nanoseconds since 1970
}

// letGo drops a text that is not cached, except for its hash.
func (d *searchDoc) letGo(answers bool) {
	if answers {
		d.sha = sum(d.text)
	}
	d.text = nil
}

// maxSearchKept is the most bytes of texts to cache. Each search reads the rest from the files.
const maxSearchKept = 64 << 20

// maxRefetched is the most changed memories that are read one by one. When more have changed, the
// files are read again.
const maxRefetched = 1000

func newSearchTexts() *searchTexts {
	return &searchTexts{turn: make(chan struct{}, 1), docs: map[memfs.Path]*searchDoc{}, most: maxSearchKept}
}

// enter waits until no other search uses the texts.
func (c *searchTexts) enter(ctx context.Context) (leave func(), err error) {
	select {
	case c.turn <- struct{}{}:
		return func() { <-c.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// refreshTexts updates the cache from the trail.
func (s *Store) refreshTexts(ctx context.Context) error {
	c := s.texts
	return s.t.view(ctx, func(q reader) error {
		var settled int64
		if err := q.Row(`SELECT coalesce((SELECT min(change)-1 FROM intent WHERE store=?1 AND carried=0),
			(SELECT id FROM change WHERE store=?1 ORDER BY number DESC LIMIT 1),0)`, s.id).Scan(&settled); err != nil {
			return err
		}
		if len(c.docs) == 0 && !c.whole { // nothing was read yet
			c.stamp = settled
		}
		changed, ok, err := s.changedSince(q, c.stamp)
		if err != nil {
			return err
		}
		if !ok {
			*c = searchTexts{turn: c.turn, docs: map[memfs.Path]*searchDoc{}, again: c.again, stamp: settled}
			if changed, _, err = s.changedSince(q, settled); err != nil {
				return err
			}
		}
		for _, p := range slices.Concat(changed, c.unsettled) {
			if err := s.refetch(q, p); err != nil {
				return err
			}
		}
		c.stamp, c.unsettled = settled, nil
		if len(changed) > 0 {
			c.unsettled, _, err = s.changedSince(q, settled)
		}
		return err
	})
}

// changedSince lists the paths that changes after a row left or reached. ok is false when there are
// too many of them, or when a redaction removed one.
func (s *Store) changedSince(q reader, row int64) (paths []memfs.Path, ok bool, err error) {
	for row, err := range q.Each(`SELECT v.path,v.origin FROM change c JOIN version v ON v.change=c.id WHERE c.id>? AND c.store=? LIMIT ?`, row, s.id, maxRefetched+1) {
		if err != nil {
			return nil, false, err
		}
		var now, before sql.NullString
		if err := row.Scan(&now, &before); err != nil {
			return nil, false, err
		}
		if !now.Valid {
			return nil, false, nil
		}
		for _, k := range []sql.NullString{now, before} {
			if !k.Valid {
				continue
			}
			p, err := pathOf(k.String)
			if err != nil {
				return nil, false, err
			}
			paths = append(paths, p)
		}
	}
	if len(paths) > maxRefetched {
		return nil, false, nil
	}
	return paths, true, nil
}

// refetch caches the memory at p from the trail.
func (s *Store) refetch(q reader, p memfs.Path) error {
	s.texts.drop(p)
	d, err := s.fetchText(q, p)
	switch {
	case errors.Is(err, ErrDamaged): // eachUnkept reports it
		s.texts.whole, err = false, nil
	case err == nil && d != nil && !s.texts.keep(d):
		s.texts.whole = false
	}
	return err
}

// fetchText reads the memory at p from the trail. It returns nil when there is none.
func (s *Store) fetchText(q reader, p memfs.Path) (*searchDoc, error) {
	var blob, ts int64
	err := q.Row(`SELECT v.blob,h.ts FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND h.path=?`, s.id, key(p)).Scan(&blob, &ts)
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
	return &searchDoc{path: p, text: text, mtime: ts * 1000}, nil
}

func (c *searchTexts) drop(p memfs.Path) {
	if d := c.docs[p]; d != nil {
		c.bytes -= len(d.text)
		delete(c.docs, p)
	}
}

// keep caches d if there is room.
func (c *searchTexts) keep(d *searchDoc) bool {
	if c.bytes+len(d.text) > c.most {
		return false
	}
	d.kept = true
	c.bytes += len(d.text)
	c.docs[d.path] = d
	return true
}

// textVisit searches a memory and reports whether it matches. The text may be valid only until it
// returns. Several goroutines call it at once, each with its own reader number.
type textVisit func(reader int, d *searchDoc) (answers bool)

// eachText calls visit for every memory at or below in, and returns what could not be read.
func (s *Store) eachText(ctx context.Context, in memfs.Path, visit textVisit) (unread []UnreadText, err error) {
	if err := s.eachKept(ctx, in, visit); err != nil || s.texts.whole {
		return nil, err
	}
	unread, err = s.eachUnkept(ctx, in, visit)
	s.texts.again = true
	return unread, err
}

func (s *Store) eachKept(ctx context.Context, in memfs.Path, visit textVisit) error {
	docs := make([]*searchDoc, 0, len(s.texts.docs))
	for p, d := range s.texts.docs {
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
					visit(n, d)
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// eachUnkept reads the memories that are not cached, and caches what fits.
func (s *Store) eachUnkept(ctx context.Context, in memfs.Path, visit textVisit) (unread []UnreadText, err error) {
	c := s.texts
	type share struct {
		slab   []byte
		kept   []*searchDoc
		unread []UnreadText
	}
	shares := make([]share, memfs.Readers())
	var bytes atomic.Int64
	bytes.Store(int64(c.bytes))
	missed := atomic.Bool{}
	err = s.folder().ReadAll(ctx, in, s.t.maxBytes,
		func(p memfs.Path) bool { return c.docs[p] == nil },
		func(n int, f memfs.Text) error {
			sh := &shares[n]
			if f.Err != nil {
				sh.unread = append(sh.unread, UnreadText{f.Path, f.Err})
				return nil
			}
			d := &searchDoc{path: f.Path, text: f.Content, mtime: f.Mtime}
			size := int64(len(f.Content))
			answers := visit(n, d)
			keep := answers || c.again
			if keep && bytes.Add(size) > int64(c.most) {
				bytes.Add(-size)
				keep = false
			}
			if !keep {
				missed.Store(true)
				d.letGo(answers)
				return nil
			}
			sh.slab, d.text = stow(sh.slab, f.Content)
			d.kept = true
			sh.kept = append(sh.kept, d)
			return nil
		})
	for _, sh := range shares {
		for _, d := range sh.kept {
			c.keep(d)
		}
		unread = append(unread, sh.unread...)
	}
	if err != nil {
		return nil, err
	}
	if err := s.eachUnlisted(ctx, in, &missed, visit); err != nil {
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
func (s *Store) eachUnlisted(ctx context.Context, in memfs.Path, missed *atomic.Bool, visit textVisit) error {
	return s.t.view(ctx, func(q reader) error {
		paths, err := s.unlisted(q)
		if err != nil {
			return err
		}
		for _, p := range paths {
			if !p.In(in) || s.texts.docs[p] != nil {
				continue
			}
			d, err := s.fetchText(q, p)
			if err != nil {
				return err
			}
			if answers := visit(0, d); !s.texts.keep(d) {
				missed.Store(true)
				d.letGo(answers)
			}
		}
		return nil
	})
}

func (s *Store) unlisted(q reader) ([]memfs.Path, error) {
	var out []memfs.Path
	for row, err := range q.Each(`SELECT path,bytes FROM head WHERE store=? AND (path GLOB '.*' OR path GLOB '*/.*' OR path GLOB '*node_modules*' OR bytes>?)`, s.id, s.t.maxBytes) {
		if err != nil {
			return nil, err
		}
		var k string
		var size int64
		if err := row.Scan(&k, &size); err != nil {
			return nil, err
		}
		p, err := pathOf(k)
		if err != nil {
			return nil, err
		}
		if p.Hidden() || size > s.t.maxBytes {
			out = append(out, p)
		}
	}
	return out, nil
}
