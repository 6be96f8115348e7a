package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// UpstreamState returns the current state of the connection.
func UpstreamState(s *core.Store) versions.UpstreamState {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return ReplicaOf(s).state
}

// noteAnswer records the result of a request.
func (s *replica) noteAnswer(err error) {
	now := versions.UpstreamState{Asked: true, Since: s.Trail.Now()}
	var trouble *versions.UpstreamError
	if errors.As(err, &trouble) {
		now.Trouble, now.Until, now.Err = trouble.Trouble, trouble.Until, trouble
	} else if errors.Is(err, versions.ErrNoStore) {
		now.Trouble, now.Err = versions.Gone, err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	was := s.state
	if was.Asked && was.Trouble == now.Trouble {
		now.Since = was.Since
	}
	s.state = now
}

// Upstream returns the client for the service that keeps a hosted store.
func Upstream(t *core.Trail, info versions.StoreInfo) (versions.Upstream, error) {
	if t.Dial == nil {
		return nil, fmt.Errorf("store %s: %w", info.Name, versions.ErrNoUpstream)
	}
	return t.Dial(info)
}

// Connect creates an empty replica of a store that a service keeps. Its first Pull fills it. An
// empty name is replaced by one derived from the service's name for the store.
func Connect(ctx context.Context, t *core.Trail, by versions.By, at versions.Remote, about versions.HostedStore, name string) (versions.StoreInfo, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	for _, s := range all {
		if s.Upstream == at {
			return s, fmt.Errorf("%s: %w: store %s", at.Store, versions.ErrConnected, s.Name)
		}
	}
	about = plain(about)
	n := versions.NewStore{Name: name, Title: about.Name, Description: about.Description, Metadata: about.Metadata, Upstream: at}
	if n.Name == "" && n.Title == "" {
		n.Name = "hosted"
	}
	info, err := t.MakeStore(ctx, by, n)
	if err != nil || about.Archived.IsZero() {
		return info, err
	}
	if err := noteHosted(ctx, t, info.ID, about); err != nil {
		return info, err
	}
	info, _, err = core.StoreByID(ctx, t, info.ID)
	return info, err
}

// plain removes from a service's description of a store whatever a store here can't have.
func plain(about versions.HostedStore) versions.HostedStore {
	if versions.CheckTitle(about.Name) != nil {
		about.Name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(about.Name, ""))
		if runes := []rune(about.Name); len(runes) > versions.MaxNameRunes {
			about.Name = string(runes[:versions.MaxNameRunes])
		}
	}
	if versions.CheckDescription(about.Description) != nil {
		about.Description = ""
	}
	if versions.CheckMetadata(about.Metadata) != nil {
		about.Metadata = nil
	}
	return about
}

// noteHosted stores a service's description of a store. It leaves out a name that is not valid
// here.
func noteHosted(ctx context.Context, t *core.Trail, id versions.StoreID, about versions.HostedStore) error {
	info, row, err := core.StoreByID(ctx, t, id)
	if err != nil {
		return err
	}
	metadata, err := json.Marshal(info.Metadata)
	if about.Metadata != nil && versions.CheckMetadata(about.Metadata) == nil {
		metadata, err = json.Marshal(about.Metadata)
	}
	if err != nil {
		return err
	}
	if versions.CheckTitle(about.Name) != nil || about.Name == "" {
		about.Name = info.Title
	}
	if versions.CheckDescription(about.Description) != nil {
		about.Description = info.Description
	}
	if info.Archived.IsZero() {
		info.Archived = about.Archived
	}
	return core.Update(ctx, t, `UPDATE store SET title=?1, description=?2, metadata=?3, archived=?4,
		updated=iif(title=?1 AND description=?2 AND metadata=?3 AND archived IS ?4, updated, ?5) WHERE id=?6`,
		about.Name, about.Description, string(metadata), tables.ArchivedAt(info), t.Now().UnixMicro(), row)
}

// DescribeUpstream changes the description of a hosted store at its service. The name belongs to this
// home only.
func DescribeUpstream(ctx context.Context, t *core.Trail, info versions.StoreInfo, u versions.StoreUpdate) error {
	if u.Title == nil && u.Description == nil && len(u.Metadata) == 0 {
		return nil
	}
	up, err := Upstream(t, info)
	if err != nil {
		return err
	}
	u.Name = nil
	about, err := up.Describe(ctx, u)
	if err != nil {
		return fmt.Errorf("describe store %s: %w", info.Name, err)
	}
	return noteHosted(ctx, t, info.ID, about)
}

// DeleteUpstreamStore deletes a hosted store at its service. A store that is already deleted there is
// no error. The replica stays until the store is deleted.
func DeleteUpstreamStore(ctx context.Context, t *core.Trail, by versions.By, info versions.StoreInfo) error {
	if err := core.MayAdministerStore(ctx, t, by, info.ID, "remove"); err != nil {
		return err
	}
	up, err := Upstream(t, info)
	if err != nil {
		return err
	}
	if err := up.Drop(ctx); !errors.Is(err, versions.ErrNoStore) {
		return err
	}
	return nil
}

// ArchiveUpstream archives a hosted store at its service.
func ArchiveUpstream(ctx context.Context, t *core.Trail, info versions.StoreInfo) error {
	up, err := Upstream(t, info)
	if err != nil {
		return err
	}
	about, err := up.Archive(ctx)
	if err != nil {
		return fmt.Errorf("archive store %s: %w", info.Name, err)
	}
	return noteHosted(ctx, t, info.ID, about)
}

// Unfinished lists the incomplete work on the store. A store finishes what it can when it is opened
// and before each change, so the remaining work waits for something else: free space, a writable
// folder or a service that answers.
func Unfinished(ctx context.Context, s *core.Store) (u versions.Unfinished, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		if u.Changes, err = db.Values[int64](q.Rows(`SELECT number FROM change WHERE store=? AND id IN (SELECT change FROM intent WHERE store=? AND carried=0) ORDER BY number`, s.Row, s.Row)); err != nil {
			return err
		}
		return q.Row(`SELECT (SELECT count(*) FROM redaction WHERE store=?1 AND pending>0), (SELECT count(*) FROM redaction WHERE store=?1 AND pending<0)`, s.Row).Scan(&u.Redactions, &u.There)
	})
	return u, err
}
