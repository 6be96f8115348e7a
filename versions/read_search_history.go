package versions

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// HistoryHit is versions of one memory, one after the other, whose texts all
// answer a query.
type HistoryHit struct {
	First, Last Version      // the same when it is one version; their changed lines are not counted
	Stands      bool         // Last is what the memory holds now
	Count       int          // how many places in the text of Last
	Lines       []match.Line // of Last
}

// SearchHistory finds texts in all versions of all memories, those redacted left
// out, and gives each run of versions that hold what was asked for to each, the
// run with the newest version first, until it returns false. All words must stand
// in the text; the path does not count. q.In chooses memories that were ever
// there, with all their versions.
//
// Every content is looked at once, however many versions hold it. One that is damaged
// answers nothing; the error that says so comes after all hits. What is known to be lost
// is passed over.
func (s *Store) SearchHistory(ctx context.Context, q Query, each func(HistoryHit) bool) error {
	terms, err := q.text().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return err
	}
	h := &historySearch{s: s, ctx: ctx, q: q, terms: terms, answers: map[int64]bool{}, covered: map[int64]int{}}
	given := 0
	for before := int64(1 << 62); before > 0; {
		var hits []HistoryHit
		// A snapshot for each page, and none while the caller is busy: a redaction
		// can't be finished as long as one is open.
		err := s.t.view(ctx, func(r reader) (err error) {
			hits, before, err = h.page(r, before)
			return errors.Join(err, ctx.Err()) // of a search that was stopped the hits may be half of it
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

// historyPage is how many versions are looked at in one snapshot.
const historyPage = 1000

type historySearch struct {
	s       *Store
	ctx     context.Context
	q       Query
	terms   []match.Term
	answers map[int64]bool // by blob: whether its text answers
	covered map[int64]int  // by memory: down to which number its versions are known to answer
	damaged error          // of a content that could not be looked at
}

// pastVersion is a version as far as a search looks at it.
type pastVersion struct {
	row, memory int64
	number      int
	blob        int64
}

// page looks at the versions before a row and gives the runs that end there;
// next is where the next page begins, 0 when there is none.
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

// run is the run of versions that ends with v: how far down it goes is known
// when a version is met that does not answer.
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
	text, err := blobContent(r, v.blob)
	if err != nil {
		return hit, err
	}
	spans := match.All(h.terms, text)
	hit.Count, hit.Lines = len(spans), h.q.excerpt().Of(h.terms, text, spans)
	return hit, nil
}

// older lists some versions of a memory below a number, the newest first.
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

// judgeAll finds out which contents answer that nobody looked at yet.
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
	for row, err := range r.Each(`SELECT id,size,enc,data FROM blob WHERE enc<16 AND id IN (SELECT value FROM json_each(?))`, "["+ids.String()[1:]+"]") {
		if err != nil {
			return errors.Join(err, j.wait())
		}
		var b packed
		if err := row.Scan(&b.id, &b.size, &b.enc, &b.data); err != nil {
			return errors.Join(err, j.wait())
		}
		j.todo <- b
	}
	return j.wait()
}

// packed is a content as it is stored.
type packed struct {
	id        int64
	size, enc int
	data      []byte
}

// judges decode contents and look at them, on all cores.
type judges struct {
	h    *historySearch
	r    reader
	todo chan packed
	all  memfs.Group
	mu   sync.Mutex
	errs []error
}

func (h *historySearch) judges(r reader) *judges {
	j := &judges{h: h, r: r, todo: make(chan packed, 64)}
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

// manyDecoder decodes for several goroutines at once.
var manyDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		panic(err)
	}
	return d
})

func (j *judges) work() {
	defer func() { // also when it fell: nobody must wait for room
		for range j.todo {
		}
	}()
	var buf []byte
	var f match.Finder
	var yes []int64
	var errs []error
	for b := range j.todo {
		text, err := j.text(b, &buf)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if f.HoldsAll(j.h.terms, text) {
			yes = append(yes, b.id)
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

// text decodes a content; what zstd packed carries a checksum, and what is handed
// out of those that answer is compared with its hash.
func (j *judges) text(b packed, buf *[]byte) ([]byte, error) {
	if b.enc != encZstd {
		text, err := decode(j.r, b.id, b.size, b.enc, b.data)
		if err != nil {
			err = fmt.Errorf("%w: content %d: %w", ErrDamaged, b.id, err)
		}
		return text, err
	}
	text, err := manyDecoder().DecodeAll(b.data, (*buf)[:0])
	if err != nil {
		return nil, fmt.Errorf("%w: content %d: %v", ErrDamaged, b.id, err)
	}
	*buf = text
	return text, nil
}
