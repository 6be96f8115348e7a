// Package search finds texts in the memories of a store: in the current ones, whose texts it caches
// ([Texts]), and in all versions ([Past]). It decides which memories match and in which order; what a
// text must hold is for package match to say.
//
// It reads the folder and the trail's tables, and changes neither. A text that it read from a file may
// be newer than the trail: before it treats the text as the content of a version, the caller compares
// the hash of a [Match] with that of the version.
//
// Errors are those of the disk, the context and the trail. A file that can't be read is an [versions.UnreadText], a
// content that is damaged is [Past.Damaged]: neither stops a search. Texts may be used by several
// goroutines that each call Enter first; a search itself uses all cores. A Past belongs to one
// goroutine. No snapshot of the trail stays open between two calls.
package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/match"
)

// Match is a memory that matches a query.
type Match struct {
	Path  memfs.Path
	Score int // higher is better; see match.Scorer

	doc *doc
}

// Text returns the text that matched, if it is cached.
func (m Match) Text() (text []byte, cached bool) { return m.doc.text, m.doc.cached }

// SHA256 returns the hash of the text that matched.
func (m Match) SHA256() ids.Hash {
	if m.doc.cached {
		return sha256.Sum256(m.doc.text)
	}
	return m.doc.sha
}

// Best scores the memories at or below a path and returns the matches, the best first.
func (c *Texts) Best(ctx context.Context, in memfs.Path, terms []match.Term) (matches []Match, unread []versions.UnreadText, err error) {
	type share struct {
		match.Scorer
		matches []Match
		_       [64]byte // keeps the next element out of this core's cache line
	}
	shares := make([]share, memfs.Readers())
	for i := range shares {
		shares[i].Terms = terms
	}
	unread, err = c.each(ctx, in, func(n int, d *doc) bool {
		sh := &shares[n]
		score := sh.Score(d.path.Rel(), d.text)
		if score > 0 {
			sh.matches = append(sh.matches, Match{Path: d.path, Score: score, doc: d})
		}
		return score > 0
	})
	if err != nil {
		return nil, nil, err
	}
	for i := range shares {
		matches = append(matches, shares[i].matches...)
	}
	slices.SortFunc(matches, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.doc.mtime, a.doc.mtime), strings.Compare(a.Path.Rel(), b.Path.Rel()))
	})
	return matches, unread, nil
}
