package stores

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/replica"
)

// Update changes the description of a store, completely or not at all. It updates a
// hosted store's service first, except for the name.
func Update(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error) {
	if err := errors.Join(u.Check(), core.MayAdministerStore(ctx, t, by, id, "settings"), core.MayChange(t)); err != nil {
		return versions.StoreInfo{}, err
	}
	if info, _, err := core.StoreByID(ctx, t, id); err != nil {
		return info, err
	} else if info.Hosted() && info.Archived.IsZero() {
		if err := replica.DescribeUpstream(ctx, t, info, u); err != nil {
			return info, err
		}
	}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	defer unlock()
	info, row, err := core.StoreByID(ctx, t, id)
	if err != nil {
		return info, err
	}
	if !info.Archived.IsZero() {
		return info, fmt.Errorf("describe %w", &versions.ArchivedError{Store: info.Name})
	}
	if u.Name != nil && *u.Name != info.Name {
		all, err := t.Stores(ctx)
		if err != nil {
			return info, err
		}
		if info.Name, err = core.ChooseName(all, *u.Name, ""); err != nil {
			return info, fmt.Errorf("rename store: %w", err)
		}
	}
	if u.Title != nil {
		info.Title = *u.Title
	}
	if u.Description != nil {
		info.Description = *u.Description
	}
	metadata := maps.Clone(info.Metadata)
	for k, v := range u.Metadata {
		if delete(metadata, k); v != nil {
			metadata[k] = *v
		}
	}
	if err := versions.CheckMetadata(metadata); err != nil {
		return info, err
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return info, err
	}
	if err := core.UpdateLocked(ctx, t, `UPDATE store SET name=?, title=?, description=?, metadata=?, updated=? WHERE id=?`,
		info.Name, info.Title, info.Description, string(text), t.Now().UnixMicro(), row); err != nil {
		return info, fmt.Errorf("update store %s: %w", info.Name, err)
	}
	info, _, err = core.StoreByID(ctx, t, id)
	return info, err
}
