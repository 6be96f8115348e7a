package versions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"unicode/utf8"
)

// These limits are those of the memory-stores API.
const (
	maxDescriptionRunes = 1024
	maxMetadata         = 16
	maxMetadataKey      = 64
	maxMetadataValue    = 512
)

// StoreUpdate is an update of a store's description. A nil field leaves its value
// unchanged.
type StoreUpdate struct {
	Name        *string            // the folder keeps its name
	Title       *string            // empty: use the name
	Description *string            // empty: none
	Metadata    map[string]*string // keys to set; nil removes a key, other keys stay
}

// Check returns why the update is invalid for any store.
func (u StoreUpdate) Check() error {
	if u.Name != nil {
		if err := checkName(*u.Name); err != nil {
			return err
		}
	}
	if u.Title != nil {
		if err := checkTitle(*u.Title); err != nil {
			return err
		}
	}
	if u.Description != nil {
		if err := checkDescription(*u.Description); err != nil {
			return err
		}
	}
	set := map[string]string{}
	for k, v := range u.Metadata {
		if v != nil {
			set[k] = *v
		}
	}
	return checkMetadata(set)
}

func checkDescription(s string) error {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > maxDescriptionRunes {
		return fmt.Errorf("description of store: %w: must be at most %d characters of UTF-8", ErrInvalid, maxDescriptionRunes)
	}
	return nil
}

// checkMetadata checks the lengths of keys and values. It allows all characters: metadata
// is data, and whoever displays it must sanitize it.
func checkMetadata(m map[string]string) error {
	if len(m) > maxMetadata {
		return fmt.Errorf("metadata of store: %w: %d pairs, there may be %d", ErrInvalid, len(m), maxMetadata)
	}
	for k, v := range m {
		switch {
		case k == "" || !utf8.ValidString(k) || utf8.RuneCountInString(k) > maxMetadataKey:
			return fmt.Errorf("metadata of store: %w: key %q must be 1 to %d characters of UTF-8", ErrInvalid, k, maxMetadataKey)
		case !utf8.ValidString(v) || utf8.RuneCountInString(v) > maxMetadataValue:
			return fmt.Errorf("metadata of store: %w: the value of %q must be at most %d characters of UTF-8", ErrInvalid, k, maxMetadataValue)
		}
	}
	return nil
}

// UpdateStore changes the description of a store, completely or not at all. It updates a
// hosted store's service first, except for the name.
func (t *Trail) UpdateStore(ctx context.Context, by By, id StoreID, u StoreUpdate) (StoreInfo, error) {
	if err := errors.Join(u.Check(), t.mayAdminister(ctx, by, id, "settings"), t.mayChange()); err != nil {
		return StoreInfo{}, err
	}
	if info, _, err := t.storeByID(ctx, id); err != nil {
		return info, err
	} else if info.Hosted() && info.Archived.IsZero() {
		if err := t.describeUpstream(ctx, info, u); err != nil {
			return info, err
		}
	}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	defer unlock()
	info, row, err := t.storeByID(ctx, id)
	if err != nil {
		return info, err
	}
	if !info.Archived.IsZero() {
		return info, fmt.Errorf("describe store %s: %w", info.Name, ErrArchived)
	}
	if u.Name != nil && *u.Name != info.Name {
		all, err := t.Stores(ctx)
		if err != nil {
			return info, err
		}
		if info.Name, err = chooseName(all, *u.Name, ""); err != nil {
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
	if err := checkMetadata(metadata); err != nil {
		return info, err
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return info, err
	}
	if err := t.updateLocked(ctx, `UPDATE store SET name=?, title=?, description=?, metadata=?, updated=? WHERE id=?`,
		info.Name, info.Title, info.Description, string(text), t.now().UnixMicro(), row); err != nil {
		return info, fmt.Errorf("update store %s: %w", info.Name, err)
	}
	info, _, err = t.storeByID(ctx, id)
	return info, err
}
