package review

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// MinRejected is the length, in bytes, from which on a rejected line is remembered.
const MinRejected = core.MinRejected

// Remembered reports whether any line is remembered for a change that was just rejected.
func Remembered(ctx context.Context, t *core.Trail, n int64) (yes bool, err error) {
	err = t.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM rejected WHERE held=?)`, n).Scan(&yes)
	return yes, err
}

// RejectUndone is Reject for changes that were made before, and that the change undo has undone. The lines that the
// undo removed are remembered, and each session that had made one of the changes is told the reason with its next
// change. It returns the numbers of the decisions, one for each session, and none if undo undid nothing. Only a person
// may reject.
func RejectUndone(ctx context.Context, s *core.Store, by versions.By, undo int64, reason string) (numbers []int64, err error) {
	err = core.AsPerson(ctx, s, by, fmt.Sprintf("reject what change %d undid", undo), func(x *core.Txn) error {
		removed, err := x.RemovedBy(undo)
		if err != nil {
			return err
		}
		rows, err := db.Values[int64](x.Rows(`SELECT max(c.id)`+tables.ChangeTables+`WHERE c.store=? AND c.undone_by=? GROUP BY a.id,s.id ORDER BY max(c.id)`, s.Row, undo))
		if err != nil {
			return err
		}
		for _, change := range rows {
			n := x.Insert(`INSERT INTO held(store,kind,path,dest,actor,session,tool_use,turn,door,inputs,rule,ts)
				SELECT c.store,c.kind,c.path,c.dest,a.id,s.id,`+tables.CallOf+`,`+tables.TurnOf+`,coalesce(c.door,0),c.inputs,'',c.ts`+tables.ChangeTables+`WHERE c.id=?`, change)
			if err := x.Decided(n, versions.HeldRejected, by, undo, reason); err != nil {
				return err
			}
			numbers = append(numbers, n)
		}
		if len(numbers) == 0 {
			return nil
		}
		return x.Reject(removed, numbers[len(numbers)-1])
	})
	return numbers, err
}
