package mcp

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/write"
)

// pre converts a precondition.
func (p precondition) pre() (versions.Pre, error) {
	switch {
	case p == precondition{}:
		return versions.Pre{}, nil
	case p.Type == "not_exists" && p.SHA256 == "":
		return versions.Pre{Absent: true}, nil
	case p.Type == "content_sha256":
		sha, err := hash(p.SHA256)
		return versions.Pre{SHA256: sha}, err
	}
	return versions.Pre{}, &refusal{"precondition", errors.New(`its type must be "content_sha256", with a content_sha256, or "not_exists"`)}
}

// hash parses a SHA-256; an empty text is the zero hash.
func hash(s string) (versions.Hash, error) {
	sha, err := versions.ParseHash(s)
	if err != nil || sha == (versions.Hash{}) {
		return versions.Hash{}, &refusal{"content_sha256", errors.New("it must be 64 hexadecimal digits, as in an earlier result")}
	}
	return sha, nil
}

func (s *Server) writeTool(c *call, in writeIn) (writeOut, error) {
	at, p, err := c.at(in.Path)
	if err != nil {
		return writeOut{}, err
	}
	pre, err := in.Pre.pre()
	if err != nil {
		return writeOut{}, err
	}
	done, err := at.store.Write(c.ctx, c.by, p, []byte(in.Content), pre)
	if err != nil {
		return writeOut{}, about(in.Path, err)
	}
	return c.wrote(at, p, done, []byte(in.Content))
}

// wrote returns the outcome of a write to the memory at p, which now has the given content.
func (c *call) wrote(at place, p memfs.Path, done versions.Change, content []byte) (writeOut, error) {
	out := writeOut{Path: at.outside(p).Tool(), Operation: "unchanged", Size: int64(len(content)),
		SHA256: versions.Hash(sha256.Sum256(content)).String(), Change: done.Number}
	if done.Number == 0 {
		return out, nil
	}
	out.Operation = string(versions.Modified)
	// The write succeeded; failing to read it back is no reason to report an error.
	if _, made, err := history.Change(c.ctx, at.store, done.Number); err == nil && len(made) == 1 {
		out.Operation, out.Version = string(made[0].Operation), string(made[0].ID)
	}
	return out, nil
}

func (s *Server) editTool(c *call, in editIn) (writeOut, error) {
	at, p, err := c.at(in.Path)
	if err != nil {
		return writeOut{}, err
	}
	pre, err := in.Pre.pre()
	if err == nil && pre.Absent {
		err = &refusal{"precondition", errors.New("a memory that does not exist can't be edited")}
	}
	if err != nil {
		return writeOut{}, err
	}
	for { // an attempt conflicts only because another writer was faster
		out, err := c.edit(at, p, in, pre)
		var conflict *versions.ConflictError
		if !errors.As(err, &conflict) {
			return out, about(in.Path, err)
		}
		if pre != (versions.Pre{}) || conflict.Now == (versions.Hash{}) || c.ctx.Err() != nil {
			return writeOut{}, about(in.Path, err)
		}
	}
}

// edit makes one attempt: it writes only if the memory still has the content that it read.
func (c *call) edit(at place, p memfs.Path, in editIn, pre versions.Pre) (writeOut, error) {
	t, err := read(c.ctx, at.store, versions.By{}, p, versions.DefaultMaxBytes) // without an author: an edit shows nothing
	if err != nil {
		return writeOut{}, err
	}
	if pre.SHA256 != (versions.Hash{}) && pre.SHA256 != t.sha {
		return writeOut{}, &versions.ConflictError{Path: p, Want: pre.SHA256, Now: t.sha}
	}
	if !utf8.Valid(t.content) {
		return writeOut{}, &refusal{in.Path, errNotText}
	}
	switch n := bytes.Count(t.content, []byte(in.Old)); {
	case in.Old == "":
		return writeOut{}, &refusal{in.Path, errors.New("old_str is empty; nothing was replaced")}
	case n == 0:
		return writeOut{}, &refusal{in.Path, errors.New("old_str does not appear verbatim; nothing was replaced")}
	case n > 1:
		return writeOut{}, &refusal{in.Path, fmt.Errorf("old_str appears %d times; make it unique. Nothing was replaced", n)}
	}
	changed := bytes.Replace(t.content, []byte(in.Old), []byte(in.New), 1)
	done, err := at.store.Write(c.ctx, c.by, p, changed, versions.Pre{SHA256: t.sha})
	if err != nil {
		return writeOut{}, err
	}
	return c.wrote(at, p, done, changed)
}

func (s *Server) deleteTool(c *call, in deleteIn) (writeOut, error) {
	at, p, err := c.at(in.Path)
	if err != nil {
		return writeOut{}, err
	}
	var pre versions.Pre
	if in.SHA256 != "" {
		if pre.SHA256, err = hash(in.SHA256); err != nil {
			return writeOut{}, err
		}
	}
	done, err := write.DeleteIf(c.ctx, at.store, c.by, p, pre)
	if err != nil {
		return writeOut{}, about(in.Path, err)
	}
	out := writeOut{Path: at.outside(p).Tool(), Operation: string(versions.Deleted), Change: done.Number}
	if _, made, err := history.Change(c.ctx, at.store, done.Number); err == nil && len(made) == 1 {
		out.Version = string(made[0].ID)
	}
	return out, nil
}
