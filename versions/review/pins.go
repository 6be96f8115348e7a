package review

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Pins lists the pins of the store by path.
func Pins(ctx context.Context, s *core.Store) (out []versions.Pin, err error) {
	var p versions.Pin
	return db.All(s.Trail.DB.Rows(ctx, `SELECT p.path,p.whom,a.kind,a.name,p.ts FROM pin p JOIN actor a ON a.id=p.actor WHERE p.store=? ORDER BY p.path`, s.Row),
		&p, tables.PathTo(&p.Path), &p.For, &p.By.Kind, &p.By.Name, tables.TimeTo(&p.Time))
}

// Pin makes a memory or folder read-only, whether something is at the path or not. A second pin at
// the same path replaces the first. Only a person may pin.
func Pin(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, whom versions.PinFor) error {
	if err := versions.CheckPin(p, whom); err != nil {
		return err
	}
	return core.AsPerson(ctx, s, by, "pin "+p.Tool(), func(x *core.Txn) error { return x.Pin(s.Row, by.Actor, p, whom, x.TS) })
}

// Unpin removes the pin at a path.
func Unpin(ctx context.Context, s *core.Store, by versions.By, p memfs.Path) error {
	what := "unpin " + p.Tool()
	return core.AsPerson(ctx, s, by, what, func(x *core.Txn) error {
		var path string
		err := x.Row(`DELETE FROM pin WHERE store=? AND path=? RETURNING path`, s.Row, versions.Key(p)).Scan(&path)
		if errors.Is(err, sql.ErrNoRows) {
			err = fmt.Errorf("%s: %w", what, versions.ErrNotPinned)
		}
		return err
	})
}
