package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtrail/memtrail/memfs"
)

// Replacement says what is to stand in the place of what a query finds.
type Replacement struct {
	// Query is what is looked for in the texts, not in the paths: one word, one
	// phrase in quotes, or a regular expression. All memories that hold it are
	// concerned; Limit is how many hits are told in all, Lines how many of each
	// memory, 0 means all.
	Query Query
	// With is what stands there afterwards, as it is written, whatever the case of
	// what was found. In that of a regular expression $1 and ${name} are what its
	// groups found, $$ is a dollar sign, \n is a line end as the memory has them, \t
	// a tab and \\ a backslash.
	With string
}

// ReplacedHit is one place that is replaced.
type ReplacedHit struct {
	FoundLine        // with nothing found but this one
	With      string // what stands there afterwards, or the beginning of it
}

// Why a memory is left out of a replacement.
var (
	ErrNotText   = errors.New("it is not UTF-8 text")
	ErrProtected = errors.New("the file or its folder is read-only")
)

// maxReplacedBytes bounds what one plan to replace holds.
var maxReplacedBytes = int64(256 << 20)

// PlanReplace plans to replace what a query finds, wherever it stands now; it looks
// at the folder first. What can't be replaced is in Plan.Skipped: files that are not
// text, that are read-only or can't be read, and memories that would be larger than
// the store allows. Applied, it is one edit with a version for each memory, if each
// still holds what it held; memories that hold the text only since then stay as
// they are.
func (s *Store) PlanReplace(ctx context.Context, r Replacement) (*Plan, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	q := r.Query
	q.Limit, q.Lines = 0, 1
	g := goal{replace: &replacing{Replacement: r}}
	found, err := s.Search(ctx, q, func(h Hit) bool {
		if h.Count > 0 {
			g.replace.memories = append(g.replace.memories, h.Memory)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	p, err := s.plan(ctx, func(reader) (goal, error) { return g, nil })
	if err == nil {
		err = ctx.Err() // what was stopped may be half of it
	}
	if err != nil {
		return nil, err
	}
	p.Skipped = append(append(p.Skipped, found.Unread...), s.tooBigIn(q.In)...)
	slices.SortStableFunc(p.Skipped, func(a, b UnreadText) int { return comparePaths(a.Path, b.Path) })
	g.replace.memories = g.replace.memories[:0] // only what was agreed to is looked at again
	for _, it := range slices.Concat(p.Clean, p.Nothing) {
		g.replace.memories = append(g.replace.memories, it.Memory)
	}
	return p, nil
}

// tooBigIn are files that are too large for versions, and so for a search.
func (s *Store) tooBigIn(at memfs.Path) (out []UnreadText) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, e := range s.others {
		if e.Kind == TooBig && e.Path.In(at) {
			out = append(out, UnreadText{e.Path, memfs.ErrTooBig})
		}
	}
	return out
}

// In is a text with its hits replaced, but for those that are left out, by their
// numbers from 0.
func (r Replacement) In(ctx context.Context, text []byte, except ...int) ([]byte, error) {
	rep, err := newReplacer(r, ctx.Done())
	if err != nil {
		return nil, err
	}
	out, _, _ := rep.in(text, except, math.MaxInt64)
	return out, ctx.Err()
}

// Check says why this can't be looked for or put in: ErrInvalid or *PatternError.
func (r Replacement) Check() error {
	_, err := newReplacer(r, nil)
	return err
}

// replacing is the goal of a replacement.
type replacing struct {
	Replacement
	memories []MemoryID // that hold what is looked for
}

// replacer finds and replaces.
type replacer struct {
	terms []term // one
	with  string
	hits  finder
}

func newReplacer(r Replacement, done <-chan struct{}) (*replacer, error) {
	rep := &replacer{with: r.With}
	if !utf8.ValidString(r.With) {
		return nil, fmt.Errorf("replace: %w: what is put in is not UTF-8", ErrInvalid)
	}
	if !r.Query.Regexp {
		if rep.terms = r.Query.words(); len(rep.terms) != 1 {
			return nil, fmt.Errorf("replace: %w: look for one word, one \"phrase in quotes\" or a regular expression", ErrInvalid)
		}
		return rep, nil
	}
	e, err := newExpression(r.Query.expression(), done)
	if err != nil {
		return nil, err
	}
	e.parts = true
	rep.terms = []term{{expr: e}}
	return rep, nil
}

// each gives the places that are replaced, in order, with what stands there
// afterwards, which is good until do returns. They do not overlap.
func (r *replacer) each(text []byte, do func(at Span, with []byte) bool) {
	t := &r.terms[0]
	r.hits.start(t, text)
	if t.expr == nil {
		for at, ok := r.hits.find(); ok && do(at, []byte(r.with)); at, ok = r.hits.find() {
		}
		return
	}
	x := &r.hits.expr
	template := unescape(r.with, lineEnd(text))
	var made []byte
	for at, groups, ok := x.find(); ok; at, groups, ok = x.find() {
		made = t.expr.re.Expand(made[:0], template, text[x.start:], groups)
		if !do(at, made) {
			return
		}
	}
}

// in is the text with its hits replaced, but for some, and how many bytes that is
// and how many were replaced. Beyond a size it is counted, and not made.
func (r *replacer) in(text []byte, except []int, limit int64) (out []byte, size int64, done int) {
	stays := map[int]bool{}
	for _, n := range except {
		stays[n] = true
	}
	out = make([]byte, 0, len(text)+len(text)/16)
	size = int64(len(text))
	n, from := -1, 0
	r.each(text, func(at Span, with []byte) bool {
		if n++; stays[n] {
			return true
		}
		done++
		if size += int64(len(with) - (at.End - at.Start)); int64(len(out)) <= limit {
			out = append(append(out, text[from:at.Start]...), with...)
		}
		from = at.End
		return true
	})
	return append(out, text[from:]...), size, done
}

// tell lists the first hits of a text, most at most.
func (r *replacer) tell(text []byte, width, most int) (hits []ReplacedHit) {
	if most <= 0 {
		return nil
	}
	number, counted := 1, 0
	r.each(text, func(at Span, with []byte) bool {
		start := bytes.LastIndexByte(text[:at.Start], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[at.Start:], '\n'); n >= 0 {
			end = at.Start + n
		}
		number += bytes.Count(text[counted:start], []byte("\n"))
		counted = start
		h := ReplacedHit{cutLine(text, start, end, []Span{at}, width), string(with[:runeStart(with, min(len(with), width))])}
		h.Number = number
		hits = append(hits, h)
		return len(hits) < most
	})
	return hits
}

// unescape reads the backslashes of what a regular expression is replaced with.
func unescape(with, eol string) []byte {
	return []byte(strings.NewReplacer(`\\`, `\`, `\n`, eol, `\t`, "\t").Replace(with))
}

// lineEnd is how a text ends its lines.
func lineEnd(text []byte) string {
	if n := bytes.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// collectReplace plans for the memories that were found.
func (p *planner) collectReplace() error {
	var err error
	if p.replacer, err = newReplacer(p.goal.replace.Replacement, p.done); err != nil {
		return err
	}
	limits, err := p.s.limitsNow(p.q)
	if err != nil {
		return err
	}
	p.largest = limits.Bytes
	p.asked = asked{kind: KindEdit, path: p.goal.replace.Query.In}
	for _, id := range p.goal.replace.memories {
		it := planned{id: id}
		if err := p.q.row(`SELECT id FROM memory WHERE uid=? AND store=?`, parseUID(memoryPrefix, string(id)), p.s.id).Scan(&it.memory); err != nil {
			return notFound(err, ErrNoMemory, string(id))
		}
		p.items = append(p.items, &it)
	}
	return nil
}

// replaceIn works out what becomes of one memory when its hits are replaced, but
// for some.
func (p *planner) replaceIn(it *planned, except []int) error {
	if it.want.text != nil {
		p.made -= it.want.size
	}
	it.want, it.barred, it.hits = it.now, nil, 0
	if !it.now.live() {
		return nil
	}
	text, err := it.now.content(p.q)
	if errors.Is(err, ErrRedacted) {
		it.barred, err = ErrRedacted, nil
	}
	if err != nil || it.barred != nil {
		return err
	}
	made, size, hits := p.replacer.in(text, except, max(p.largest, it.now.size))
	if it.hits = hits; hits == 0 || size == it.now.size && bytes.Equal(made, text) {
		return nil
	}
	if it.barred = p.barred(it.now.path, text, size); it.barred != nil {
		return nil
	}
	if p.made += size; p.made > maxReplacedBytes {
		return fmt.Errorf("%s: that is more than %d MiB of texts at once: narrow it to a folder", p.goal.doing(), maxReplacedBytes>>20)
	}
	it.want = place{path: it.now.path, text: made, sha: sum(made), size: size}
	return nil
}

// tellHits says what is replaced in a memory.
func (p *planner) tellHits(item *PlanItem, it *planned) error {
	item.Hits = it.hits
	text, err := it.now.content(p.q)
	if err == nil {
		q := p.goal.replace.Query
		most := it.hits
		if q.Lines > 0 {
			most = min(most, q.Lines)
		}
		if q.Limit > 0 {
			most = min(most, q.Limit-p.told)
		}
		item.Replaced = p.replacer.tell(text, q.width(), most)
		p.told += len(item.Replaced)
	}
	return err
}

// barred says why a memory can't be made another text of some size.
func (p *planner) barred(at memfs.Path, text []byte, size int64) error {
	if !utf8.Valid(text) {
		return ErrNotText
	}
	if size > p.largest && size > int64(len(text)) {
		return &LimitError{p.s.info.Name, at, size, p.largest}
	}
	for _, file := range []memfs.Path{at, at.Dir()} {
		if info, err := p.dir.Lstat(file); err == nil && info.Mode.Perm()&0o222 == 0 {
			return ErrProtected
		}
	}
	return nil
}

// narrowAsked names what is edited by the memories that are.
func (p *planner) narrowAsked() {
	var paths []memfs.Path
	for _, it := range p.items {
		if !it.skipped && it.want.sha != it.now.sha {
			paths = append(paths, it.now.path)
		}
	}
	p.asked.path = common(paths)
}
