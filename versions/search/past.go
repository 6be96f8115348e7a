package search

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/match"
)

// pageSize is how many versions are searched at a time.
const pageSize = 1000

// Past searches the texts of all versions of a store, page by page, the newest first. All terms must
// occur in the text; the path does not count. It reads each content once, however many versions have
// it. A content that is marked as lost is skipped.
type Past struct {
	Damaged error // of a content that could not be read

	store   int64
	in      memfs.Path
	terms   []match.Term
	excerpt match.Excerpt
	matches map[int64]bool // by blob: whether its text matches
	covered map[int64]int  // by memory: the lowest number of the versions that are already in a run
}

// NewPast returns a search of the memories of a store, by its row, that ever were at a path or below
// it, with all their versions.
func NewPast(store int64, in memfs.Path, terms []match.Term, excerpt match.Excerpt) *Past {
	return &Past{store: store, in: in, terms: terms, excerpt: excerpt, matches: map[int64]bool{}, covered: map[int64]int{}}
}

// Newest is the first page.
const Newest = int64(1 << 62)

// Run is a run of consecutive versions of one memory whose texts all match.
type Run struct {
	First, Last int64        // rows of its versions; equal for one version
	Count       int          // number of matches in the text of Last
	Lines       []match.Line // matching lines of Last
}

// pastVersion is what a search needs to know of a version.
type pastVersion struct {
	row, memory int64
	number      int
	blob        int64
}

// Page searches the versions of a page and returns the runs that end there. next is the next page, or
// 0 at the end.
func (p *Past) Page(r db.Queryer, before int64) (runs []Run, next int64, err error) {
	vs, next, err := p.versions(r, before)
	if err != nil {
		return nil, 0, err
	}
	if err := p.searchAll(r, vs); err != nil {
		return nil, 0, err
	}
	var contents []int64
	for _, v := range vs {
		if low, ok := p.covered[v.memory]; ok && v.number >= low || !p.matches[v.blob] {
			continue
		}
		first, err := p.first(r, v)
		if err != nil {
			return nil, 0, err
		}
		p.covered[v.memory] = first.number
		runs, contents = append(runs, Run{First: first.row, Last: v.row}), append(contents, v.blob)
	}
	runs, err = p.excerpts(r, runs, contents)
	return runs, next, err
}

func (p *Past) versions(r db.Queryer, before int64) (vs []pastVersion, next int64, err error) {
	where, args := "", []any{p.store, before}
	if !p.in.IsRoot() {
		k := p.in.Rel()
		where = ` AND v.memory IN (SELECT memory FROM version WHERE path=? OR path>? AND path<?)`
		args = append(args, k, k+"/", k+"0")
	}
	n := 0
	var v pastVersion
	rows := r.Rows(`SELECT v.id,v.memory,v.number,coalesce(v.blob,0) FROM version v JOIN memory m ON m.id=v.memory
		WHERE m.store=? AND v.id<?`+where+` ORDER BY v.id DESC LIMIT ?`, append(args, pageSize)...)
	for range rows.Each(&v.row, &v.memory, &v.number, &v.blob) {
		if n++; n == pageSize {
			next = v.row
		}
		if v.blob != 0 {
			vs = append(vs, v)
		}
	}
	return vs, next, rows.Err()
}

// first returns the first version of the run that ends with v. The run starts right after the newest
// version before v that does not match.
func (p *Past) first(r db.Queryer, v pastVersion) (first pastVersion, err error) {
	first = v
	for before := v.number; before > 1; {
		older, err := p.older(r, v.memory, before)
		if err != nil {
			return first, err
		}
		if err := p.searchAll(r, older); err != nil {
			return first, err
		}
		before = 0
		for _, o := range older {
			if !p.matches[o.blob] {
				before = 0
				break
			}
			first, before = o, o.number
		}
	}
	return first, nil
}

// excerpts adds to runs what is found in the contents of their last versions. It leaves out those
// whose content is damaged.
func (p *Past) excerpts(r db.Queryer, runs []Run, contents []int64) (out []Run, err error) {
	for len(runs) > 0 {
		some, err := blobs.GetMany(r, contents)
		if err != nil {
			return nil, err
		}
		memfs.Parallel(len(some), func(i int) {
			spans := match.All(p.terms, some[i].Text)
			runs[i].Count, runs[i].Lines = len(spans), p.excerpt.Of(p.terms, some[i].Text, spans)
		})
		for i, c := range some {
			switch {
			case c.Err == nil:
				out = append(out, runs[i])
			case errors.Is(c.Err, versions.ErrDamaged):
				p.Damaged = c.Err
			default:
				return nil, c.Err
			}
		}
		runs, contents = runs[len(some):], contents[len(some):]
	}
	return out, nil
}

// older lists some versions of a memory below a number, newest first.
func (p *Past) older(r db.Queryer, memory int64, before int) (out []pastVersion, err error) {
	var v pastVersion
	return db.All(r.Rows(`SELECT id,memory,number,coalesce(blob,0) FROM version WHERE memory=? AND number<? ORDER BY number DESC LIMIT 20`, memory, before),
		&v, &v.row, &v.memory, &v.number, &v.blob)
}

// searchAll searches the contents that were not searched yet.
func (p *Past) searchAll(r db.Queryer, vs []pastVersion) error {
	var ids strings.Builder
	for _, v := range vs {
		if _, known := p.matches[v.blob]; !known && v.blob != 0 {
			p.matches[v.blob] = false
			fmt.Fprintf(&ids, ",%d", v.blob)
		}
	}
	if ids.Len() == 0 {
		return nil
	}
	w := p.workers(r)
	var own searcher
	for b, err := range blobs.EachPacked(r, "["+ids.String()[1:]+"]") {
		if err != nil {
			return errors.Join(err, w.wait())
		}
		if b.InParts() { // r is for one goroutine
			own.search(w, b)
		} else {
			w.todo <- b
		}
	}
	own.done(w)
	return w.wait()
}

// workers decode and search contents on all cores.
type workers struct {
	p    *Past
	r    db.Queryer
	todo chan blobs.Packed
	all  memfs.Group
	mu   sync.Mutex
	errs []error
}

func (p *Past) workers(r db.Queryer) *workers {
	w := &workers{p: p, r: r, todo: make(chan blobs.Packed, 64)}
	for range runtime.GOMAXPROCS(0) {
		w.all.Go(w.work)
	}
	return w
}

func (w *workers) wait() error {
	close(w.todo)
	w.all.Wait()
	return errors.Join(w.errs...)
}

func (w *workers) work() {
	defer func() { // also after a panic: nobody may wait for room forever
		for range w.todo {
		}
	}()
	var s searcher
	for b := range w.todo {
		s.search(w, b)
	}
	s.done(w)
}

// searcher is what one goroutine needs to search contents, and what it found.
type searcher struct {
	buf  []byte
	find match.Finder
	yes  []int64
	errs []error
}

func (s *searcher) search(w *workers, b blobs.Packed) {
	text, err := b.Text(w.r, &s.buf)
	switch {
	case err != nil:
		s.errs = append(s.errs, err)
	case s.find.HoldsAll(w.p.terms, text):
		s.yes = append(s.yes, b.ID)
	}
}

// done adds what was found to the search.
func (s *searcher) done(w *workers) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, err := range s.errs {
		if errors.Is(err, versions.ErrDamaged) {
			w.p.Damaged = err
		} else {
			w.errs = append(w.errs, err)
		}
	}
	for _, id := range s.yes {
		w.p.matches[id] = true
	}
}
