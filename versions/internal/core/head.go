package core

import (
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// Head is the trail's record of one live memory: its newest version, and the signature its
// file had when the content was last verified.
type Head struct {
	Path    memfs.Path
	Memory  int64
	Version int64
	SHA     versions.Hash
	sig     memfs.Sig
	seen    int64 // when sig was taken, in nanoseconds of the system clock
}

// Live reports whether the memory exists.
func (h Head) Live() bool { return h.Memory != 0 }

// RacyWindow is how recent a file's times may be for a later write to leave them unchanged:
// kernels before 6.13 round file times to ticks of up to 4 ms.
const RacyWindow = 20 * time.Millisecond

// Fresh reports whether a file with signature g certainly holds the head's content. FAT
// and some other file systems store whole seconds, so fresh trusts times without a
// fraction only when they are old.
func (h Head) Fresh(g memfs.Sig) bool {
	if !h.Live() || h.sig != g {
		return false
	}
	window := RacyWindow
	if g.Mtime%int64(time.Second) == 0 && g.Ctime%int64(time.Second) == 0 {
		window = 2 * time.Second
	}
	return max(g.Mtime, g.Ctime) < h.seen-int64(window)
}

// headAtPath queries the head at a path of a store; oneHead scans the row.
const headAtPath = `SELECT memory,version,sha,size,mtime,ctime,ino,seen FROM head WHERE store=? AND path=?`

// oneHead scans a row into a head. The head isn't live if there is no row.
func oneHead(row db.Row, p memfs.Path) (Head, error) {
	h := Head{Path: p}
	err := row.Scan(&h.Memory, &h.Version, HashTo(&h.SHA), &h.sig.Size, &h.sig.Mtime, &h.sig.Ctime, (*inode)(&h.sig.Ino), &h.seen)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	return h, err
}

// Head returns the head at a path. It isn't live if no memory is there.
func (x *Txn) Head(p memfs.Path) (Head, error) {
	return oneHead(x.Row(headAtPath, x.Store.Row, versions.Key(p)), p)
}

// HeadOf returns the head of a memory. Its path is zero if the memory is deleted.
func (x *Txn) HeadOf(memory int64) (Head, error) {
	var p memfs.Path
	err := x.Row(`SELECT path FROM head WHERE memory=?`, memory).Scan(PathTo(&p))
	if errors.Is(err, sql.ErrNoRows) {
		return Head{}, nil
	}
	if err != nil {
		return Head{}, err
	}
	return x.Head(p)
}

// HeadsIn lists the live memories at p and below it.
func (x *Txn) HeadsIn(p memfs.Path) ([]memfs.Path, error) {
	return AllPaths(x.Rows(`SELECT path FROM head WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0' OR ?2='') ORDER BY path`, x.Store.Row, versions.Key(p)))
}

// insertHead makes v the head of its memory, whose old head must already be deleted. A
// zero signature is never fresh, so the next scan reads the file.
func (x *Txn) insertHead(v VersionRow, g memfs.Sig, c *ChangeRow) error {
	return x.InsertSeen(v, g, time.Now().UnixNano(), c)
}

// InsertSeen makes a version the head of its memory, with the state of a file that was seen at a time.
func (x *Txn) InsertSeen(v VersionRow, g memfs.Sig, seen int64, c *ChangeRow) error {
	return x.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
		SELECT ?,?,m.id,v.id,?,?,?,?,?,?,?,?,?,?,?,?,m.uid,v.uid FROM memory m, version v WHERE m.id=? AND v.id=?`,
		x.Store.Row, versions.Key(v.Path), v.Facts.SHA[:], v.Facts.Size, v.Facts.Binary, v.Facts.Hidden,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), seen, c.Number, c.Actor, c.TS, v.Memory, v.ID)
}

// touch records that the file of h was verified to hold its content. It does nothing if the
// head is another one by now.
func (x *Txn) touch(h Head, g memfs.Sig) error {
	return x.Exec(`UPDATE head SET size=?,mtime=?,ctime=?,ino=?,seen=? WHERE store=? AND path=? AND sha=?`,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), time.Now().UnixNano(), x.Store.Row, versions.Key(h.Path), h.SHA[:])
}

// DropHead deletes the head of a memory.
func (x *Txn) DropHead(memory int64) error {
	return x.Exec(`DELETE FROM head WHERE memory=?`, memory)
}

// MoveHeads makes the versions of a change the heads of their memories.
func (x *Txn) MoveHeads(c *ChangeRow, vs []VersionRow) error {
	for _, v := range vs { // delete all heads before inserting any: memories may have swapped paths
		if err := x.DropHead(v.Memory); err != nil {
			return err
		}
	}
	for _, v := range vs {
		if v.Op == versions.Deleted {
			continue
		}
		if err := x.InsertSeen(v, v.sig, v.seen, c); err != nil {
			return err
		}
	}
	return nil
}

// headsBack makes the newest remaining version the head of each memory that has none.
func (x *Txn) headsBack(vs []VersionRow) error {
	for _, v := range vs {
		if err := x.HeadBack(v.Memory); err != nil {
			return err
		}
	}
	return nil
}

// HeadBack makes the newest version of a memory its head again, and deletes the head of one that is deleted.
func (x *Txn) HeadBack(memory int64) error {
	v := VersionRow{Memory: memory}
	var c ChangeRow
	err := x.Row(`SELECT v.id,v.op,v.path,coalesce(v.blob,0),c.number,`+MakerAlone+`,c.ts FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&v.ID, &v.Op, PathTo(&v.Path), &v.Blob, &c.Number, &c.Actor, &c.TS)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (v.Op == versions.Deleted || v.Path.IsRoot()) { // a redacted head can't be listed
		return nil
	}
	if err != nil {
		return err
	}
	if v.Facts, err = x.FactsOfBlob(v.Blob); err != nil {
		return err
	}
	return x.insertHead(v, memfs.Sig{}, &c)
}

// FactsOfBlob computes the facts of a content. If the content is damaged, it uses the
// facts that the trail stores separately.
func (x *Txn) FactsOfBlob(id int64) (f ContentFacts, err error) {
	b, err := blobs.Get(x, id)
	if err == nil {
		return FactsOf(b, versions.Sum(b)), nil
	}
	if !errors.Is(err, versions.ErrDamaged) {
		return f, err
	}
	err = x.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(HashTo(&f.SHA), &f.Size)
	return f, IgnoreNoRows(err)
}

// ContentFacts is what a head records about its content.
type ContentFacts struct {
	SHA    versions.Hash
	Size   int
	Binary bool
	Hidden int
}

// FactsOf returns the facts of a content with a hash.
func FactsOf(b []byte, h versions.Hash) ContentFacts {
	f := ContentFacts{SHA: h, Size: len(b), Binary: !utf8.Valid(b)}
	if !f.Binary {
		f.Hidden = memfs.Hidden(b)
	}
	return f
}

// inode scans an unsigned inode number from SQLite's signed integers.
type inode uint64

func (i *inode) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return errors.New("inode is not a number")
	}
	*i = inode(n)
	return nil
}
