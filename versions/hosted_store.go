package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrConnected means that this home already has a replica of the service's store.
var ErrConnected = errors.New("this home has a replica of it already")

// Upstream returns the client for the service that keeps a hosted store.
func (t *Trail) Upstream(info StoreInfo) (Upstream, error) {
	if t.dial == nil {
		return nil, fmt.Errorf("store %s: %w", info.Name, ErrNoUpstream)
	}
	return t.dial(info)
}

// Offer is a store of a service that can be connected.
type Offer struct {
	HostedStore
	Here StoreInfo // its replica; without an id there is none
}

// Connect creates an empty replica of a store that a service keeps. Its first Pull fills it. An
// empty name is replaced by one derived from the service's name for the store.
func (t *Trail) Connect(ctx context.Context, by By, at Remote, about HostedStore, name string) (StoreInfo, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	for _, s := range all {
		if s.Upstream == at {
			return s, fmt.Errorf("%s: %w: store %s", at.Store, ErrConnected, s.Name)
		}
	}
	about = plain(about)
	n := NewStore{Name: name, Title: about.Name, Description: about.Description, Metadata: about.Metadata, Upstream: at}
	if n.Name == "" && n.Title == "" {
		n.Name = "hosted"
	}
	info, err := t.MakeStore(ctx, by, n)
	if err != nil || about.Archived.IsZero() {
		return info, err
	}
	if err := t.noteHosted(ctx, info.ID, about); err != nil {
		return info, err
	}
	info, _, err = t.storeByID(ctx, info.ID)
	return info, err
}

// plain removes from a service's description of a store whatever a store here can't have.
func plain(about HostedStore) HostedStore {
	if checkTitle(about.Name) != nil {
		about.Name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return -1
			}
			return r
		}, strings.ToValidUTF8(about.Name, ""))
		if runes := []rune(about.Name); len(runes) > maxNameRunes {
			about.Name = string(runes[:maxNameRunes])
		}
	}
	if checkDescription(about.Description) != nil {
		about.Description = ""
	}
	if checkMetadata(about.Metadata) != nil {
		about.Metadata = nil
	}
	return about
}

// noteHosted stores a service's description of a store. It leaves out a name that is not valid
// here.
func (t *Trail) noteHosted(ctx context.Context, id StoreID, about HostedStore) error {
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return err
	}
	metadata, err := json.Marshal(info.Metadata)
	if about.Metadata != nil && checkMetadata(about.Metadata) == nil {
		metadata, err = json.Marshal(about.Metadata)
	}
	if err != nil {
		return err
	}
	if checkTitle(about.Name) != nil || about.Name == "" {
		about.Name = info.Title
	}
	if checkDescription(about.Description) != nil {
		about.Description = info.Description
	}
	if info.Archived.IsZero() {
		info.Archived = about.Archived
	}
	return t.update(ctx, `UPDATE store SET title=?1, description=?2, metadata=?3, archived=?4,
		updated=iif(title=?1 AND description=?2 AND metadata=?3 AND archived IS ?4, updated, ?5) WHERE id=?6`,
		about.Name, about.Description, string(metadata), archivedAt(info), t.now().UnixMicro(), row)
}

// describeUpstream changes the description of a hosted store at its service. The name belongs to this
// home only.
func (t *Trail) describeUpstream(ctx context.Context, info StoreInfo, u StoreUpdate) error {
	if u.Title == nil && u.Description == nil && len(u.Metadata) == 0 {
		return nil
	}
	up, err := t.Upstream(info)
	if err != nil {
		return err
	}
	u.Name = nil
	about, err := up.Describe(ctx, u)
	if err != nil {
		return fmt.Errorf("describe store %s: %w", info.Name, err)
	}
	return t.noteHosted(ctx, info.ID, about)
}

// DeleteUpstreamStore deletes a hosted store at its service. A store that is already deleted there is
// no error. The replica stays until DeleteStore.
func (t *Trail) DeleteUpstreamStore(ctx context.Context, by By, info StoreInfo) error {
	if err := t.mayAdminister(ctx, by, info.ID, "remove"); err != nil {
		return err
	}
	up, err := t.Upstream(info)
	if err != nil {
		return err
	}
	if err := up.Drop(ctx); !errors.Is(err, ErrNoStore) {
		return err
	}
	return nil
}

// archiveUpstream archives a hosted store at its service.
func (t *Trail) archiveUpstream(ctx context.Context, info StoreInfo) error {
	up, err := t.Upstream(info)
	if err != nil {
		return err
	}
	about, err := up.Archive(ctx)
	if err != nil {
		return fmt.Errorf("archive store %s: %w", info.Name, err)
	}
	return t.noteHosted(ctx, info.ID, about)
}
