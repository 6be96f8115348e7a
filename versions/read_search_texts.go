package versions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/memend/memend/memfs"
)

// searchTexts is what the memories of a store hold, kept in memory from one
// search to the next. Texts are read from the files, which is several times as
// fast as from the trail; what changed since is fetched from the trail, by the
// number of the last change that is kept. Whoever uses a text as a head's
// compares its hash with the head's.
type searchTexts struct {
	turn  chan struct{} // holds one token: of the search that reads or fills what is below
	docs  map[memfs.Path]*searchDoc
	whole bool  // every memory that can be searched is in docs
	bytes int   // of all texts
	most  int   // bytes that are kept
	again bool  // somebody has searched before; who searches once need not fill memory
	stamp int64 // row of the last change that docs know of

	// Memories of changes that are not applied yet, and may never be: they
	// are fetched anew each time.
	unsettled []memfs.Path
}

// searchDoc is a memory that is searched. Once it was looked at it does not change.
type searchDoc struct {
	path  memfs.Path
	text  []byte // only while it is looked at, when it is not kept
	kept  bool
	sha   Hash  // of the text, when it is not kept and answers
	mtime int64 // nanoseconds since 1970
}

// letGo lets a text that is not kept go, all but its hash.
func (d *searchDoc) letGo(answers bool) {
	if answers {
		d.sha = sum(d.text)
	}
	d.text = nil
}

// maxSearchKept is how many bytes of texts are kept. What is more is read from
// the files at each search.
const maxSearchKept = 64 << 20

// maxRefetched is how many changed memories are fetched one by one; when more
// changed, the files are read anew.
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

// refresh brings what is kept up to the trail.
func (s *Store) refreshTexts(ctx context.Context) error {
	c := s.texts
	return s.t.view(ctx, func(q reader) error {
		var settled int64
		if err := q.Row(`SELECT coalesce((SELECT min(change)-1 FROM intent WHERE store=?1 AND carried=0),
			(SELECT id FROM change WHERE store=?1 ORDER BY number DESC LIMIT 1),0)`, s.id).Scan(&settled); err != nil {
			return err
		}
		if len(c.docs) == 0 && !c.whole { // all is yet to be read
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

// changedSince lists the paths that changes after a row left or reached. It is not ok,
// and lists none, when there are too many of them, or when a redaction removed one.
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

// refetch keeps what the trail says that stands at p.
func (s *Store) refetch(q reader, p memfs.Path) error {
	s.texts.drop(p)
	d, err := s.fetchText(q, p)
	switch {
	case errors.Is(err, ErrDamaged): // eachUnkept says so
		s.texts.whole, err = false, nil
	case err == nil && d != nil && !s.texts.keep(d):
		s.texts.whole = false
	}
	return err
}

// fetchText reads the memory at p from the trail; nil when there is none.
func (s *Store) fetchText(q reader, p memfs.Path) (*searchDoc, error) {
	var blob, ts int64
	err := q.Row(`SELECT v.blob,h.ts FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND h.path=?`, s.id, key(p)).Scan(&blob, &ts)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := blobContent(q, blob)
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

// keep keeps d, if there is room.
func (c *searchTexts) keep(d *searchDoc) bool {
	if c.bytes+len(d.text) > c.most {
		return false
	}
	d.kept = true
	c.bytes += len(d.text)
	c.docs[d.path] = d
	return true
}

// textVisit looks at a memory, whose text may be true only until it returns, and
// says whether it answers. It is called by several goroutines at once, each known
// by its number.
type textVisit func(reader int, d *searchDoc) (answers bool)

// eachText gives every memory at or below in to visit, and tells what could not
// be read.
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

// eachUnkept reads the memories that are not kept, and keeps what it can of them.
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

// stow copies a text into a slab, so that ten thousand texts are a few pieces of memory.
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

// eachUnlisted visits the memories that no listing of the folder shows: hidden
// ones, and those above the size that is read from files.
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
