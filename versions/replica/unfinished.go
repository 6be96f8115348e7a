package replica

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
)

// Unfinished lists the incomplete work on the store. A store finishes what it can when it is opened
// and before each change, so the remaining work waits for something else: free space, a writable
// folder or a service that answers.
func Unfinished(ctx context.Context, s *core.Store) (u versions.Unfinished, err error) {
	err = core.View(ctx, s.Trail, func(q core.Reader) error {
		if u.Changes, err = db.Values[int64](q.Rows(`SELECT number FROM change WHERE store=? AND id IN (SELECT change FROM intent WHERE store=? AND carried=0) ORDER BY number`, s.Row, s.Row)); err != nil {
			return err
		}
		return q.Row(`SELECT (SELECT count(*) FROM redaction WHERE store=?1 AND pending>0), (SELECT count(*) FROM redaction WHERE store=?1 AND pending<0)`, s.Row).Scan(&u.Redactions, &u.There)
	})
	return u, err
}
