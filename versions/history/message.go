package history

import (
	"context"
	"strconv"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// Message returns the whole message of the commit that a change was imported from, and the e-mail
// address of its author. Both are empty when unknown.
func Message(ctx context.Context, s *core.Store, change int64) (message, email string, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT coalesce(message,''),coalesce(email,'') FROM change WHERE store=? AND number=?`, s.Row, change).Scan(&message, &email)
	return message, email, core.NotFound(err, versions.ErrNoChange, strconv.FormatInt(change, 10))
}
