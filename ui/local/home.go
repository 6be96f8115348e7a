package local

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

// Home is the home of the stores as the screens use it.
type Home struct{ *engine.Trail }

func (s Home) Sessions(ctx context.Context, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error) {
	return history.HomeSessions(ctx, s.Trail, f, before, limit)
}

func (s Home) Sizes(ctx context.Context) (map[versions.StoreID]versions.StoreSize, error) {
	return history.Sizes(ctx, s.Trail)
}

func (s Home) TraceBack(ctx context.Context, from review.TraceFrom, limit int) (versions.Trace, error) {
	return review.TraceBack(ctx, s.Trail, from, limit)
}

func (s Home) TraceForward(ctx context.Context, from review.TraceFrom, limit int) (versions.Trace, error) {
	return review.TraceForward(ctx, s.Trail, from, limit)
}

func (s Home) ArchiveStore(ctx context.Context, by versions.By, id versions.StoreID) (versions.StoreInfo, error) {
	return stores.Archive(ctx, s.Trail, by, id)
}

func (s Home) CreateStore(ctx context.Context, by versions.By, name string, description string, folder string) (versions.StoreInfo, error) {
	return stores.CreateStore(ctx, s.Trail, by, name, description, folder)
}

func (s Home) UpdateStore(ctx context.Context, by versions.By, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error) {
	return stores.Update(ctx, s.Trail, by, id, u)
}

func (s Home) UseStore(ctx context.Context, id versions.StoreID) error {
	return stores.UseStore(ctx, s.Trail, id)
}

func (s Home) Transfer(ctx context.Context, by versions.By, from versions.StoreID, to versions.StoreID, moves bool, what ...versions.Transfer) (versions.Change, versions.Change, error) {
	return write.Transfer(ctx, s.Trail, by, from, to, moves, what...)
}
