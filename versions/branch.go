package versions

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions/disk"
)

// Branch is the git branch that a store is kept in step with, and how far it is. Package gitsync keeps it.
type Branch struct {
	URL    string
	Name   string
	Subdir string // the folder that holds the memories, relative to the repository's root; "": the root itself
	Head   string // id of the last commit here: it has all changes up to Sent, and all that was taken in
	Remote string // id of the last known commit there
	Sent   int64  // number of the last change in Head
	Waits  bool   // the tree of Head has texts of held changes where the store has others
	Erased bool   // a redaction erased something of the store, and removed the repository here; the branch there still has it
}

// Branch returns the branch of the store; false if it has none.
func (s *Store) Branch(ctx context.Context) (b Branch, ok bool, err error) {
	err = s.t.db.Row(ctx, `SELECT url,name,subdir,head,remote,sent,waits,erased FROM branch WHERE store=?`, s.id).
		Scan(&b.URL, &b.Name, &b.Subdir, &b.Head, &b.Remote, &b.Sent, &b.Waits, &b.Erased)
	if errors.Is(err, sql.ErrNoRows) {
		return b, false, nil
	}
	return b, err == nil, err
}

// BranchState is what is known of a branch without asking its repository.
type BranchState struct {
	Branch
	ToSend  int       // changes of the store that are not on it, as far as that is known here
	Waiting int       // changes that came from it and wait for a person
	Comes   int       // commits that it had at Seen, and this home had not
	Seen    time.Time // when it was looked at last; zero: never
}

// Branches returns the branches of all stores that have one.
func (t *Trail) Branches(ctx context.Context) (map[StoreID]BranchState, error) {
	out := map[StoreID]BranchState{}
	var id StoreID
	var b BranchState
	rows := t.db.Rows(ctx, `SELECT s.uid,b.url,b.name,b.subdir,b.head,b.remote,b.sent,b.waits,b.erased,nullif(b.seen,0),b.comes,
		(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.sent AND NOT EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number))
			+(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.pushed AND c.number<=b.sent AND EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number)
			AND c.door IS NOT ?),
		(SELECT count(*) FROM shared x JOIN held h ON h.id=x.held WHERE x.store=b.store AND h.state='waiting')
		FROM branch b JOIN store s ON s.id=b.store`, int64(DoorGit))
	for range rows.Each(idTo(&id), &b.URL, &b.Name, &b.Subdir, &b.Head, &b.Remote, &b.Sent, &b.Waits, &b.Erased, timeTo(&b.Seen), &b.Comes, &b.ToSend, &b.Waiting) {
		out[id] = b
	}
	return out, rows.Err()
}

// SawBranch records that the branch was looked at now, and how many commits it has that are not here.
func (s *Store) SawBranch(ctx context.Context, comes int) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		return s.inNonDurableTx(ctx, func(x *txn) error {
			return x.Exec(`UPDATE branch SET seen=?,comes=? WHERE store=?`, s.t.now().UnixMicro(), comes, s.id)
		})
	})
}

// branchFolder is the folder of a home that holds the repositories of branches.
const branchFolder = "git"

// BranchDir is the folder of the home for the bare repository of the store's branch. A redaction removes it.
func (s *Store) BranchDir() string {
	return filepath.Join(s.t.home, branchFolder, string(s.info.ID)+".git")
}

// eraseBranches notes that the branches of a store, or of all stores, still have what a redaction erases.
func (x trailTxn) eraseBranches(store int64, all bool) error {
	return x.Exec(`UPDATE branch SET erased=1 WHERE store=? OR ?`, store, all)
}

// removeBranches removes the repositories that may hold what redactions erased, and those of stores that are no more.
func (t *Trail) removeBranches(ctx context.Context) error {
	dirs, err := os.ReadDir(filepath.Join(t.home, branchFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	var id StoreID
	rows := t.db.Rows(ctx, `SELECT s.uid FROM branch b JOIN store s ON s.id=b.store WHERE b.erased=0`)
	for range rows.Each(idTo(&id)) {
		keep[string(id)+".git"] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, d := range dirs {
		if d.IsDir() && !keep[d.Name()] {
			err = errors.Join(err, removeBranch(filepath.Join(t.home, branchFolder, d.Name())))
		}
	}
	return err
}

// removeBranch removes a repository after its files were overwritten.
func removeBranch(dir string) error {
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if err := os.Chmod(name, 0o600); err != nil { // git's are read-only
			return err
		}
		return disk.Erase(name)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// RemoveErased removes the repository of the branch again if a redaction wants that: a sync that ran meanwhile may have
// written it.
func (s *Store) RemoveErased(ctx context.Context) error {
	b, _, err := s.Branch(ctx)
	if err == nil && b.Erased {
		err = removeBranch(s.BranchDir())
	}
	return err
}

// Rewritten records that the branch there was replaced by one without what was erased.
func (s *Store) Rewritten(ctx context.Context) error {
	return s.locked(ctx, func(x *txn) error {
		return x.Exec(`UPDATE branch SET erased=0 WHERE store=?`, s.id)
	})
}

// SetBranch records the branch of the store and how far it is, with the changes that are new on it. It leaves Erased as
// it is.
func (s *Store) SetBranch(ctx context.Context, b Branch, added []Shared) error {
	return s.locked(ctx, func(x *txn) error {
		err := x.Exec(`INSERT INTO branch(store,url,name,subdir,head,remote,sent,waits,pushed) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,iif(?5=?6,?7,0)) ON CONFLICT(store) DO UPDATE
			SET url=?2,name=?3,subdir=?4,head=?5,remote=?6,sent=?7,waits=?8,pushed=iif(?5=?6,?7,pushed)`, s.id, b.URL, b.Name, b.Subdir, b.Head, b.Remote, b.Sent, b.Waits)
		for _, a := range added {
			if err == nil {
				err = x.share(a.ID, a.Change, 0)
			}
		}
		return err
	})
}
