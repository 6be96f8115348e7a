package gitsync

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/redact"
)

// Branch returns the branch of the store; false if it has none.
func Branch(ctx context.Context, s *core.Store) (b versions.Branch, ok bool, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT url,name,subdir,head,remote,sent,waits,erased FROM branch WHERE store=?`, s.Row).
		Scan(&b.URL, &b.Name, &b.Subdir, &b.Head, &b.Remote, &b.Sent, &b.Waits, &b.Erased)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	return b, err == nil, err
}

// Branches returns the branches of all stores that have one.
func Branches(ctx context.Context, t *core.Trail) (map[versions.StoreID]versions.BranchState, error) {
	out := map[versions.StoreID]versions.BranchState{}
	return out, core.View(ctx, t, func(q tables.Reader) error {
		var id versions.StoreID
		var b versions.BranchState
		var store int64
		waiting := map[versions.StoreID]int64{}
		rows := q.Rows(`SELECT s.id,s.uid,b.url,b.name,b.subdir,b.head,b.remote,b.sent,b.waits,b.erased,nullif(b.seen,0),b.comes,
		(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.sent AND NOT EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number))
			+(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.pushed AND c.number<=b.sent AND EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number)
			AND c.door IS NOT ?),
		(SELECT count(*) FROM shared x JOIN held h ON h.id=x.held WHERE x.store=b.store AND h.state='waiting')
		FROM branch b JOIN store s ON s.id=b.store`, int64(versions.DoorGit))
		for range rows.Each(&store, tables.IDTo(&id), &b.URL, &b.Name, &b.Subdir, &b.Head, &b.Remote, &b.Sent, &b.Waits, &b.Erased, tables.TimeTo(&b.Seen), &b.Comes, &b.ToSend, &b.Waiting) {
			if out[id] = b; b.Waiting > 0 {
				waiting[id] = store
			}
		}
		err := rows.Err()
		for id, store := range waiting {
			if err == nil {
				b := out[id]
				b.Delayed, err = delayed(q, store, b.Sent)
				b.ToSend -= b.Delayed
				out[id] = b
			}
		}
		return err
	})
}

// SawBranch records that the branch was looked at now, and how many commits it has that are not here.
func SawBranch(ctx context.Context, s *core.Store, comes int) error {
	return core.Exclusively(ctx, s, func(ctx context.Context) error {
		return core.InNonDurableTx(ctx, s, func(x *core.Txn) error {
			x.Exec(`UPDATE branch SET seen=?,comes=? WHERE store=?`, s.Trail.Now().UnixMicro(), comes, s.Row)
			return x.Err()
		})
	})
}

// BranchDir is the folder of the home for the bare repository of the store's branch. A redaction removes it.
func BranchDir(s *core.Store) string {
	return filepath.Join(s.Trail.Folder, redact.BranchFolder, string(s.Opened.ID)+".git")
}

// RemoveErased removes the repository of the branch again if a redaction wants that: a sync that ran meanwhile may have
// written it.
func RemoveErased(ctx context.Context, s *core.Store) error {
	b, _, err := Branch(ctx, s)
	if err == nil && b.Erased {
		err = redact.RemoveBranch(BranchDir(s))
	}
	return err
}

// Rewritten records that the branch there was replaced by one without what was erased.
func Rewritten(ctx context.Context, s *core.Store) error {
	return core.Locked(ctx, s, func(x *core.Txn) error {
		x.Exec(`UPDATE branch SET erased=0 WHERE store=?`, s.Row)
		return x.Err()
	})
}

// SetBranch records the branch of the store and how far it is, with the changes that are new on it. It leaves Erased as
// it is.
func SetBranch(ctx context.Context, s *core.Store, b versions.Branch, added []versions.Shared) error {
	return core.Locked(ctx, s, func(x *core.Txn) error {
		x.Exec(`INSERT INTO branch(store,url,name,subdir,head,remote,sent,waits,pushed) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,iif(?5=?6,?7,0)) ON CONFLICT(store) DO UPDATE
			SET url=?2,name=?3,subdir=?4,head=?5,remote=?6,sent=?7,waits=?8,pushed=iif(?5=?6,?7,pushed)`, s.Row, b.URL, b.Name, b.Subdir, b.Head, b.Remote, b.Sent, b.Waits)
		for _, a := range added {
			x.Share(a.ID, a.Change, 0)
		}
		return x.Err()
	})
}
