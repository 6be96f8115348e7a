package stores

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// SetLimits sets all limits of a store. A running process applies them to writes at once
// and to views within a second.
func SetLimits(ctx context.Context, t *core.Trail, by versions.By, id versions.StoreID, l versions.Limits) error {
	if err := core.MayAdministerStore(ctx, t, by, id, "settings"); err != nil {
		return err
	}
	if min(l.Bytes, l.Memories, l.ViewChars) < versions.NoLimit {
		return fmt.Errorf("limits of store: %w: a limit is a number above 0, or none", versions.ErrInvalid)
	}
	info, _, err := core.StoreByID(ctx, t, id)
	if err != nil {
		return err
	}
	if !info.Archived.IsZero() {
		return fmt.Errorf("limits of %w", &versions.ArchivedError{Store: info.Name})
	}
	defer t.Settings.Add(1)
	return core.Update(ctx, t, `UPDATE store SET max_bytes=?, max_memories=?, view_chars=?, updated=? WHERE uid=?`,
		tables.LimitValue(l.Bytes), tables.LimitValue(l.Memories), tables.LimitValue(l.ViewChars), t.Now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}
