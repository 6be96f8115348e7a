package core

import (
	"database/sql"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
)

// Head returns the head at a path. It isn't live if no memory is there.
func (x *Txn) Head(p memfs.Path) (tables.Head, error) {
	return tables.ScanHead(x.Row(tables.HeadAtPath, x.Store.Row, versions.Key(p)), p)
}

// HeadOf returns the head of a memory. Its path is zero if the memory is deleted.
func (x *Txn) HeadOf(memory int64) (tables.Head, error) {
	var p memfs.Path
	err := x.Row(`SELECT path FROM head WHERE memory=?`, memory).Scan(tables.PathTo(&p))
	if errors.Is(err, sql.ErrNoRows) {
		return tables.Head{}, nil
	}
	if err != nil {
		return tables.Head{}, err
	}
	return x.Head(p)
}

// HeadsIn lists the live memories at p and below it.
func (x *Txn) HeadsIn(p memfs.Path) ([]memfs.Path, error) {
	return tables.AllPaths(x.Rows(`SELECT path FROM head WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0' OR ?2='') ORDER BY path`, x.Store.Row, versions.Key(p)))
}

// insertHead makes v the head of its memory, whose old head must already be deleted. A
// zero signature is never fresh, so the next scan reads the file.
func (x *Txn) insertHead(v VersionRow, g memfs.Sig, c *ChangeRow) {
	x.InsertSeen(v, g, time.Now().UnixNano(), c)
}

// InsertSeen makes a version the head of its memory, with the state of a file that was seen at a time.
func (x *Txn) InsertSeen(v VersionRow, g memfs.Sig, seen int64, c *ChangeRow) {
	x.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
		SELECT ?,?,m.id,v.id,?,?,?,?,?,?,?,?,?,?,?,?,m.uid,v.uid FROM memory m, version v WHERE m.id=? AND v.id=?`,
		x.Store.Row, versions.Key(v.Path), v.Facts.SHA[:], v.Facts.Size, v.Facts.Binary, v.Facts.Hidden,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), seen, c.Number, c.Actor, c.TS, v.Memory, v.ID)
}

// touch records that the file of h was verified to hold its content. It does nothing if the
// head is another one by now.
func (x *Txn) touch(h tables.Head, g memfs.Sig) {
	x.Exec(`UPDATE head SET size=?,mtime=?,ctime=?,ino=?,seen=? WHERE store=? AND path=? AND sha=?`,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), time.Now().UnixNano(), x.Store.Row, versions.Key(h.Path), h.SHA[:])
}

// DropHead deletes the head of a memory.
func (x *Txn) DropHead(memory int64) {
	x.Exec(`DELETE FROM head WHERE memory=?`, memory)
}

// MoveHeads makes the versions of a change the heads of their memories.
func (x *Txn) MoveHeads(c *ChangeRow, vs []VersionRow) {
	for _, v := range vs { // delete all heads before inserting any: memories may have swapped paths
		x.DropHead(v.Memory)
	}
	for _, v := range vs {
		if v.Op == versions.Deleted {
			continue
		}
		x.InsertSeen(v, v.sig, v.seen, c)
	}
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
	err := x.Row(`SELECT v.id,v.op,v.path,coalesce(v.blob,0),c.number,`+tables.MakerAlone+`,c.ts FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&v.ID, &v.Op, tables.PathTo(&v.Path), &v.Blob, &c.Number, &c.Actor, &c.TS)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (v.Op == versions.Deleted || v.Path.IsRoot()) { // a redacted head can't be listed
		return nil
	}
	if err != nil {
		return err
	}
	if v.Facts, err = x.FactsOfBlob(v.Blob); err != nil {
		return err
	}
	x.insertHead(v, memfs.Sig{}, &c)
	return x.Err()
}

// FactsOfBlob computes the facts of a content. If the content is damaged, it uses the
// facts that the trail stores separately.
func (x *Txn) FactsOfBlob(id int64) (f tables.ContentFacts, err error) {
	b, err := blobs.Get(x, id)
	if err == nil {
		return tables.FactsOf(b, versions.Sum(b)), nil
	}
	if !errors.Is(err, versions.ErrDamaged) {
		return f, err
	}
	err = x.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(tables.HashTo(&f.SHA), &f.Size)
	return f, tables.IgnoreNoRows(err)
}
