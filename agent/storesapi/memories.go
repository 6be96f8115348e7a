package storesapi

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/write"
)

// fullBytes is the total length of contents after which a page ends.
const fullBytes = 4 << 20

func (c *call) memoryID() versions.MemoryID { return versions.MemoryID(c.PathValue("memory")) }

// withStore calls do with the store that the path names.
func (c *call) withStore(do func(*engine.Store) error) error {
	return c.s.cache.with(c.Context(), c.storeID(), do)
}

func createMemory(c *call) (any, error) {
	q := c.query()
	full := q.full(false)
	if q.err != nil {
		return nil, q.err
	}
	in, err := c.body()
	if err != nil {
		return nil, err
	}
	path, err := in.required("path")
	if err != nil {
		return nil, err
	}
	content, err := in.required("content")
	if err != nil {
		return nil, err
	}
	p, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	var m versions.Current
	err = c.withStore(func(s *engine.Store) error {
		m, err = write.CreateMemory(c.Context(), s, c.by, p, []byte(content))
		m.Content = []byte(content)
		return err
	})
	return memoryOf(c.storeID(), m, full), err
}

func listMemories(c *call) (any, error) {
	q := c.query()
	limit := q.limit()
	var f versions.MemoryFilter
	full := q.full(false)
	if full {
		limit, f.Contents = min(limit, maxFull), fullBytes
	}
	prefix, ok := q.one("path_prefix")
	if ok && (!strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/")) {
		q.wrong("path_prefix: must begin and end with a slash")
	}
	f.In = strings.TrimPrefix(prefix, "/")
	switch depth, ok := q.one("depth"); {
	case ok && depth != "0" && depth != "1":
		q.wrong("depth: must be 0 or 1")
	default:
		f.Children = depth == "1"
	}
	list := listOf("memories", c.storeID(), f.In, f.Children)
	after := page[versions.Cursor](q, list)
	if q.err != nil {
		return nil, q.err
	}
	out := newList()
	err := c.withStore(func(s *engine.Store) error {
		found, next, err := history.ListMemories(c.Context(), s, f, after, limit)
		for _, m := range found {
			if m.Folder {
				out.Data = append(out.Data, prefixJSON{"memory_prefix", m.Path.String() + "/"})
			} else {
				out.Data = append(out.Data, memoryOf(c.storeID(), m.Current, full))
			}
		}
		if next != "" {
			out.Next = nextPage(list, next)
		}
		return err
	})
	return out, err
}

func retrieveMemory(c *call) (any, error) {
	q := c.query()
	full := q.full(true)
	if q.err != nil {
		return nil, q.err
	}
	var m versions.Current
	err := c.withStore(func(s *engine.Store) (err error) {
		if m, err = history.Current(c.Context(), s, c.memoryID(), full); err == nil && full {
			s.NoteVersionRead(c.by, m.Version)
		}
		return err
	})
	return memoryOf(c.storeID(), m, full), err
}

func updateMemory(c *call) (any, error) {
	q := c.query()
	full := q.full(false)
	if q.err != nil {
		return nil, q.err
	}
	in, err := c.body()
	if err != nil {
		return nil, err
	}
	var m versions.Current
	err = c.withStore(func(s *engine.Store) error {
		if err := c.mayUpdate(s); err != nil { // before the checks of the body
			return err
		}
		u, err := in.update()
		if err != nil {
			return err
		}
		if m, err = write.UpdateMemory(c.Context(), s, c.by, c.memoryID(), u); err != nil || !full {
			return err
		}
		if u.Content != nil {
			m.Content = *u.Content
			return nil
		}
		m.Content, err = history.Content(c.Context(), s, m.Version)
		return err
	})
	return memoryOf(c.storeID(), m, full), err
}

// mayUpdate refuses updates of an archived store and of a memory that does not exist.
func (c *call) mayUpdate(s *engine.Store) error {
	info, err := history.Store(c.Context(), c.s.o.Trail, c.storeID())
	if err == nil && !info.Archived.IsZero() {
		err = versions.ErrArchived
	}
	if err == nil {
		_, err = history.Current(c.Context(), s, c.memoryID(), false)
	}
	return err
}

// update decodes an update of a memory.
func (in fields) update() (u versions.MemoryUpdate, err error) {
	content, err := in.text("content")
	if err != nil {
		return u, err
	}
	path, err := in.text("path")
	if err != nil {
		return u, err
	}
	if content == nil && path == nil {
		return u, invalid("content or path: one of them is required")
	}
	if content != nil {
		b := []byte(*content)
		u.Content = &b
	}
	if path != nil {
		p, err := parsePath(*path)
		if err != nil {
			return u, err
		}
		u.Path = &p
	}
	u.SHA256, err = in.precondition()
	return u, err
}

// precondition returns the hash that the memory must have; nil if there is none.
func (in fields) precondition() (h *versions.Hash, err error) {
	if !in.has("precondition") {
		return nil, nil
	}
	var p fields
	if err := json.Unmarshal(in["precondition"], &p); err != nil {
		return nil, invalid("precondition: must be an object")
	}
	kind, err := p.required("type")
	if err == nil && kind != "content_sha256" {
		err = invalid("type: %q is not known; it is content_sha256", kind)
	}
	var sha string
	if err == nil {
		sha, err = p.required("content_sha256")
	}
	if err == nil {
		h, err = parseHash(sha)
	}
	if err != nil {
		return nil, invalid("precondition: %v", err)
	}
	return h, nil
}

func parseHash(s string) (*versions.Hash, error) {
	var h versions.Hash
	n, err := hex.Decode(h[:], []byte(s[:min(len(s), 2*len(h))]))
	if err != nil || n != len(h) || len(s) != 2*len(h) || strings.ToLower(s) != s {
		return nil, invalid("content_sha256: must be 64 lowercase hexadecimal digits")
	}
	return &h, nil
}

func deleteMemory(c *call) (any, error) {
	q := c.query()
	var expected *versions.Hash
	if sha, ok := q.one("expected_content_sha256"); ok && q.err == nil {
		if expected, q.err = parseHash(sha); q.err != nil {
			q.err = invalid("expected_%v", q.err)
		}
	}
	if q.err != nil {
		return nil, q.err
	}
	if err := c.noBody(); err != nil {
		return nil, err
	}
	err := c.withStore(func(s *engine.Store) error {
		return write.DeleteMemory(c.Context(), s, c.by, c.memoryID(), expected)
	})
	return deletedJSON{"memory_deleted", string(c.memoryID())}, err
}
