package versions

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/match"
)

// HistoryHit is a run of consecutive versions of one memory whose texts all match a query.
type HistoryHit struct {
	First, Last Version      // equal for one version; their changed lines are not counted
	Stands      bool         // Last is the memory's current version
	Count       int          // number of matches in the text of Last
	Lines       []match.Line // matching lines of Last
}

// SearchHistory searches the texts of all versions of all memories, except redacted ones. It passes
// each run of matching versions to each, the run with the newest version first, until each returns
// false. All words must occur in the text; the path does not count. q.In selects memories that were
// ever there, with all their versions.
//
// SearchHistory reads each content once, however many versions have it. A damaged content does not
// match, and is reported as an error after all hits. A content that is marked as lost is skipped.
func (s *Store) SearchHistory(ctx context.Context, q Query, each func(HistoryHit) bool) error {
	terms, err := q.text().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return err
	}
	h := &historySearch{s: s, ctx: ctx, q: q, terms: terms, answers: map[int64]bool{}, covered: map[int64]int{}}
	given := 0
	for before := int64(1 << 62); before > 0; {
		var hits []HistoryHit
		// Each page has its own snapshot, and none is open while the caller is busy: a redaction
		// can't be finished while a snapshot is open.
		err := s.t.view(ctx, func(r reader) (err error) {
			hits, before, err = h.page(r, before)
			return errors.Join(err, ctx.Err()) // a canceled search may have missed hits
		})
		if err != nil {
			return err
		}
		for _, hit := range hits {
			if !each(hit) {
				return nil
			}
			if given++; given == q.Limit {
				return nil
			}
		}
	}
	return h.damaged
}

// historyPage is how many versions are searched in one snapshot.
const historyPage = 1000

type historySearch struct {
	s       *Store
	ctx     context.Context
	q       Query
	terms   []match.Term
	answers map[int64]bool // by blob: whether its text matches
	covered map[int64]int  // by memory: the lowest number of the versions that are already in a hit
	damaged error          // error of a content that could not be read
}

// pastVersion is what a search needs to know of a version.
type pastVersion struct {
	row, memory int64
	number      int
	blob        int64
}

// page searches the versions before a row and returns the runs that end there. next is where the
// next page starts, or 0 at the end.
func (h *historySearch) page(r reader, before int64) (hits []HistoryHit, next int64, err error) {
	vs, next, err := h.versions(r, before)
	if err != nil {
		return nil, 0, err
	}
	if err := h.judgeAll(r, vs); err != nil {
		return nil, 0, err
	}
	for _, v := range vs {
		if low, ok := h.covered[v.memory]; ok && v.number >= low || !h.answers[v.blob] {
			continue
		}
		hit, err := h.run(r, v)
		if errors.Is(err, ErrDamaged) {
			h.damaged = err
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		hits = append(hits, hit)
	}
	return hits, next, nil
}

func (h *historySearch) versions(r reader, before int64) (vs []pastVersion, next int64, err error) {
	where, args := "", []any{h.s.id, before}
	if !h.q.In.IsRoot() {
		k := key(h.q.In)
		where = ` AND v.memory IN (SELECT memory FROM version WHERE path=? OR path>? AND path<?)`
		args = append(args, k, k+"/", k+"0")
	}
	n := 0
	for row, err := range r.Each(`SELECT v.id,v.memory,v.number,coalesce(v.blob,0) FROM version v JOIN memory m ON m.id=v.memory
		WHERE m.store=? AND v.id<?`+where+` ORDER BY v.id DESC LIMIT ?`, append(args, historyPage)...) {
		if err != nil {
			return nil, 0, err
		}
		var v pastVersion
		if err := row.Scan(&v.row, &v.memory, &v.number, &v.blob); err != nil {
			return nil, 0, err
		}
		if n++; n == historyPage {
			next = v.row
		}
		if v.blob != 0 {
			vs = append(vs, v)
		}
	}
	return vs, next, nil
}

// run returns the run of versions that ends with v. It starts right after the newest version before
// v that does not match.
func (h *historySearch) run(r reader, v pastVersion) (hit HistoryHit, err error) {
	first := v
	for before := v.number; before > 0; {
		older, err := h.older(r, v.memory, before)
		if err != nil {
			return hit, err
		}
		if err := h.judgeAll(r, older); err != nil {
			return hit, err
		}
		before = 0
		for _, o := range older {
			if !h.answers[o.blob] {
				before = 0
				break
			}
			first, before = o, o.number
		}
	}
	h.covered[v.memory] = first.number
	for _, end := range []struct {
		row int64
		to  *Version
	}{{v.row, &hit.Last}, {first.row, &hit.First}} {
		st, err := scanVersion(r.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, end.row))
		if err != nil {
			return hit, err
		}
		*end.to = st.Version
	}
	if err := r.Row(`SELECT NOT EXISTS(SELECT 1 FROM version WHERE memory=? AND number>?)`, v.memory, v.number).Scan(&hit.Stands); err != nil {
		return hit, err
	}
	text, err := blobs.Get(r, v.blob)
	if err != nil {
		return hit, err
	}
	spans := match.All(h.terms, text)
	hit.Count, hit.Lines = len(spans), h.q.excerpt().Of(h.terms, text, spans)
	return hit, nil
}

// older lists some versions of a memory below a number, newest first.
func (h *historySearch) older(r reader, memory int64, before int) (out []pastVersion, err error) {
	for row, err := range r.Each(`SELECT id,memory,number,coalesce(blob,0) FROM version WHERE memory=? AND number<? ORDER BY number DESC LIMIT 20`, memory, before) {
		if err != nil {
			return nil, err
		}
		var v pastVersion
		if err := row.Scan(&v.row, &v.memory, &v.number, &v.blob); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// judgeAll searches the contents that were not searched yet.
func (h *historySearch) judgeAll(r reader, vs []pastVersion) error {
	var ids strings.Builder
	for _, v := range vs {
		if _, known := h.answers[v.blob]; !known && v.blob != 0 {
			h.answers[v.blob] = false
			fmt.Fprintf(&ids, ",%d", v.blob)
		}
	}
	if ids.Len() == 0 {
		return nil
	}
	j := h.judges(r)
	for b, err := range blobs.EachPacked(r, "["+ids.String()[1:]+"]") {
		if err != nil {
			return errors.Join(err, j.wait())
		}
		j.todo <- b
	}
	return j.wait()
}

// judges decode and search contents on all cores.
type judges struct {
	h    *historySearch
	r    reader
	todo chan blobs.Packed
	all  memfs.Group
	mu   sync.Mutex
	errs []error
}

func (h *historySearch) judges(r reader) *judges {
	j := &judges{h: h, r: r, todo: make(chan blobs.Packed, 64)}
	for range runtime.GOMAXPROCS(0) {
		j.all.Go(j.work)
	}
	return j
}

func (j *judges) wait() error {
	close(j.todo)
	j.all.Wait()
	return errors.Join(j.errs...)
}

func (j *judges) work() {
	defer func() { // also after a panic: nobody may wait for room forever
		for range j.todo {
		}
	}()
	var buf []byte
	var f match.Finder
	var yes []int64
	var errs []error
	for b := range j.todo {
		text, err := b.Text(j.r, &buf)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if f.HoldsAll(j.h.terms, text) {
			yes = append(yes, b.ID)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, err := range errs {
		if errors.Is(err, ErrDamaged) {
			j.h.damaged = err
		} else {
			j.errs = append(j.errs, err)
		}
	}
	for _, id := range yes {
		j.h.answers[id] = true
	}
}
