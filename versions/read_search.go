package versions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/match"
)

// Query is what Search searches for.
type Query struct {
	// Text is words and "quoted phrases". All of them must occur, in any order, each in the
	// memory's path or its text. Without a capital letter, case is ignored. A word also matches
	// inside of words.
	Text string
	// Regexp means that Text is one regular expression instead (see match.Compile). It is matched
	// line by line, and empty matches don't count.
	Regexp bool
	// AnyCase ignores case, whatever the case of Text.
	AnyCase bool
	In      memfs.Path // only this memory, or the memories below this folder
	Limit   int        // most hits; 0 means all
	Lines   int        // most lines of each hit, those with the most matches; 0 means all
	Around  int        // lines of context before and after each of these
	Width   int        // most bytes of a line that are shown; 0 is match.DefaultWidth
}

func (q Query) text() match.Query {
	return match.Query{Text: q.Text, Regexp: q.Regexp, AnyCase: q.AnyCase}
}

func (q Query) excerpt() match.Excerpt {
	return match.Excerpt{Lines: q.Lines, Around: q.Around, Width: q.Width}
}

// Pattern returns a regular expression (see match.Compile) for the matches in a text.
func (q Query) Pattern() string { return q.text().Pattern() }

// Hit is a memory that matches a query.
type Hit struct {
	Entry              // the memory's current state; the matches are in its version
	Score int          // higher is better; see match.Scorer
	Count int          // number of matches in the text
	Spans []match.Span // matches in the path, in bytes of Path.Rel()
	Lines []match.Line
}

// Found is what a search found besides its hits.
type Found struct {
	Memories int          // number of matching memories, of which at most Limit were returned
	Unread   []UnreadText // what could not be searched
}

// UnreadText is a file that could not be read.
type UnreadText struct {
	Path memfs.Path
	Err  error
}

// Search finds current memories and passes them to each, the best first, until each returns false.
// It first adopts a matching file that another program wrote.
//
// The first search of an open store reads the folder, the second caches what it reads, and later
// ones use the cached texts, up to 64 MB of them. Content that is not UTF-8 is searched by its
// bytes. An invalid regular expression is a *PatternError.
func (s *Store) Search(ctx context.Context, q Query, each func(Hit) bool) (Found, error) {
	terms, err := q.text().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return Found{}, err
	}
	if !q.In.IsRoot() {
		if _, err := s.folder().Lstat(q.In); err != nil {
			return Found{}, err
		}
	}
	best, found, err := s.search(ctx, q, terms)
	if err != nil {
		return found, err
	}
	for _, b := range best {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		h, err := s.hit(ctx, q, terms, b)
		if err == nil {
			err = ctx.Err() // the hit may be incomplete
		}
		if err != nil {
			return found, err
		}
		if !each(h) {
			break
		}
	}
	return found, nil
}

// scored is a memory that matches a query.
type scored struct {
	doc   *searchDoc
	score int
	head  *Entry // nil: no head has this text
}

// search returns the best matches. The text of each is the content of its head.
func (s *Store) search(ctx context.Context, q Query, terms []match.Term) ([]scored, Found, error) {
	leave, err := s.texts.enter(ctx)
	if err != nil {
		return nil, Found{}, err
	}
	defer leave()
	for try := 1; ; try++ {
		if err := s.refreshTexts(ctx); err != nil {
			return nil, Found{}, err
		}
		best, found, err := s.answers(ctx, q, terms)
		if err != nil {
			return nil, Found{}, err
		}
		wrong, err := s.withHeads(ctx, best)
		switch {
		case err != nil:
			return nil, Found{}, err
		case len(wrong) == 0:
			return best, found, nil
		case try == 1: // written by another program
			if _, err = s.Sync(ctx); Unrecorded(err) {
				err = nil
			}
		case try == 2: // written again in the meantime
			err = s.refetchAll(ctx, wrong)
		default:
			n := len(best)
			best = slices.DeleteFunc(best, func(a scored) bool { return a.head == nil })
			found.Memories -= n - len(best)
			return best, found, nil
		}
		if err != nil {
			return nil, Found{}, err
		}
	}
}

// answers scores all memories and returns the best.
func (s *Store) answers(ctx context.Context, q Query, terms []match.Term) ([]scored, Found, error) {
	type share struct {
		match.Scorer
		all []scored
		_   [64]byte // keeps the next element out of this core's cache line
	}
	shares := make([]share, memfs.Readers())
	for i := range shares {
		shares[i].Terms = terms
	}
	unread, err := s.eachText(ctx, q.In, func(n int, d *searchDoc) bool {
		sh := &shares[n]
		score := sh.Score(d.path.Rel(), d.text)
		if score > 0 {
			sh.all = append(sh.all, scored{doc: d, score: score})
		}
		return score > 0
	})
	if err != nil {
		return nil, Found{}, err
	}
	var all []scored
	for i := range shares {
		all = append(all, shares[i].all...)
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.doc.mtime, a.doc.mtime), strings.Compare(a.doc.path.Rel(), b.doc.path.Rel()))
	})
	found := Found{Memories: len(all), Unread: unread}
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return all, found, nil
}

// fewHeads is the largest number of heads that are read one by one. For more, all heads are read at
// once.
const fewHeads = 300

// withHeads fills in the heads of matches. It returns the paths where the searched text is not the
// head's content. These matches keep an empty head.
func (s *Store) withHeads(ctx context.Context, as []scored) (wrong []memfs.Path, err error) {
	find := func(p memfs.Path) (Entry, error) { return s.Entry(ctx, p) }
	if len(as) > fewHeads {
		all, err := s.Tree(ctx)
		if err != nil {
			return nil, err
		}
		find = func(p memfs.Path) (Entry, error) {
			i, ok := slices.BinarySearchFunc(all, p, func(e Entry, p memfs.Path) int { return comparePaths(e.Path, p) })
			if !ok || all[i].Kind != Memory {
				return Entry{}, ErrNoMemory
			}
			return all[i], nil
		}
	}
	for i := range as {
		a := &as[i]
		e, err := find(a.doc.path)
		if err != nil && !errors.Is(err, ErrNoMemory) {
			return nil, err
		}
		sha := a.doc.sha
		if a.doc.kept {
			sha = sum(a.doc.text)
		}
		if err != nil || e.SHA256 != sha {
			wrong = append(wrong, a.doc.path)
			continue
		}
		a.head = &e
	}
	return wrong, nil
}

func (s *Store) refetchAll(ctx context.Context, paths []memfs.Path) error {
	return s.t.view(ctx, func(q reader) error {
		for _, p := range paths {
			if err := s.refetch(q, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// hit returns a match with its matching lines.
func (s *Store) hit(ctx context.Context, q Query, terms []match.Term, a scored) (Hit, error) {
	text := a.doc.text
	if !a.doc.kept {
		var err error
		if text, err = s.Content(ctx, a.head.Version); err != nil {
			return Hit{}, err
		}
	}
	spans := match.All(terms, text)
	return Hit{
		Entry: *a.head, Score: a.score, Count: len(spans),
		Spans: match.All(terms, []byte(a.doc.path.Rel())),
		Lines: q.excerpt().Of(terms, text, spans),
	}, nil
}
