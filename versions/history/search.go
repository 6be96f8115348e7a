package history

import (
	"context"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/search"
)

func excerpt(q versions.Query) match.Excerpt {
	return match.Excerpt{Lines: q.Lines, Width: q.Width}
}

// Search finds current memories and passes them to each, the best first, until each returns false.
// It first adopts a matching file that another program wrote.
//
// The first search of an open store reads the folder, the second caches what it reads, and later
// ones use the cached texts, up to 64 MB of them. Content that is not UTF-8 is searched by its
// bytes. An invalid regular expression is a *PatternError.
func Search(ctx context.Context, s *core.Store, q versions.Query, each func(versions.Hit) bool) (versions.Found, error) {
	terms, err := q.TextPart().Terms(ctx.Done())
	if err != nil || len(terms) == 0 {
		return versions.Found{}, err
	}
	if !q.In.IsRoot() {
		if _, err := core.Folder(s).Lstat(q.In); err != nil {
			return versions.Found{}, err
		}
	}
	best, found, err := find(ctx, s, q, terms)
	if err != nil {
		return found, err
	}
	for _, b := range best {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		h, err := hit(ctx, s, q, terms, b)
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
	search.Match
	head *versions.Entry // nil: no head has this text
}

// find returns the best matches. The text of each is the content of its head.
func find(ctx context.Context, s *core.Store, q versions.Query, terms []match.Term) ([]scored, versions.Found, error) {
	unlock, err := s.Texts.Enter(ctx)
	if err != nil {
		return nil, versions.Found{}, err
	}
	defer unlock()
	for try := 1; ; try++ {
		if err := s.Texts.Refresh(ctx); err != nil {
			return nil, versions.Found{}, err
		}
		matches, unread, err := s.Texts.Best(ctx, q.In, terms)
		if err != nil {
			return nil, versions.Found{}, err
		}
		found := versions.Found{Memories: len(matches), Unread: unread}
		if q.Limit > 0 && len(matches) > q.Limit {
			matches = matches[:q.Limit]
		}
		best, wrong, err := withHeads(ctx, s, matches)
		switch {
		case err != nil:
			return nil, versions.Found{}, err
		case len(wrong) == 0:
			return best, found, nil
		case try == 1: // written by another program
			if _, err = s.Sync(ctx); versions.IsUnwritable(err) {
				err = nil
			}
		case try == 2: // written again in the meantime
			err = s.Texts.Reread(ctx, wrong)
		default:
			n := len(best)
			best = slices.DeleteFunc(best, func(a scored) bool { return a.head == nil })
			found.Memories -= n - len(best)
			return best, found, nil
		}
		if err != nil {
			return nil, versions.Found{}, err
		}
	}
}

// fewHeads is the largest number of heads that are read one by one. For more, all heads are read at
// once.
const fewHeads = 300

// withHeads adds the heads of matches. It returns the paths where the searched text is not the head's
// content. These matches get no head.
func withHeads(ctx context.Context, s *core.Store, matches []search.Match) (out []scored, wrong []memfs.Path, err error) {
	find := func(p memfs.Path) (versions.Entry, error) { return Entry(ctx, s, p) }
	if len(matches) > fewHeads {
		all, err := Tree(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		find = func(p memfs.Path) (versions.Entry, error) {
			i, ok := slices.BinarySearchFunc(all, p, func(e versions.Entry, p memfs.Path) int { return versions.ComparePaths(e.Path, p) })
			if !ok || all[i].Kind != versions.Memory {
				return versions.Entry{}, versions.ErrNoMemory
			}
			return all[i], nil
		}
	}
	for _, m := range matches {
		e, err := find(m.Path)
		switch {
		case err != nil && !errors.Is(err, versions.ErrNoMemory):
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
func hit(ctx context.Context, s *core.Store, q versions.Query, terms []match.Term, a scored) (versions.Hit, error) {
	text, cached := a.Text()
	if !cached {
		var err error
		if text, err = Content(ctx, s, a.head.Version); err != nil {
			return versions.Hit{}, err
		}
	}
	spans := match.All(terms, text)
	return versions.Hit{
		Entry: *a.head, Score: a.Score, Count: len(spans),
		Spans: match.All(terms, []byte(a.Path.Rel())),
		Lines: excerpt(q).Of(terms, text, spans),
	}, nil
}

// Near reports for each word of a query whether it occurs, and which words with a similar spelling
// occur. It reads every word of the store, so call it after a search without hits and not at each
// key. It reports nothing for a regular expression.
func Near(ctx context.Context, s *core.Store, q versions.Query) ([]match.NearWord, error) {
	words := q.TextPart().Words()
	if q.Regexp || len(words) == 0 {
		return nil, nil
	}
	unlock, err := s.Texts.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.Texts.Refresh(ctx); err != nil {
		return nil, err
	}
	return s.Texts.Near(ctx, q.In, words)
}
