package versions

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// replicaHead is the current state of a memory in the replica.
type replicaHead struct {
	path    memfs.Path
	sha     Hash
	version string // id of its head
	unsent  bool
}

// reconcile compares the current memories here with those that the service lists. It loads the
// history of each memory that differs, because its newest version became visible late or the
// service has dropped its history.
func (s *Store) reconcile(ctx context.Context, got *pulled) error {
	there, err := s.listMemories(ctx)
	if err != nil {
		return err
	}
	here, err := s.currentHere(ctx, "")
	if err != nil {
		return err
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
		if !h.unsent {
			if err := s.compareVersions(ctx, id, got); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) listMemories(ctx context.Context) (map[string]HostedMemory, error) {
	out, pages := map[string]HostedMemory{}, pages{of: "memories", most: s.t.maxListed}
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
func (s *Store) agrees(ctx context.Context, h replicaHead, m HostedMemory, noHistory bool) bool {
	if noHistory {
		return h.unsent || h.path.String() == m.Path && h.sha == m.SHA256
	}
	return h.unsent || h.version == m.Version || h.path.String() == m.Path && h.sha == m.SHA256 && s.knows(ctx, m.Version)
}

// currentHere lists current memories by id: all of them, or only one. A pull asks for each memory
// that differs: listing all of them each time would take quadratic time.
func (s *Store) currentHere(ctx context.Context, only string) (map[string]replicaHead, error) {
	query, args := `SELECT muid,vuid,path,sha FROM head WHERE store=?`, []any{s.id}
	if only != "" {
		query, args = query+` AND memory=(SELECT id FROM memory WHERE uid=?)`, append(args, ids.Parse(ids.MemoryPrefix, only))
	}
	out := map[string]replicaHead{}
	for row, err := range s.t.each(ctx, query, args...) {
		var muid, vuid, sha []byte
		var path string
		if err == nil {
			err = row.Scan(&muid, &vuid, &path, &sha)
		}
		if err != nil {
			return nil, err
		}
		h := replicaHead{version: ids.Format(ids.VersionPrefix, vuid), unsent: ids.Unsent(vuid) || ids.Unsent(muid)}
		copy(h.sha[:], sha)
		if h.path, err = pathOf(path); err != nil {
			return nil, err
		}
		out[ids.Format(ids.MemoryPrefix, muid)] = h
	}
	return out, nil
}

// compareVersions stores everything that the service has of one memory. When its versions don't explain
// its current state there, lookCloser records that state as a version.
func (s *Store) compareVersions(ctx context.Context, id string, got *pulled) error {
	if ids.Parse(ids.MemoryPrefix, id) == nil {
		return unbelievable("%.80q is not the id of a memory", id)
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
	here, err := s.currentHere(ctx, id)
	if err != nil {
		return err
	}
	h, stands := here[id]
	l := incoming{HostedVersion: HostedVersion{Memory: id, ID: m.Version, Operation: Modified, Path: m.Path, SHA256: m.SHA256, Content: nonNil(m.Content), Time: m.Updated}}
	switch {
	case gone && !stands, !gone && stands && s.agrees(ctx, h, m, got.NoHistory):
		return nil
	case gone:
		l.HostedVersion = HostedVersion{Memory: id, Operation: Deleted, Path: h.path.String(), Time: s.t.now()}
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
	err := s.t.get(ctx, `SELECT v.uid FROM memory m JOIN version v ON v.memory=m.id WHERE m.uid=? AND m.store=? ORDER BY v.number DESC LIMIT 1`,
		[]any{ids.Parse(ids.MemoryPrefix, id), s.id}, &uid)
	return ids.Unsent(uid), unlessNone(err)
}
