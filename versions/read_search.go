package versions

import (
	"context"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/search"
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
	Width   int        // most bytes of a line that are shown; 0 is match.DefaultWidth
}

func (q Query) text() match.Query {
	return match.Query{Text: q.Text, Regexp: q.Regexp, AnyCase: q.AnyCase}
}

func (q Query) excerpt() match.Excerpt {
	return match.Excerpt{Lines: q.Lines, Width: q.Width}
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
type UnreadText = search.Unread

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

// newTexts returns an empty cache of the store's texts.
func newTexts(s *Store) *search.Texts {
	view := func(ctx context.Context, read func(db.Queryer) error) error {
		return s.t.view(ctx, func(q reader) error { return read(q) })
	}
	return search.New(search.Source{View: view, Store: s.id, Folder: func() *memfs.Dir { return s.folder() }, MaxBytes: s.t.maxBytes})
}

// scored is a memory that matches a query.
type scored struct {
	search.Match
	head *Entry // nil: no head has this text
}

// search returns the best matches. The text of each is the content of its head.
func (s *Store) search(ctx context.Context, q Query, terms []match.Term) ([]scored, Found, error) {
	leave, err := s.texts.Enter(ctx)
	if err != nil {
		return nil, Found{}, err
	}
	defer leave()
	for try := 1; ; try++ {
		if err := s.texts.Refresh(ctx); err != nil {
			return nil, Found{}, err
		}
		matches, unread, err := s.texts.Best(ctx, q.In, terms)
		if err != nil {
			return nil, Found{}, err
		}
		found := Found{Memories: len(matches), Unread: unread}
		if q.Limit > 0 && len(matches) > q.Limit {
			matches = matches[:q.Limit]
		}
		best, wrong, err := s.withHeads(ctx, matches)
		switch {
		case err != nil:
			return nil, Found{}, err
		case len(wrong) == 0:
			return best, found, nil
		case try == 1: // written by another program
			if _, err = s.Sync(ctx); IsUnwritable(err) {
				err = nil
			}
		case try == 2: // written again in the meantime
			err = s.texts.Reread(ctx, wrong)
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

// fewHeads is the largest number of heads that are read one by one. For more, all heads are read at
// once.
const fewHeads = 300

// withHeads adds the heads of matches. It returns the paths where the searched text is not the head's
// content. These matches get no head.
func (s *Store) withHeads(ctx context.Context, matches []search.Match) (out []scored, wrong []memfs.Path, err error) {
	find := func(p memfs.Path) (Entry, error) { return s.Entry(ctx, p) }
	if len(matches) > fewHeads {
		all, err := s.Tree(ctx)
		if err != nil {
			return nil, nil, err
		}
		find = func(p memfs.Path) (Entry, error) {
			i, ok := slices.BinarySearchFunc(all, p, func(e Entry, p memfs.Path) int { return comparePaths(e.Path, p) })
			if !ok || all[i].Kind != Memory {
				return Entry{}, ErrNoMemory
			}
			return all[i], nil
		}
	}
	for _, m := range matches {
		e, err := find(m.Path)
		switch {
		case err != nil && !errors.Is(err, ErrNoMemory):
			return nil, nil, err
		case err != nil || e.SHA256 != m.SHA256():
			wrong = append(wrong, m.Path)
			out = append(out, scored{m, nil})
		default:
			out = append(out, scored{m, &e})
		}
	}
	return out, wrong, nil
}

// hit returns a match with its matching lines.
func (s *Store) hit(ctx context.Context, q Query, terms []match.Term, a scored) (Hit, error) {
	text, cached := a.Text()
	if !cached {
		var err error
		if text, err = s.Content(ctx, a.head.Version); err != nil {
			return Hit{}, err
		}
	}
	spans := match.All(terms, text)
	return Hit{
		Entry: *a.head, Score: a.Score, Count: len(spans),
		Spans: match.All(terms, []byte(a.Path.Rel())),
		Lines: q.excerpt().Of(terms, text, spans),
	}, nil
}

// Near reports for each word of a query whether it occurs, and which words with a similar spelling
// occur. It reads every word of the store, so call it after a search without hits and not at each
// key. It reports nothing for a regular expression.
func (s *Store) Near(ctx context.Context, q Query) ([]match.NearWord, error) {
	words := q.text().Words()
	if q.Regexp || len(words) == 0 {
		return nil, nil
	}
	leave, err := s.texts.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.texts.Refresh(ctx); err != nil {
		return nil, err
	}
	return s.texts.Near(ctx, q.In, words)
}
