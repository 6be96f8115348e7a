package replica

import (
	"context"
	"errors"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// reconcile compares the memories that the service lists with what this home knows of them. It loads
// the history of each memory that differs, because its newest version became visible late or the
// service has dropped its history. Memories that take each other's paths are stored together.
func (s *replica) reconcile(ctx context.Context, got *pulled) error {
	there, err := s.listMemories(ctx)
	if err != nil {
		return err
	}
	here, err := s.sentHere(ctx, "")
	if err != nil {
		return err
	}
	skipped := map[string]bool{}
	for _, sk := range got.Skipped {
		skipped[sk.Memory] = true
	}
	var differ []string
	for id := range here {
		if _, ok := there[id]; !ok { // its path is free for others then
			differ = append(differ, id)
		}
	}
	for id, m := range there {
		if h, ok := here[id]; !skipped[id] && !(ok && s.agrees(ctx, h, m, got.NoHistory)) {
			differ = append(differ, id)
		}
	}
	var together []incoming
	for _, id := range differ {
		l, err := s.compareVersions(ctx, id, got)
		if err == nil && l != nil {
			err = s.pullVersions(ctx, got, *l)
		}
		if l != nil && errors.Is(err, errOnePath) {
			together, err = append(together, *l), nil
		}
		if err != nil {
			return err
		}
	}
	if len(together) == 0 {
		return nil
	}
	return s.pullVersions(ctx, got, together...)
}

// pullVersions stores versions in one commit.
func (s *replica) pullVersions(ctx context.Context, got *pulled, vs ...incoming) error {
	return s.pullChunk(ctx, (&news{fresh: vs}).changes(nil), got, func(int) {})
}

func (s *replica) listMemories(ctx context.Context) (map[string]versions.HostedMemory, error) {
	out, pages := map[string]versions.HostedMemory{}, paging{of: "memories", most: s.Trail.MaxListed}
	for page := ""; ; {
		got, err := s.Service.Memories(ctx, page)
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

// sentHere returns what this home knows of the service's memories, by id: of all, or only of one. It
// leaves out what other programs changed here and the service does not have yet. A pull asks for each
// memory that differs: reading all of them each time would take quadratic time.
func (s *replica) sentHere(ctx context.Context, only string) (map[string]planning.State, error) {
	query, args := `SELECT m.uid,`+tables.StateColumns+` FROM memory m JOIN version v LEFT JOIN blob b ON b.id=v.blob
		WHERE m.store=? AND v.id=(SELECT id FROM version WHERE memory=m.id AND NOT `+isUnsent("uid")+` ORDER BY number DESC LIMIT 1)`, []any{s.Row}
	if only != "" {
		query, args = query+` AND m.uid=?`, append(args, ids.Parse(ids.MemoryPrefix, only))
	}
	out := map[string]planning.State{}
	var id versions.MemoryID
	var h planning.State
	rows := s.Trail.DB.Rows(ctx, query, args...)
	for range rows.Each(append([]any{tables.IDTo(&id)}, tables.StateTo(&h)...)...) {
		if h.Live() {
			out[string(id)] = h
		}
	}
	return out, rows.Err()
}

// agrees reports whether what this home knows of a memory matches the service's. After a version that
// arrived late, the newest version has an id that only this home knows. A service without a history
// may return any version id, so only the text and the path count, unless they are redacted here.
func (s *replica) agrees(ctx context.Context, h planning.State, m versions.HostedMemory, noHistory bool) bool {
	same := h.Path.String() == m.Path && h.SHA256 == m.SHA256
	if noHistory {
		return same || h.Redacted
	}
	return string(h.Version) == m.Version || same && s.knows(ctx, m.Version)
}

// compareVersions stores everything that the service has of one memory. When its versions don't
// explain its current state there, compareVersions returns a version with that state.
func (s *replica) compareVersions(ctx context.Context, id string, got *pulled) (*incoming, error) {
	if ids.Parse(ids.MemoryPrefix, id) == nil {
		return nil, versions.AsInvalidResponse("%.80q is not the id of a memory", id)
	}
	if !got.NoHistory {
		quiet := versions.WithProgress(ctx, func(versions.Progress) {}) // it is one of many
		if err := s.pullInto(quiet, pulling{PullOptions: versions.PullOptions{Full: true}, memory: versions.MemoryID(id)}, got); err != nil {
			return nil, err
		}
	}
	for _, sk := range got.Skipped {
		if sk.Memory == id {
			return nil, nil
		}
	}
	m, err := s.Service.Memory(ctx, versions.MemoryID(id))
	gone := errors.Is(err, versions.ErrNoMemory)
	if err != nil && !gone {
		return nil, err
	}
	here, err := s.sentHere(ctx, id)
	if err != nil {
		return nil, err
	}
	h, known := here[id]
	l := incoming{HostedVersion: versions.HostedVersion{Memory: id, ID: m.Version, Operation: versions.Modified, Path: m.Path, SHA256: m.SHA256, Content: versions.NonNil(m.Content), Time: m.Updated}}
	switch {
	case gone && !known, !gone && known && s.agrees(ctx, h, m, got.NoHistory):
		return nil, nil
	case gone:
		l.HostedVersion = versions.HostedVersion{Memory: id, Operation: versions.Deleted, Path: h.Path.String(), Time: s.Trail.Now()}
		fallthrough
	case !s.newVersionID(ctx, m.Version):
		l.ID = ids.Format(ids.VersionPrefix, ids.New())
	}
	return &l, nil
}

// knows reports whether a version is here.
func (s *replica) knows(ctx context.Context, id string) bool {
	_, err := history.Version(ctx, s.Store, versions.VersionID(id))
	return err == nil
}
