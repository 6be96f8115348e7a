package storesapi

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
)

func (c *call) versionID() versions.VersionID { return versions.VersionID(c.PathValue("version")) }

func listVersions(c *call) (any, error) {
	q := c.query()
	limit, full := q.limit(), q.full(false)
	f := versions.VersionFilter{Since: q.since(), Until: q.until()}
	if full {
		limit, f.Contents = min(limit, maxFull), fullBytes
	}
	fits := q.who(&f)
	list := listOf("versions", c.storeID(), f.Memory, f.Operation, f.Actor, f.Session, f.Since.UnixMicro(), f.Until.UnixMicro())
	before := page[versions.Cursor](q, list)
	if q.err != nil {
		return nil, q.err
	}
	out := newList()
	err := c.withStore(func(s *engine.Store) error {
		if !fits {
			return nil
		}
		found, next, err := history.Versions(c.Context(), s, f, before, limit)
		for _, v := range found {
			out.Data = append(out.Data, versionOf(c.storeID(), v, full))
		}
		if next != "" {
			out.Next = nextPage(list, next)
		}
		return err
	})
	return out, err
}

// who reads the filters by memory, operation and author, and reports whether any version can match all of them.
func (q *query) who(f *versions.VersionFilter) (fits bool) {
	fits = true
	if id, ok := q.one("memory_id"); ok {
		f.Memory, fits = versions.MemoryID(id), fits && id != ""
	}
	if op, ok := q.one("operation"); ok {
		f.Operation = versions.Operation(op)
		if f.Operation != versions.Created && f.Operation != versions.Modified && f.Operation != versions.Deleted {
			q.wrong("operation: must be created, modified or deleted")
		}
	}
	key, byKey := q.one("api_key_id")
	if byKey {
		f.Actor = versions.Actor{Kind: versions.APIKey, Name: key}
	}
	session, bySession := q.one("session_id")
	if bySession {
		f.Session, fits = versions.SessionID(session), fits && session != ""
	}
	_, byAccount := q.one("service_account_id") // no actor here is a service account
	return fits && !byAccount && !(byKey && bySession)
}

func retrieveVersion(c *call) (any, error) {
	q := c.query()
	full := q.full(true)
	if q.err != nil {
		return nil, q.err
	}
	var v versions.ListedVersion
	err := c.withStore(func(s *engine.Store) (err error) {
		v, err = history.ListedVersion(c.Context(), s, c.versionID(), full)
		return err
	})
	return versionOf(c.storeID(), v, full), err
}

func redactVersion(c *call) (any, error) {
	if err := c.mayErase("`memend redact`"); err != nil {
		return nil, err
	}
	if err := c.noBody(); err != nil {
		return nil, err
	}
	var v versions.ListedVersion
	err := c.withStore(func(s *engine.Store) error {
		return c.begun(func(ctx context.Context) (err error) {
			var r versions.Receipt
			if v, r, err = redact.Version(ctx, s, c.by, c.versionID(), versions.Scrub{Wait: maxReaderWait}); err == nil && r.ID != 0 {
				c.erased(r)
			}
			return err
		})
	})
	return versionOf(c.storeID(), v, false), err
}
