package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/match"
)

var errNotText = errors.New("not UTF-8 text")

// text is the current content of a memory.
type text struct {
	content []byte
	sha     versions.Hash
	head    versions.Entry // zero if another program has just written it
}

// read returns a whole memory of at most maxBytes bytes, and records the read.
func read(ctx context.Context, s *engine.Store, by versions.By, p memfs.Path, maxBytes int64) (text, error) {
	f, err := s.Open(ctx, p)
	if err != nil {
		return text{}, err
	}
	defer func() { _ = f.Close() }()
	if f.Size() > maxBytes {
		return text{}, &longError{f.Size(), maxBytes}
	}
	b, err := io.ReadAll(io.NewSectionReader(f, 0, maxBytes+1))
	if err == nil && int64(len(b)) > maxBytes {
		err = &longError{int64(len(b)), maxBytes}
	}
	if err != nil {
		return text{}, err
	}
	t := text{content: b, sha: sha256.Sum256(b)}
	if e, err := history.Entry(ctx, s, p); err == nil && e.SHA256 == t.sha {
		t.head = e
	}
	s.NoteRead(by, p)
	return t, nil
}

// longError reports a memory that is too long to return whole.
type longError struct{ size, max int64 }

func (e *longError) Error() string {
	return fmt.Sprintf("the memory has %d bytes, and at most %d can be read at once; request some of its lines", e.size, e.max)
}
func (e *longError) Unwrap() error { return memfs.ErrTooBig }

func (s *Server) readTool(c *call, in readIn) (readOut, error) {
	at, p, err := c.at(in.Path)
	if err != nil {
		return readOut{}, err
	}
	part := in.First != 0 || in.Last != 0
	most := int64(maxRead)
	if part {
		most = versions.DefaultMaxBytes
	}
	t, err := read(c.ctx, at.store, c.by, p, most)
	if long := (*longError)(nil); errors.As(err, &long) {
		return readOut{}, &refusal{in.Path, long}
	}
	if err != nil {
		return readOut{}, about(in.Path, err)
	}
	if !utf8.Valid(t.content) {
		return readOut{}, &refusal{in.Path, fmt.Errorf("%w; it has %d bytes, content_sha256 %s", errNotText, len(t.content), t.sha)}
	}
	out := readOut{Path: at.outside(p).Tool(), Lines: bytes.Count(t.content, []byte{'\n'}) + 1,
		Size: int64(len(t.content)), SHA256: t.sha.String(), Version: string(t.head.Version), Time: stamp(t.head.Time)}
	if part {
		t.content = lines(t.content, in.First, in.Last)
	}
	if len(t.content) > maxRead {
		return readOut{}, &refusal{in.Path, &longError{int64(len(t.content)), maxRead}}
	}
	out.Content = string(t.content)
	return out, nil
}

// lines returns the lines from first to last, counted from 1; 0 is the end of the text.
func lines(b []byte, first, last int) []byte {
	var out []byte
	n := 0
	for line := range bytes.Lines(b) {
		if n++; n >= first && (last == 0 || n <= last) {
			out = append(out, line...)
		}
	}
	return out
}

// stamp formats a time as the API does, or returns "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (s *Server) searchTool(c *call, in searchIn) (searchOut, error) {
	if in.Limit < 0 || in.Limit > 100 {
		return searchOut{}, &refusal{"limit", errors.New("1 to 100")}
	}
	if strings.TrimSpace(in.Query) == "" {
		return searchOut{}, &refusal{"query", errors.New("it is empty; name at least one word")}
	}
	outside, err := memfs.ParseToolPath(cmp.Or(in.Path, memfs.Root.Tool()))
	if err != nil {
		return searchOut{}, err
	}
	type found struct {
		foundMemory
		score int
	}
	var hits []found
	out := searchOut{Results: []foundMemory{}}
	limit := cmp.Or(in.Limit, 20)
	for _, at := range within(c.places, outside) {
		q := versions.Query{Text: in.Query, Regexp: in.Regexp, Limit: limit, Lines: 5}
		if outside.In(at.mount) {
			q.In = outside.Move(at.mount, memfs.Root)
		}
		sum, err := history.Search(c.ctx, at.store, q, func(h versions.Hit) bool {
			m := foundMemory{Path: at.outside(h.Path).Tool(), SHA256: h.SHA256.String(), Matches: h.Count, Lines: []foundLine{}}
			for _, l := range h.Lines {
				m.Lines = append(m.Lines, foundLine{l.Number, strings.ToValidUTF8(l.Text, "\uFFFD")})
			}
			hits = append(hits, found{m, h.Score})
			return true
		})
		if bad := (*match.PatternError)(nil); errors.As(err, &bad) {
			return searchOut{}, &refusal{"query", bad}
		}
		if err != nil {
			return searchOut{}, about(outside.Tool(), err)
		}
		out.Total += sum.Memories
	}
	slices.SortStableFunc(hits, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	for _, h := range hits[:min(limit, len(hits))] {
		out.Results = append(out.Results, h.foundMemory)
	}
	return out, nil
}

// within returns the stores that have something at p or below it.
func within(places []place, p memfs.Path) (out []place) {
	for _, at := range places {
		if p.In(at.mount) || at.mount.In(p) {
			out = append(out, at)
		}
	}
	return out
}

func (s *Server) listTool(c *call, in listIn) (listOut, error) {
	out := listOut{Memories: []listedMemory{}, Folders: []string{}}
	folder, err := memfs.ParseToolPath(cmp.Or(in.Path, memfs.Root.Tool()))
	switch {
	case err != nil:
		return out, err
	case in.Depth < 0 || in.Depth > 1:
		return out, &refusal{"depth", errors.New("0 or 1")}
	case in.Limit < 0 || in.Limit > 1000:
		return out, &refusal{"limit", errors.New("1 to 1000")}
	}
	last, err := base64.RawURLEncoding.DecodeString(in.Page)
	if err != nil {
		return out, &refusal{"page", errors.New("it must be the next_page of an earlier result")}
	}
	places := within(c.places, folder)
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.mount.Tool()+"/", b.mount.Tool()+"/") })
	shown, page := string(last), cmp.Or(in.Limit, 100)
	for _, at := range places {
		entries, err := history.Tree(c.ctx, at.store)
		if err != nil {
			return out, err
		}
		for _, e := range entries {
			p := at.outside(e.Path)
			if e.Kind != versions.Memory || !p.In(folder) || p == folder {
				continue
			}
			key, isFolder := p.Tool(), false
			if rest := key[len(folder.Tool())+1:]; in.Depth == 1 && strings.Contains(rest, "/") {
				key, isFolder = folder.Tool()+"/"+rest[:strings.IndexByte(rest, '/')+1], true
			}
			if key <= shown {
				continue
			}
			if len(out.Memories)+len(out.Folders) == page {
				out.NextPage = base64.RawURLEncoding.EncodeToString([]byte(shown))
				return out, nil
			}
			shown = key
			if isFolder {
				out.Folders = append(out.Folders, key)
				continue
			}
			out.Memories = append(out.Memories, listedMemory{key, e.Size, e.SHA256.String(), stamp(e.Time), e.Binary})
		}
	}
	return out, nil
}
