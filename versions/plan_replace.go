package versions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/match"
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

// Why a memory is left out of a replacement.
var (
	ErrNotText   = errors.New("it is not UTF-8 text")
	ErrProtected = errors.New("the file or its folder is read-only")
)

// maxReplacedBytes bounds what one plan to replace holds.
const maxReplacedBytes = 256 << 20

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
	rep, err := r.replacer(ctx.Done())
	if err != nil {
		return nil, err
	}
	out, _, _ := rep.Replace(text, except, math.MaxInt64)
	return out, ctx.Err()
}

// Check says why this can't be looked for or put in: ErrInvalid or *PatternError.
func (r Replacement) Check() error {
	_, err := r.replacer(nil)
	return err
}

func (r Replacement) replacer(done <-chan struct{}) (*match.Replacer, error) {
	rep, err := match.NewReplacer(r.Query.text(), r.With, done)
	if bad := (*match.PatternError)(nil); err != nil && !errors.As(err, &bad) {
		err = fmt.Errorf("replace: %w: %w", ErrInvalid, err)
	}
	return rep, err
}

// replacing is the goal of a replacement.
type replacing struct {
	Replacement
	memories []MemoryID // that hold what is looked for
}

// collectReplace plans for the memories that were found.
func (p *planner) collectReplace() error {
	var err error
	if p.replacer, err = p.goal.replace.replacer(p.done); err != nil {
		return err
	}
	limits, err := p.s.limitsNow(p.q)
	if err != nil {
		return err
	}
	p.largest = limits.Bytes
	p.asked = request{kind: KindEdit, path: p.goal.replace.Query.In}
	for _, id := range p.goal.replace.memories {
		it := planned{id: id}
		if err := p.q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(id)), p.s.id).Scan(&it.memory); err != nil {
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
	made, size, hits := p.replacer.Replace(text, except, max(p.largest, it.now.size))
	if it.hits = hits; hits == 0 || size == it.now.size && bytes.Equal(made, text) {
		return nil
	}
	if it.barred = p.barred(it.now.path, text, size); it.barred != nil {
		return nil
	}
	if p.made += size; p.made > p.s.t.maxReplaced {
		return fmt.Errorf("%s: that is more than %d MiB of texts at once: narrow it to a folder", p.goal.doing(), p.s.t.maxReplaced>>20)
	}
	it.want = place{path: it.now.path, text: made, sha: sum(made), size: size}
	return nil
}

// reportHits says what is replaced in a memory.
func (p *planner) reportHits(item *PlanItem, it *planned) error {
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
		item.Replaced = p.replacer.Preview(text, q.Width, most)
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
