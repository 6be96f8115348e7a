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

// Query is what is looked for.
type Query struct {
	// Text is words and "quoted phrases", all of which must be there, in any
	// order, each in the memory's path or its text. Without a capital letter both
	// cases are found. Words are found inside of words.
	Text string
	// Regexp says that Text is one regular expression instead (see match.Compile).
	// It is looked for line by line; what is empty is not found.
	Regexp bool
	// AnyCase finds both cases, whatever Text is written in.
	AnyCase bool
	In      memfs.Path // only this memory, or those below this folder
	Limit   int        // at most so many hits; 0 means all
	Lines   int        // at most so many lines of each hit, those with the most of the words; 0 means all
	Around  int        // so many lines before and after each of those are given, too
	Width   int        // bytes of a line that are shown; 0 is match.DefaultWidth
}

func (q Query) text() match.Query {
	return match.Query{Text: q.Text, Regexp: q.Regexp, AnyCase: q.AnyCase}
}

func (q Query) excerpt() match.Excerpt {
	return match.Excerpt{Lines: q.Lines, Around: q.Around, Width: q.Width}
}

// Pattern is a regular expression (see match.Compile) for each place in a text
// that makes it a hit of the query.
func (q Query) Pattern() string { return q.text().Pattern() }

// Hit is a memory that answers a query.
type Hit struct {
	Entry              // the memory as it stands; its version holds what was found
	Score int          // the better the higher; see match.Scorer
	Count int          // how many places in the text
	Spans []match.Span // what was found in the path, in bytes of Path.Rel()
	Lines []match.Line
}

// Found is what a search saw beside its hits.
type Found struct {
	Memories int          // that answer the query, of which Limit were given
	Unread   []UnreadText // what could not be searched
}

// UnreadText is a file that could not be read.
type UnreadText struct {
	Path memfs.Path
	Err  error
}

// Search finds memories as they stand now, and gives them to each, the best
// first, until it returns false. A file that was written by another program and
// is found before that was seen is adopted first.
//
// The first search of an open store reads the folder, the second keeps what it
// reads, and later ones find the texts in memory, as far as 64 MB of them go.
// What is not UTF-8 is searched by its bytes. A regular expression that can't be
// read is a *PatternError.
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
			err = ctx.Err() // then the hit may be half of it
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

// scored is a memory that answers a query.
type scored struct {
	doc   *searchDoc
	score int
	head  *Entry // nil: none holds the text
}

// search gives the best answers, all of which hold what their heads hold.
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
		case try == 2: // and again since
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

// answers scores all memories and gives the best.
func (s *Store) answers(ctx context.Context, q Query, terms []match.Term) ([]scored, Found, error) {
	type share struct {
		match.Scorer
		all []scored
		_   [64]byte // keeps the next share out of this core's cache line
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

// fewHeads is how many heads are asked for one by one. More are read together
// with all others.
const fewHeads = 300

// withHeads fills in the heads of answers, and gives the paths where the text
// that was searched is not that of a head; there the head stays empty.
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

// hit is an answer with what was found in it.
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
