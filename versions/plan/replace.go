package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/planning"
)

// Replacement is the goal of replacing the text that a query finds in the current memories, as one edit with a version
// for each memory. Plan.Skipped lists what can't be replaced: files that are not text,
// read-only or unreadable files, and memories that would exceed the store's size limit.
type Replacement struct {
	// Query finds hits in texts, not in paths. It is one word, one phrase in quotes, or a
	// regular expression. The replacement covers every memory with a hit; Limit bounds the
	// hits reported in total and Lines those of each memory, and 0 means all.
	Query versions.Query
	// With is the new text. It is inserted literally, whatever the case of the hit. With a
	// regular expression, $1 and ${name} insert groups, $$ is a dollar sign, \n is a line end
	// in the style of the memory, \t is a tab and \\ is a backslash.
	With string

	memories []versions.MemoryID   // with a hit
	unread   []versions.UnreadText // by the search
}

// searched returns a goal with what a search finds for it. Only a replacement needs one, and it must not run in a
// transaction: it reads the files.
func searched(ctx context.Context, s *core.Store, g Goal) (Goal, error) {
	r, ok := g.(Replacement)
	if !ok {
		return g, nil
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	q := r.Query
	q.Limit, q.Lines = 0, 1
	r.memories = nil
	found, err := history.Search(ctx, s, q, func(h versions.Hit) bool {
		if h.Count > 0 {
			r.memories = append(r.memories, h.Memory)
		}
		return true
	})
	r.unread = found.Unread
	return r, err
}

// show orders what the plan of a replacement leaves out. When it is applied, only the memories that it shows are looked at: those
// that gained a hit since then stay as they are.
func (r Replacement) show(out *Plan) {
	slices.SortStableFunc(out.Skipped, func(a, b versions.UnreadText) int { return versions.ComparePaths(a.Path, b.Path) })
	r.memories = nil
	for _, it := range slices.Concat(out.Clean, out.Nothing) {
		r.memories = append(r.memories, it.Memory)
	}
	out.Goal = r
}

// tooBigIn lists the files that are too large for versions and therefore for a search.
func tooBigIn(s *core.Store, at memfs.Path) (out []versions.UnreadText) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, e := range s.Others {
		if e.Kind == versions.TooBig && e.Path.In(at) {
			out = append(out, versions.UnreadText{Path: e.Path, Err: memfs.ErrTooBig})
		}
	}
	return out
}

// In returns a text with its hits replaced, except those whose numbers, from 0, are in
// except.
func (r Replacement) In(ctx context.Context, text []byte, except ...int) ([]byte, error) {
	rep, err := r.replacer(ctx.Done())
	if err != nil {
		return nil, err
	}
	out, _, _ := rep.Replace(text, except, math.MaxInt64)
	return out, ctx.Err()
}

// Check returns why the replacement is invalid: ErrInvalid or a *PatternError.
func (r Replacement) Check() error {
	_, err := r.replacer(nil)
	return err
}

func (r Replacement) replacer(done <-chan struct{}) (*match.Replacer, error) {
	rep, err := match.NewReplacer(r.Query.TextPart(), r.With, done)
	if bad := (*match.PatternError)(nil); err != nil && !errors.As(err, &bad) {
		err = fmt.Errorf("replace: %w: %w", versions.ErrInvalid, err)
	}
	return rep, err
}

func (r Replacement) String() string { return "replace " + r.Query.Text }

func (r Replacement) collect(p *Planner) error {
	var err error
	if p.replacer, err = r.replacer(p.Done); err != nil {
		return err
	}
	limits, err := core.LimitsNow(p.Store, p.Reader)
	if err != nil {
		return err
	}
	p.largest, p.shown.Replace = limits.Bytes, &r
	p.shown.Skipped = slices.Concat(r.unread, tooBigIn(p.Store, r.Query.In))
	p.asked = core.Request{Kind: versions.KindEdit, Path: r.Query.In}
	for _, id := range r.memories {
		it := Planned{Memory: planning.Memory{ID: id}}
		if err := p.Reader.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(id)), p.Store.Row).Scan(&it.Row); err != nil {
			return tables.NotFound(err, versions.ErrNoMemory, string(id))
		}
		p.Items = append(p.Items, &it)
	}
	return nil
}

// replaceIn computes the new text of one memory, leaving out the hits in except.
func (p *Planner) replaceIn(it *Planned, except []int) error {
	if it.Want.Text != nil {
		p.made -= it.Want.Size
	}
	it.Want, it.excluded, it.hits = it.Now, nil, 0
	if !it.Now.Live() {
		return nil
	}
	text, err := p.text(it.Now)
	if errors.Is(err, versions.ErrRedacted) {
		it.excluded, err = versions.ErrRedacted, nil
	}
	if err != nil || it.excluded != nil {
		return err
	}
	made, size, hits := p.replacer.Replace(text, except, max(p.largest, it.Now.Size))
	if it.hits = hits; hits == 0 || size == it.Now.Size && bytes.Equal(made, text) {
		return nil
	}
	if it.excluded = p.exclude(it.Now.Path, text, size); it.excluded != nil {
		return nil
	}
	if p.made += size; p.made > p.Store.Trail.MaxReplaced {
		return fmt.Errorf("%s: that is more than %d MiB of texts at once: narrow it to a folder", p.Goal, p.Store.Trail.MaxReplaced>>20)
	}
	it.Want = planning.WithText(it.Now.Path, made)
	return nil
}

// reportHits adds the hits of a memory to its item.
func (p *Planner) reportHits(item *versions.PlanItem, it *Planned) error {
	item.Hits = it.hits
	text, err := p.text(it.Now)
	if err == nil {
		q := p.shown.Replace.Query
		maxHits := it.hits
		if q.Lines > 0 {
			maxHits = min(maxHits, q.Lines)
		}
		if q.Limit > 0 {
			maxHits = min(maxHits, q.Limit-p.reported)
		}
		item.Replaced = p.replacer.Preview(text, q.Width, maxHits)
		p.reported += len(item.Replaced)
	}
	return err
}

// exclude returns why a memory can't get a new text of the given size.
func (p *Planner) exclude(at memfs.Path, text []byte, size int64) error {
	if !utf8.Valid(text) {
		return versions.ErrNotText
	}
	if size > p.largest && size > int64(len(text)) {
		return &versions.LimitError{Store: p.Store.Opened.Name, Path: at, Bytes: size, Limit: p.largest}
	}
	for _, file := range []memfs.Path{at, at.Dir()} {
		if info, err := p.Dir.Lstat(file); err == nil && info.Mode.Perm()&0o222 == 0 {
			return versions.ErrProtected
		}
	}
	return nil
}

// narrowAsked sets the path of the edit to the common folder of its memories.
func (p *Planner) narrowAsked() {
	var paths []memfs.Path
	for _, it := range p.Items {
		if !it.Skipped && it.Want.SHA256 != it.Now.SHA256 {
			paths = append(paths, it.Now.Path)
		}
	}
	p.asked.Path = versions.Common(paths)
}
