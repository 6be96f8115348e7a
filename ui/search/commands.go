package search

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/fuzzy"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/match"
)

const (
	maxHits  = 300 // memories or runs of versions that are listed
	maxLines = 5   // lines of each
)

// row is the heading of a hit, or a line of it.
type row struct {
	origin     *origin // where, if all stores are searched
	heading    bool
	name       bool // only the path matched
	path       memfs.Path
	spans      []match.Span // in the path, without its first slash
	count      int
	memory     versions.MemoryID
	line       int // from 1; 0 for a match in the path alone
	text       string
	cut        [2]bool // text was cut before and after
	highlights []match.Span

	past    bool
	current bool // the memory contains it now
	version versions.VersionID
	first   versions.Version // of a past hit: the run of versions that contain it
	last    versions.Version

	item *versions.PlanItem // of a replacement
	hit  int                // its number in the memory, from 1; 0 for the memory
	with string             // what the hit becomes
	note bool               // not selectable
}

// selectable reports whether the cursor can be on it.
func (r *row) selectable() bool { return r.item != nil || !r.heading }

// findings is the result of a search.
type findings struct {
	rows   []row
	found  int
	more   bool
	near   string
	unread int
	notes  []row // what could not be searched
	names  names
}

// names are the paths for the search by letters.
type names struct {
	entries []versions.Entry
	all     []fuzzy.Candidate // of the same entries; nil until the first search
}

// maxNames is how many paths are listed.
const maxNames = 1000

// findNames finds entries by letters of their paths; without a query, those that changed
// last.
func findNames(in names, query string) findings {
	if in.all == nil {
		in.all = make([]fuzzy.Candidate, len(in.entries))
		for i := range in.entries {
			in.all[i] = fuzzy.New(in.entries[i].Path.Rel())
		}
	}
	found := fuzzy.Find(in.all, query)
	if strings.TrimSpace(query) == "" {
		slices.SortStableFunc(found, func(a, b fuzzy.Match) int {
			return in.entries[b.Index].Time.Compare(in.entries[a.Index].Time)
		})
	}
	f := findings{found: len(found), more: len(found) > maxNames, names: in}
	for _, m := range found[:min(len(found), maxNames)] {
		e := &in.entries[m.Index]
		r := row{path: e.Path, memory: e.Memory, current: true, version: e.Version, name: true}
		for _, at := range in.all[m.Index].Letters(query) {
			r.spans = append(r.spans, match.Span{Start: at, End: at + 1})
		}
		f.rows = append(f.rows, r)
	}
	return f
}

// query parses what is typed: words or a regular expression, and in:FOLDER.
func (p *Pane) query() (versions.Query, bool) {
	q := versions.Query{Lines: maxLines, Limit: maxHits, Regexp: p.regexp && p.scope != Names}
	q.Text, q.In = cutFolder(p.input.Value)
	if q.Regexp {
		return q, q.Text != ""
	}
	return q, strings.Trim(q.Text, `" `) != ""
}

// cutFolder cuts in:FOLDER out of the query, wherever it is; the rest is unchanged, because
// blanks matter in a regular expression.
func cutFolder(typed string) (string, memfs.Path) {
	in := memfs.Root
	for at := 0; at < len(typed); {
		i := strings.Index(typed[at:], "in:")
		if i < 0 {
			break
		}
		start := at + i
		if at = start + len("in:"); start > 0 && typed[start-1] != ' ' {
			continue
		}
		name, _, _ := strings.Cut(typed[at:], " ")
		path, err := memfs.ParsePath("/" + strings.TrimPrefix(name, "/"))
		before, after := typed[:start], typed[at+len(name):]
		if after != "" {
			after = after[1:]
		} else if before != "" {
			before = before[:len(before)-1]
		}
		if err == nil {
			in = path
		}
		typed, at = before+after, len(before)
	}
	return typed, in
}

func find(ctx context.Context, store Store, q versions.Query) (f findings, err error) {
	hits := 0
	found, err := store.Search(ctx, q, func(h versions.Hit) bool {
		hits++
		f.rows = append(f.rows, rowsOf(h)...)
		return true
	})
	f.found, f.more, f.unread = found.Memories, found.Memories > hits, len(found.Unread)
	if err == nil && hits == 0 && !q.Regexp {
		near, _ := store.Near(ctx, q) // without them, it says only that nothing was found
		f.near = wording.Near(near, func(word string) string { return "“" + word + "”" })
	}
	return f, err
}

func rowsOf(h versions.Hit) []row {
	rows := []row{{heading: true, path: h.Path, spans: h.Spans, count: h.Count, memory: h.Memory, current: true, version: h.Version}}
	for _, l := range h.Lines {
		rows = append(rows, row{path: h.Path, memory: h.Memory, current: true, version: h.Version, line: l.Number, text: l.Text, cut: [2]bool{l.Before, l.After}, highlights: l.Spans})
	}
	if len(h.Lines) == 0 { // only the path matched: the heading can be selected
		rows = append(rows, row{path: h.Path, memory: h.Memory, current: true, version: h.Version, text: "in the path"})
	}
	return rows
}

func findPast(ctx context.Context, store Store, q versions.Query) (f findings, err error) {
	err = store.SearchHistory(ctx, q, func(h versions.HistoryHit) bool {
		if f.found == maxHits {
			f.more = true
			return false
		}
		f.found++
		f.rows = append(f.rows, pastRows(h)...)
		return true
	})
	return f, err
}

func pastRows(h versions.HistoryHit) []row {
	base := row{path: h.Last.Path, memory: h.Last.Memory, past: true, current: h.Stands, version: h.Last.ID, first: h.First, last: h.Last}
	head := base
	head.heading, head.count = true, h.Count
	rows := []row{head}
	for _, l := range h.Lines {
		r := base
		r.line, r.text, r.cut, r.highlights = l.Number, l.Text, [2]bool{l.Before, l.After}, l.Spans
		rows = append(rows, r)
	}
	return rows
}

// shownStore provides the content of the selected hit to the preview: the current memory,
// or a version.
type shownStore struct {
	Store
	version atomic.Pointer[versions.VersionID]
}

func (s *shownStore) show(r *row) {
	if r.past && !r.current {
		s.version.Store(&r.version)
	} else {
		s.version.Store(nil)
	}
}

// Open opens the memory at p, or the version that is shown.
func (s *shownStore) Open(ctx context.Context, p memfs.Path) (versions.File, error) {
	v := s.version.Load()
	if v == nil {
		return s.Store.Open(ctx, p)
	}
	b, err := s.Content(ctx, *v)
	if err != nil {
		return nil, err
	}
	return wholeFile{bytes.NewReader(b)}, nil
}

// wholeFile is a content that is held in memory.
type wholeFile struct{ *bytes.Reader }

func (wholeFile) Close() error { return nil }
