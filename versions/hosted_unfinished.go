package versions

import (
	"context"

	"github.com/memend/memend/versions/db"
)

// Unfinished describes work on a store that was started but is not complete.
type Unfinished struct {
	Changes    []int64 // recorded, but not yet written to the folder; oldest first
	Redactions int     // redactions whose text is not yet erased from every file of the home
	There      int     // redactions whose versions the service of a hosted store has not yet erased
}

// Unfinished lists the incomplete work on the store. A store finishes what it can when it is opened
// and before each change, so the remaining work waits for something else: free space, a writable
// folder or a service that answers.
func (s *Store) Unfinished(ctx context.Context) (u Unfinished, err error) {
	err = s.t.view(ctx, func(q reader) error {
		if u.Changes, err = db.Values[int64](q.Rows(`SELECT number FROM change WHERE store=? AND id IN (SELECT change FROM intent WHERE store=? AND carried=0) ORDER BY number`, s.id, s.id)); err != nil {
			return err
		}
		return q.Row(`SELECT (SELECT count(*) FROM redaction WHERE store=?1 AND pending>0), (SELECT count(*) FROM redaction WHERE store=?1 AND pending<0)`, s.id).Scan(&u.Redactions, &u.There)
	})
	return u, err
}
