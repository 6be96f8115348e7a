package versions

import (
	"context"
	"errors"

	"github.com/memend/memend/versions/ids"
)

// reconcile compares the current memories here with those that the service lists. It loads the
// history of each memory that differs, because its newest version became visible late or the
// service has dropped its history.
func (s *Store) reconcile(ctx context.Context, got *pulled) error {
	there, err := s.listMemories(ctx)
	if err != nil {
		return err
	}
	tree, err := s.Tree(ctx)
	if err != nil {
		return err
	}
	here := map[string]Place{}
	for _, e := range tree {
		if e.Kind == Memory {
			here[string(e.Memory)] = Place{Path: e.Path, Version: e.Version, SHA256: e.SHA256}
		}
	}
	skipped := map[string]bool{}
	for _, sk := range got.Skipped {
		skipped[sk.Memory] = true
	}
	for id, m := range there {
		h, ok := here[id]
		delete(here, id)
		if skipped[id] || ok && s.agrees(ctx, h, m, got.NoHistory) {
			continue
		}
		if err := s.compareVersions(ctx, id, got); err != nil {
			return err
		}
	}
	for id, h := range here {
		if !h.Version.Unsent() {
			if err := s.compareVersions(ctx, id, got); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) listMemories(ctx context.Context) (map[string]HostedMemory, error) {
	out, pages := map[string]HostedMemory{}, paging{of: "memories", most: s.t.maxListed}
	for page := ""; ; {
		got, err := s.up.Memories(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, m := range got.Memories {
			out[m.ID] = m
		}
		if err := pages.turn(got.Next, len(out)); err != nil || got.Next == "" {
			return out, err
		}
		page = got.Next
	}
}

// agrees reports whether a memory's state here matches the service's. After a version that arrived
// late, the current version has an id that only this home knows. A service without a history may
// return any version id, so only the text and the path count.
func (s *Store) agrees(ctx context.Context, h Place, m HostedMemory, noHistory bool) bool {
	same := h.Path.String() == m.Path && h.SHA256 == m.SHA256
	switch {
	case h.Version.Unsent():
		return true
	case noHistory:
		return same
	}
	return string(h.Version) == m.Version || same && s.knows(ctx, m.Version)
}

// compareVersions stores everything that the service has of one memory. When its versions don't explain
// its current state there, lookCloser records that state as a version.
func (s *Store) compareVersions(ctx context.Context, id string, got *pulled) error {
	if ids.Parse(ids.MemoryPrefix, id) == nil {
		return invalidResponse("%.80q is not the id of a memory", id)
	}
	if !got.NoHistory {
		quiet := WithProgress(ctx, func(Progress) {}) // it is one of many
		if err := s.pullInto(quiet, pulling{PullOptions: PullOptions{Full: true}, memory: MemoryID(id)}, got); err != nil {
			return err
		}
	}
	if waits, err := s.waits(ctx, id); waits || err != nil {
		return err
	}
	for _, sk := range got.Skipped {
		if sk.Memory == id {
			return nil
		}
	}
	m, err := s.up.Memory(ctx, MemoryID(id))
	gone := errors.Is(err, ErrNoMemory)
	if err != nil && !gone {
		return err
	}
	c, err := s.Current(ctx, MemoryID(id), false)
	if err != nil && !errors.Is(err, ErrNoMemory) {
		return err
	}
	h, stands := Place{Path: c.Path, Version: c.Version, SHA256: c.SHA256}, err == nil
	l := incoming{HostedVersion: HostedVersion{Memory: id, ID: m.Version, Operation: Modified, Path: m.Path, SHA256: m.SHA256, Content: nonNil(m.Content), Time: m.Updated}}
	switch {
	case gone && !stands, !gone && stands && s.agrees(ctx, h, m, got.NoHistory):
		return nil
	case gone:
		l.HostedVersion = HostedVersion{Memory: id, Operation: Deleted, Path: h.Path.String(), Time: s.t.now()}
		fallthrough
	case !s.newVersionID(ctx, m.Version):
		l.ID = ids.Format(ids.VersionPrefix, ids.New())
	}
	return s.pullChunk(ctx, (&news{fresh: []incoming{l}}).changes(nil), got, func(int) {})
}

// knows reports whether a version is here.
func (s *Store) knows(ctx context.Context, id string) bool {
	_, err := s.Version(ctx, VersionID(id))
	return err == nil
}

// waits reports whether another program has changed or deleted a memory here and the service does
// not have that change yet.
func (s *Store) waits(ctx context.Context, id string) (bool, error) {
	var uid []byte
	err := s.t.db.Row(ctx, `SELECT v.uid FROM memory m JOIN version v ON v.memory=m.id WHERE m.uid=? AND m.store=? ORDER BY v.number DESC LIMIT 1`, ids.Parse(ids.MemoryPrefix, id), s.id).Scan(&uid)
	return ids.Unsent(uid), unlessNone(err)
}
