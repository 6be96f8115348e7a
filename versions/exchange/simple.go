package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

type simpleLine struct {
	TS      *float64 `json:"ts"`
	Actor   string   `json:"actor"`
	Session string   `json:"session"`
	Commit  string   `json:"commit"`
	Ops     []opLine `json:"ops"`
}

type opLine struct {
	Op      string  `json:"op"`
	Path    string  `json:"path"`
	From    string  `json:"from"`
	SHA256  string  `json:"sha256"`
	Bytes   *int64  `json:"bytes"`
	Content *string `json:"content"`
	Encoded *string `json:"content_base64"`
}

type blobLine struct {
	SHA256  string  `json:"sha256"`
	Content *string `json:"content"`
	Encoded *string `json:"content_base64"`
}

// ReadSimple reads a history in the simple form: its operations, and the contents from the file beside them; blobs may be nil.
func ReadSimple(ops, blobs io.Reader) iter.Seq2[versions.Item, error] {
	return func(yield func(versions.Item, error) bool) {
		s := &simple{yield: yield, sizes: map[versions.Hash]int64{}}
		s.tree = newTree(func(p string) (memfs.Path, bool) {
			q, err := memfs.ParsePath(p)
			return q, err == nil // it is a valid path already
		})
		if blobs != nil && !s.each(newLines(blobs), "content, ", s.blob) {
			return
		}
		s.each(newLines(ops), "", s.change)
	}
}

// simple converts operations into changes.
type simple struct {
	yield func(versions.Item, error) bool
	tree  *tree
	sizes map[versions.Hash]int64 // of the contents so far
}

// errEnough reports that the consumer stopped the iteration.
var errEnough = errors.New("enough")

// each reads all lines; it returns false when the iteration is over.
func (s *simple) each(in *lines, what string, take func(in *lines, line []byte) error) bool {
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err == nil {
			err = take(in, line)
		}
		if errors.Is(err, errEnough) {
			return false
		}
		if err != nil {
			s.yield(versions.Item{}, fmt.Errorf("%s%w", what, in.at(err)))
			return false
		}
	}
}

func (s *simple) blob(in *lines, line []byte) error {
	var l blobLine
	if err := in.decode(line, &l); err != nil {
		return err
	}
	b, err := decodeContent(l.Content, l.Encoded)
	if err == nil {
		err = sameHash(b, l.SHA256)
	}
	if err != nil {
		return err
	}
	return s.give(b)
}

// give yields a content, once.
func (s *simple) give(b []byte) error {
	h := hashOf(b)
	if _, ok := s.sizes[h]; ok {
		return nil
	}
	s.sizes[h] = int64(len(b))
	if !s.yield(versions.Item{Content: b}, nil) {
		return errEnough
	}
	return nil
}

func (s *simple) change(in *lines, line []byte) error {
	var l simpleLine
	if err := in.decode(line, &l); err != nil {
		return err
	}
	r, err := l.record()
	if err != nil {
		return err
	}
	s.tree.begin()
	for i := range l.Ops {
		if err := s.op(&l.Ops[i]); err != nil {
			return err
		}
	}
	if r.Versions = s.tree.net(); len(r.Versions) == 0 {
		return nil
	}
	describe(r)
	if !s.yield(versions.Item{Record: r}, nil) {
		return errEnough
	}
	return nil
}

func (l *simpleLine) record() (*versions.Record, error) {
	if l.TS == nil {
		return nil, unsound("ts is missing")
	}
	if *l.TS < -1e11 || *l.TS > 1e12 {
		return nil, unsound("ts %g is not a time in seconds", *l.TS)
	}
	whole, part := math.Modf(*l.TS)
	r := &versions.Record{Time: time.Unix(int64(whole), int64(math.Round(part*1e6))*1e3).UTC()}
	if r.By.Session = versions.SessionID(l.Session); l.Session == "" {
		r.By.Session = versions.SessionID(l.Commit)
	}
	kind, name, _ := strings.Cut(l.Actor, ":")
	if kind == "user" {
		kind = string(versions.Person)
	}
	if kind == "" {
		return nil, unsound("actor is missing")
	}
	r.By.Actor = versions.Actor{Kind: versions.ActorKind(kind), Name: name}
	return r, nil
}

func (s *simple) op(l *opLine) error {
	path, err := plainPath(l.Path)
	if err != nil {
		return err
	}
	switch l.Op {
	case "create", "update":
		if there := s.tree.file(path) != nil; there != (l.Op == "update") {
			return unsound("%s %s: the memory exists: %v", l.Op, l.Path, there)
		}
		if s.tree.blocked(path) {
			return unsound("%s %s: a folder or a file is in the way", l.Op, l.Path)
		}
		return s.put(path, l)
	case "delete":
		if s.tree.take(path) == nil {
			return unsound("delete %s: no such memory", l.Path)
		}
		return nil
	case "rename":
		return s.rename(path, l)
	}
	return unsound("op %.20q is not create, update, rename or delete", l.Op)
}

func (s *simple) rename(path string, l *opLine) error {
	from, err := plainPath(l.From)
	if err != nil {
		return err
	}
	if s.tree.file(from) == nil || s.tree.file(path) != nil {
		return unsound("rename %s to %s: no such memory, or the new path is taken", l.From, l.Path)
	}
	if s.tree.blocked(path) {
		return unsound("rename %s to %s: a folder or a file is in the way", l.From, l.Path)
	}
	s.tree.place(s.tree.take(from), path)
	if l.SHA256 == "" && l.Content == nil && l.Encoded == nil {
		return nil
	}
	return s.put(path, l)
}

func (s *simple) put(path string, l *opLine) error {
	if l.Content != nil || l.Encoded != nil {
		b, err := decodeContent(l.Content, l.Encoded)
		if err == nil && l.SHA256 != "" {
			err = sameHash(b, l.SHA256)
		}
		if err == nil {
			err = s.give(b)
		}
		if err != nil {
			return err
		}
		l.SHA256 = hashOf(b).String()
	}
	h, err := versions.ParseHash(l.SHA256)
	if err != nil {
		return unsound("%s %s: %v", l.Op, l.Path, err)
	}
	size, ok := s.sizes[h]
	if !ok {
		return unsound("%s %s: the content %s is missing", l.Op, l.Path, h)
	}
	if l.Bytes != nil && *l.Bytes != size {
		return unsound("%s %s: the content has %d bytes, not %d", l.Op, l.Path, size, *l.Bytes)
	}
	s.tree.put(path, h, false)
	return nil
}

// plainPath returns the canonical form of a path, without the slash before it.
func plainPath(s string) (string, error) {
	p, err := memfs.ParsePath(s)
	if err != nil {
		return "", unsound("%v", err)
	}
	if p.IsRoot() {
		return "", unsound("path %q: names the store itself", s)
	}
	return p.Rel(), nil
}
