package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
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
	for row, err := range t.db.Each(ctx, `SELECT s.uid,b.url,b.name,b.subdir,b.head,b.remote,b.sent,b.waits,b.erased,b.seen,b.comes,
		(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.sent AND NOT EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number))
			+(SELECT count(*) FROM change c WHERE c.store=b.store AND c.number>b.pushed AND c.number<=b.sent AND EXISTS(SELECT 1 FROM shared WHERE store=b.store AND change=c.number)
			AND c.door IS NOT ?),
		(SELECT count(*) FROM shared x JOIN held h ON h.id=x.held WHERE x.store=b.store AND h.state='waiting')
		FROM branch b JOIN store s ON s.id=b.store`, int64(DoorGit)) {
		if err != nil {
			return nil, err
		}
		var uid []byte
		var b BranchState
		var seen int64
		if err := row.Scan(&uid, &b.URL, &b.Name, &b.Subdir, &b.Head, &b.Remote, &b.Sent, &b.Waits, &b.Erased, &seen, &b.Comes, &b.ToSend, &b.Waiting); err != nil {
			return nil, err
		}
		if seen > 0 {
			b.Seen = fromMicros(seen)
		}
		out[StoreID(ids.Format(ids.StorePrefix, uid))] = b
	}
	return out, nil
}

// SawBranch records that the branch was looked at now, and how many commits it has that are not here.
func (s *Store) SawBranch(ctx context.Context, comes int) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		x, err := s.beginNonDurable(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		if err := x.Exec(`UPDATE branch SET seen=?,comes=? WHERE store=?`, s.t.now().UnixMicro(), comes, s.id); err != nil {
			return err
		}
		return x.Commit()
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
	for row, err := range t.db.Each(ctx, `SELECT s.uid FROM branch b JOIN store s ON s.id=b.store WHERE b.erased=0`) {
		if err != nil {
			return err
		}
		var uid []byte
		if err := row.Scan(&uid); err != nil {
			return err
		}
		keep[ids.Format(ids.StorePrefix, uid)+".git"] = true
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
	return s.exclusively(ctx, func(ctx context.Context) error {
		x, err := s.begin(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		if err := x.Exec(`UPDATE branch SET erased=0 WHERE store=?`, s.id); err != nil {
			return err
		}
		return x.Commit()
	})
}

// Shared is a change that is on the branch.
type Shared struct {
	ID     string // that it has there
	Change int64  // its number here; 0: it is a merge
}

// SetBranch records the branch of the store and how far it is, with the changes that are new on it. It leaves Erased as
// it is.
func (s *Store) SetBranch(ctx context.Context, b Branch, added []Shared) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		x, err := s.begin(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		err = x.Exec(`INSERT INTO branch(store,url,name,subdir,head,remote,sent,waits,pushed) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,iif(?5=?6,?7,0)) ON CONFLICT(store) DO UPDATE
			SET url=?2,name=?3,subdir=?4,head=?5,remote=?6,sent=?7,waits=?8,pushed=iif(?5=?6,?7,pushed)`, s.id, b.URL, b.Name, b.Subdir, b.Head, b.Remote, b.Sent, b.Waits)
		for _, a := range added {
			if err == nil {
				err = x.share(a.ID, a.Change, 0)
			}
		}
		if err != nil {
			return err
		}
		return x.Commit()
	})
}

// share records that a change is on the branch.
func (x *txn) share(id string, change, held int64) error {
	return x.Exec(`INSERT INTO shared(store,id,change,held) VALUES(?,?,?,?) ON CONFLICT DO NOTHING`, x.s.id, id, null(change), null(held))
}

// shareAll is share for a change with several names. The number goes with the first: under that the change goes out again.
func (x *txn) shareAll(ids []string, change, held int64) error {
	for i, id := range ids {
		if i > 0 {
			change, held = 0, 0
		}
		if err := x.share(id, change, held); err != nil {
			return err
		}
	}
	return nil
}

// IsShared reports whether a change is known to be on the branch.
func (s *Store) IsShared(ctx context.Context, id string) (known bool, err error) {
	err = s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared WHERE store=? AND id=?)`, s.id, id).Scan(&known)
	return known, err
}

// Did reports whether the change that has the id of an incoming one did exactly the same. A text that was erased may have
// been any.
func (s *Store) Did(ctx context.Context, in Incoming) (did bool, err error) {
	for _, f := range in.Files {
		err := s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id AND v.path=?3 LEFT JOIN blob b ON b.id=v.blob
			LEFT JOIN version w ON w.memory=v.memory AND w.number=v.number-1 LEFT JOIN blob a ON a.id=w.blob
			WHERE s.store=?1 AND s.id=?2 AND b.sha IS ?4 AND (a.sha IS ?5 OR w.redacted IS NOT NULL))`, s.id, in.ID, key(f.Path), sumUnlessNil(f.After), sumUnlessNil(f.Before)).Scan(&did)
		if err != nil || !did {
			return false, err
		}
	}
	return did, nil
}

func sumUnlessNil(b []byte) any {
	if b == nil {
		return nil
	}
	return sumOf(b)
}

// SharedIDs returns the ids of the changes that are on the branch, by their numbers.
func (s *Store) SharedIDs(ctx context.Context) (map[int64]string, error) {
	out := map[int64]string{}
	for row, err := range s.t.db.Each(ctx, `SELECT change,id FROM shared WHERE store=? AND change IS NOT NULL`, s.id) {
		if err != nil {
			return nil, err
		}
		var n int64
		var id string
		if err := row.Scan(&n, &id); err != nil {
			return nil, err
		}
		out[n] = id
	}
	return out, nil
}

// HasSession reports whether a change of the store is of a session.
func (s *Store) HasSession(ctx context.Context, id SessionID) (has bool, err error) {
	err = s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM change WHERE store=? AND session=(SELECT id FROM session WHERE uid=?))`, s.id, string(id)).Scan(&has)
	return has, err
}

// Erased is a change on the branch of which something was erased here.
type Erased struct {
	Change int64
	Kept   map[memfs.Path]bool // the memories that it wrote and whose text was not erased; of the others no path is known
}

// Erased returns the changes on the branch of which something was erased, by their ids there. That is all that is known:
// neither a text nor a hash of one stays.
func (s *Store) Erased(ctx context.Context) (map[string]Erased, error) {
	out := map[string]Erased{}
	for row, err := range s.t.db.Each(ctx, `SELECT s.id,s.change,coalesce(v.path,''),v.redacted IS NOT NULL FROM shared s JOIN change c ON c.store=s.store AND c.number=s.change JOIN version v ON v.change=c.id
		WHERE s.store=?1 AND c.id IN (SELECT v.change FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND v.redacted IS NOT NULL)`, s.id) {
		if err != nil {
			return nil, err
		}
		var id, k string
		var n int64
		var gone bool
		if err := row.Scan(&id, &n, &k, &gone); err != nil {
			return nil, err
		}
		p, err := pathOf(k)
		if err != nil {
			return nil, err
		}
		if _, there := out[id]; !there {
			out[id] = Erased{n, map[memfs.Path]bool{}}
		}
		if !gone {
			out[id].Kept[p] = true
		}
	}
	return out, nil
}

// ErasedPaths returns where the memories of which something was erased are or were, as far as that is known.
func (s *Store) ErasedPaths(ctx context.Context) (out []memfs.Path, err error) {
	for row, err := range s.t.db.Each(ctx, `SELECT DISTINCT path FROM version WHERE path IS NOT NULL AND memory IN
		(SELECT v.memory FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL)`, s.id) {
		var k string
		if err == nil {
			err = row.Scan(&k)
		}
		if err != nil {
			return nil, err
		}
		p, err := pathOf(k)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// TakenCommit is what a change keeps of the commit that it was imported from.
type TakenCommit struct {
	ID      string
	Author  string
	Email   string
	Time    time.Time
	Message string
}

// TakenCommits passes the commits that are the sessions of changes, the newest change first.
func (s *Store) TakenCommits(ctx context.Context) iter.Seq2[TakenCommit, error] {
	return func(yield func(TakenCommit, error) bool) {
		for row, err := range s.t.db.Each(ctx, `SELECT n.uid,a.name,coalesce(c.email,''),c.wall,coalesce(c.message,'') FROM change c JOIN session n ON n.id=c.session JOIN actor a ON a.id=c.actor
			WHERE c.store=? AND length(n.uid) IN (40,64) AND n.uid NOT GLOB '*[^0-9a-f]*' ORDER BY c.number DESC`, s.id) {
			var t TakenCommit
			var wall int64
			if err == nil {
				err = row.Scan(&t.ID, &t.Author, &t.Email, &wall, &t.Message)
			}
			t.Time = time.UnixMicro(wall).UTC()
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Unshare forgets that changes are on the branch, so that they are sent again.
func (s *Store) Unshare(ctx context.Context, shared []string) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		x, err := s.begin(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		for _, id := range shared {
			if err := x.Exec(`DELETE FROM shared WHERE store=? AND id=?`, s.id, id); err != nil {
				return err
			}
		}
		return x.Commit()
	})
}

// Unshared lists the numbers of the changes after a change that are not on the branch, oldest first.
func (s *Store) Unshared(ctx context.Context, after int64) (out []int64, err error) {
	for row, err := range s.t.db.Each(ctx, `SELECT c.number FROM change c WHERE c.store=?1 AND c.number>?2 AND NOT EXISTS(SELECT 1 FROM shared WHERE store=?1 AND change=c.number) ORDER BY c.number`, s.id, after) {
		if err != nil {
			return nil, err
		}
		var n int64
		if err := row.Scan(&n); err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// Awaited returns the paths of memories whose text on the branch waits here for a person.
func (s *Store) Awaited(ctx context.Context) (out []memfs.Path, err error) {
	for row, err := range s.t.db.Each(ctx, `SELECT coalesce(i.path,''),coalesce(v.path,'') FROM shared s JOIN held h ON h.id=s.held JOIN held_item i ON i.held=h.id LEFT JOIN version v ON v.id=i.base
		WHERE s.store=? AND h.state='waiting'`, s.id) {
		if err != nil {
			return nil, err
		}
		var at, from string
		if err := row.Scan(&at, &from); err != nil {
			return nil, err
		}
		for _, k := range []string{at, from} {
			p, err := pathOf(k)
			if err != nil {
				return nil, err
			}
			if !p.IsRoot() {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// Texts passes each current memory with its text to each, in the order of the paths, from one state of the trail: that
// after the change whose number it returns.
func (s *Store) Texts(ctx context.Context, each func(memfs.Path, []byte) error) (last int64, err error) {
	err = s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT changes FROM store WHERE id=?`, s.id).Scan(&last); err != nil {
			return err
		}
		for row, err := range q.Each(`SELECT h.path,v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? ORDER BY h.path`, s.id) {
			if err != nil {
				return err
			}
			var k string
			var blob int64
			if err := row.Scan(&k, &blob); err != nil {
				return err
			}
			p, err := pathOf(k)
			if err != nil {
				return err
			}
			text, err := blobs.Get(q, blob)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Tool(), err)
			}
			if err := each(p, text); err != nil {
				return err
			}
		}
		return nil
	})
	return last, err
}

// Incoming is a change that was made elsewhere: what a commit does to the memories.
type Incoming struct {
	ID      string // that it has wherever it goes
	Commit  string // that it came with: by it alone the change is known to have been taken in
	By      By     // who made it there; its door is DoorGit
	Time    time.Time
	Message string
	Email   string
	Files   []IncomingFile
	Hold    string // why it waits for a person whatever the policy says; "": it doesn't
}

// IncomingFile is what such a change does to one memory.
type IncomingFile struct {
	Path   memfs.Path // of the memory afterwards; of a deleted one, before
	From   memfs.Path // the path before, if it was renamed
	Before []byte     // the text before; nil: there was none
	After  []byte     // the text afterwards; nil: the memory is deleted
}

// TakeIn makes a change that was made elsewhere, on top of other texts than the store's. What changed here since is
// merged with it. It is decided about as any change of its author, and held if it conflicts or is denied: then the error
// is a *HeldError. The zero Change means that the store had all of it.
func (s *Store) TakeIn(ctx context.Context, in Incoming) (Change, error) {
	c, err := s.mutate(ctx, in.By, func(d *mutation) error { return d.takeIn(&in) })
	if err == nil && c.Number == 0 {
		err = s.SetShared(ctx, in.Commit)
	}
	return c, err
}

// MayTakeIn returns an error if somebody may not take in changes in the names of others.
func (s *Store) MayTakeIn(ctx context.Context, by By) error {
	return s.t.mayAdminister(ctx, by, s.info.ID, "import")
}

// Governed reports whether anything but the open policy may decide about what a session writes to the store.
func (s *Store) Governed(ctx context.Context, session SessionID) (bool, error) {
	return s.t.Governed(ctx, s.info.ID, session)
}

// RehearseTakeIn returns the error that TakeIn would return, and changes nothing.
func (s *Store) RehearseTakeIn(ctx context.Context, in Incoming) error {
	return s.rehearse(ctx, in.By, func(d *mutation) error { return d.takeIn(&in) })
}

// SetShared records that a change that is on the branch changed nothing here.
func (s *Store) SetShared(ctx context.Context, id string) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		x, err := s.begin(ctx)
		if err != nil {
			return err
		}
		defer x.Rollback()
		if err := x.share(id, 0, 0); err != nil {
			return err
		}
		return x.Commit()
	})
}

func (d *mutation) takeIn(in *Incoming) error {
	if err := checkWords(&Record{Kind: KindEdit, By: in.By, Message: in.Message, Email: in.Email, Time: in.Time}); err != nil {
		return err
	}
	var items []storedItem
	for _, f := range in.Files {
		it, err := d.incoming(f)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	asked := in.asked()
	d.arrives = &heldBack{by: in.By, asked: asked, stored: items, shared: in.ids()}
	d.asked = asked
	if in.Hold != "" {
		return &heldBack{rule: in.Hold}
	}
	err := d.fulfil(goal{merge: &takeover{asked: asked, items: items}}, nil, nil)
	if err != nil || d.c == nil {
		return err
	}
	return d.x.shareAll(in.ids(), d.c.number, 0)
}

// ids are the names under which the change is known.
func (in *Incoming) ids() []string { return []string{in.ID, in.Commit} }

// wait turns the reason why a change from elsewhere can't be made now into one to hold it.
func (h *heldBack) wait(why error) error {
	var conflict *ConflictsError
	var denied *DeniedError
	var held *heldBack
	switch {
	case h == nil:
		return why
	case errors.As(why, &conflict):
		h.rule = conflict.Conflicts[0].Reason.Error()
	case errors.As(why, &denied):
		h.rule = denied.Why
	case errors.Is(why, memfs.ErrControlFile):
		h.rule = why.Error()
	case errors.As(why, &held):
		h.rule, h.inputs, h.earlier = held.rule, held.inputs, held.earlier
	default:
		return why
	}
	return h
}

// Path is the memory or the folder that the change is about.
func (in *Incoming) Path() memfs.Path {
	var at []memfs.Path
	for _, f := range in.Files {
		at = append(at, f.Path)
	}
	return common(at)
}

// asked returns the request that the change amounts to.
func (in *Incoming) asked() request {
	a := request{kind: KindEdit, path: in.Path(), message: in.Message, email: in.Email, at: in.Time}
	if len(in.Files) == 1 {
		switch f := in.Files[0]; {
		case f.After == nil:
			a.kind = KindDelete
		case !f.From.IsRoot():
			a.kind, a.path, a.to = KindRename, f.From, f.Path
		case f.Before == nil:
			a.kind = KindCreate
		}
	}
	return a
}

// incoming returns what a change from elsewhere does to a memory of this store.
func (d *mutation) incoming(f IncomingFile) (it storedItem, err error) {
	if f.Path.RunsWhenOpened() {
		return it, fmt.Errorf("%s: %w", f.Path.Tool(), memfs.ErrControlFile)
	}
	it = storedItem{path: f.Path, gone: f.After == nil, text: f.After}
	before := f.Path
	if !f.From.IsRoot() {
		before = f.From
	}
	if f.Before != nil {
		it.base = planning.WithText(before, f.Before)
	}
	var row int64
	for _, at := range []memfs.Path{before, f.Path} { // it may have been renamed alike here
		err = d.x.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, d.x.s.id, key(at)).Scan(&row, &it.memory)
		if !errors.Is(err, sql.ErrNoRows) {
			break
		}
	}
	if errors.Is(err, sql.ErrNoRows) && f.Before != nil { // renamed or deleted here
		err = d.x.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.path=? AND v.blob=(SELECT id FROM blob WHERE sha=?)
			ORDER BY v.id DESC LIMIT 1`, d.x.s.id, key(before), sumOf(f.Before)).Scan(&row, &it.memory)
	}
	if err := unlessNone(err); err != nil {
		return it, err
	}
	switch {
	case it.memory == nil:
		it.memory = d.x.s.freshUID()
		it.base = planning.State{} // what it was changed from was never here
	case f.Before != nil:
		var base stateScan
		err := d.x.Row(`SELECT `+stateColumns+` FROM version v LEFT JOIN blob b ON b.id=v.blob WHERE v.memory=? AND v.path=? AND b.sha=? ORDER BY v.id DESC LIMIT 1`,
			row, key(before), sumOf(f.Before)).Scan(base.dest()...)
		switch {
		case err == nil:
			it.base, err = base.state()
		case errors.Is(err, sql.ErrNoRows):
			err = nil
		}
		return it, err
	default:
		it.base = planning.WithText(f.Path, []byte{}) // both sides began with nothing
	}
	return it, nil
}

func sumOf(b []byte) []byte {
	h := sum(b)
	return h[:]
}
