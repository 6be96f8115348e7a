// Package relink finds the links in memories to a memory or a folder that is renamed, and what they become. It reads
// a store and changes nothing. Links in what moves stay as they are.
package relink

import (
	"context"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/versions"
)

// Store is what Find reads.
type Store interface {
	Tree(context.Context) ([]versions.Entry, error)
	Search(ctx context.Context, q versions.Query, each func(versions.Hit) bool) (versions.Found, error)
	Content(context.Context, versions.VersionID) ([]byte, error)
}

// Links are the links to what is renamed.
type Links struct {
	Edits []versions.Edit // the memories with the links, rewritten
	Count int
	Left  int // links that can't be rewritten
}

// Find returns the links to from in memories that don't move with it.
func Find(ctx context.Context, s Store, from, to memfs.Path) (out Links, err error) {
	name := strings.TrimSuffix(from.Base(), path.Ext(from.Base()))
	if escaped := url.PathEscape(name); escaped != name {
		name = "(" + regexp.QuoteMeta(name) + "|" + regexp.QuoteMeta(escaped) + ")"
	} else {
		name = regexp.QuoteMeta(name)
	}
	q := versions.Query{Text: `[\[(/<\s]` + name + `([]|#)>/?.\s]|$)`, Regexp: true, AnyCase: true, Lines: 1} // only these are parsed
	var hits []versions.Hit
	if _, err := s.Search(ctx, q, func(h versions.Hit) bool {
		if h.Count > 0 && !h.Path.In(from) {
			hits = append(hits, h)
		}
		return true
	}); err != nil || len(hits) == 0 {
		return out, err
	}
	entries, err := s.Tree(ctx)
	if err != nil {
		return out, err
	}
	var paths []memfs.Path
	for _, e := range entries {
		if e.Kind == versions.Memory {
			paths = append(paths, e.Path)
		}
	}
	m := markdown.NewMoving(from, to, paths)
	for _, h := range hits {
		text, err := s.Content(ctx, h.Version)
		if err != nil {
			return out, err
		}
		made, links, left := m.Relink(h.Path, text)
		out.Count, out.Left = out.Count+links, out.Left+left
		if links > 0 {
			out.Edits = append(out.Edits, versions.Edit{Path: h.Path, Was: h.SHA256, Text: made})
		}
	}
	return out, nil
}

// String says how many links lead to what is renamed.
func (l Links) String() string {
	s := draw.Plural(l.Count, "link", "links") + " in " + draw.Plural(len(l.Edits), "memory", "memories")
	if l.Left > 0 {
		s += " and " + draw.Plural(l.Left, "that can't be rewritten", "that can't be rewritten")
	}
	return s
}
