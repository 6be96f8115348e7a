package versions

import (
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// head is the trail's record of one live memory: its newest version, and the signature its
// file had when the content was last verified.
type head struct {
	path    memfs.Path
	memory  int64
	version int64
	sha     Hash
	sig     memfs.Sig
	seen    int64 // when sig was taken, in nanoseconds of the system clock
}

// live reports whether the memory exists.
func (h head) live() bool { return h.memory != 0 }

// racyWindow is how recent a file's times may be for a later write to leave them unchanged:
// kernels before 6.13 round file times to ticks of up to 4 ms.
const racyWindow = 20 * time.Millisecond

// fresh reports whether a file with signature g certainly holds the head's content. FAT
// and some other file systems store whole seconds, so fresh trusts times without a
// fraction only when they are old.
func (h head) fresh(g memfs.Sig) bool {
	if !h.live() || h.sig != g {
		return false
	}
	window := racyWindow
	if g.Mtime%int64(time.Second) == 0 && g.Ctime%int64(time.Second) == 0 {
		window = 2 * time.Second
	}
	return max(g.Mtime, g.Ctime) < h.seen-int64(window)
}

// headAtPath queries the head at a path of a store; oneHead scans the row.
const headAtPath = `SELECT memory,version,sha,size,mtime,ctime,ino,seen FROM head WHERE store=? AND path=?`

// oneHead scans a row into a head. The head isn't live if there is no row.
func oneHead(row db.Row, p memfs.Path) (head, error) {
	h := head{path: p}
	err := row.Scan(&h.memory, &h.version, hashTo(&h.sha), &h.sig.Size, &h.sig.Mtime, &h.sig.Ctime, (*inode)(&h.sig.Ino), &h.seen)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	return h, err
}

// head returns the head at a path. It isn't live if no memory is there.
func (x *txn) head(p memfs.Path) (head, error) { return oneHead(x.Row(headAtPath, x.s.id, key(p)), p) }

// headOf returns the head of a memory. Its path is zero if the memory is deleted.
func (x *txn) headOf(memory int64) (head, error) {
	var p memfs.Path
	err := x.Row(`SELECT path FROM head WHERE memory=?`, memory).Scan(pathTo(&p))
	if errors.Is(err, sql.ErrNoRows) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	return x.head(p)
}

// headsIn lists the live memories at p and below it.
func (x *txn) headsIn(p memfs.Path) ([]memfs.Path, error) {
	return allPaths(x.Rows(`SELECT path FROM head WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0' OR ?2='') ORDER BY path`, x.s.id, key(p)))
}

// insertHead makes v the head of its memory, whose old head must already be deleted. A
// zero signature is never fresh, so the next scan reads the file.
func (x *txn) insertHead(v versionRow, g memfs.Sig, c *changeRow) error {
	return x.insertSeen(v, g, time.Now().UnixNano(), c)
}

func (x *txn) insertSeen(v versionRow, g memfs.Sig, seen int64, c *changeRow) error {
	return x.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
		SELECT ?,?,m.id,v.id,?,?,?,?,?,?,?,?,?,?,?,?,m.uid,v.uid FROM memory m, version v WHERE m.id=? AND v.id=?`,
		x.s.id, key(v.path), v.facts.sha[:], v.facts.size, v.facts.binary, v.facts.hidden,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), seen, c.number, c.actor, c.ts, v.memory, v.id)
}

// touch records that the file of h was verified to hold its content. It does nothing if the
// head is another one by now.
func (x *txn) touch(h head, g memfs.Sig) error {
	return x.Exec(`UPDATE head SET size=?,mtime=?,ctime=?,ino=?,seen=? WHERE store=? AND path=? AND sha=?`,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), time.Now().UnixNano(), x.s.id, key(h.path), h.sha[:])
}

func (x *txn) dropHead(memory int64) error {
	return x.Exec(`DELETE FROM head WHERE memory=?`, memory)
}

// moveHeads makes the versions of a change the heads of their memories.
func (x *txn) moveHeads(c *changeRow, vs []versionRow) error {
	for _, v := range vs { // delete all heads before inserting any: memories may have swapped paths
		if err := x.dropHead(v.memory); err != nil {
			return err
		}
	}
	for _, v := range vs {
		if v.op == Deleted {
			continue
		}
		if err := x.insertSeen(v, v.sig, v.seen, c); err != nil {
			return err
		}
	}
	return nil
}

// headsBack makes the newest remaining version the head of each memory that has none.
func (x *txn) headsBack(vs []versionRow) error {
	for _, v := range vs {
		if err := x.headBack(v.memory); err != nil {
			return err
		}
	}
	return nil
}

func (x *txn) headBack(memory int64) error {
	v := versionRow{memory: memory}
	var c changeRow
	err := x.Row(`SELECT v.id,v.op,v.path,coalesce(v.blob,0),c.number,`+makerAlone+`,c.ts FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&v.id, &v.op, pathTo(&v.path), &v.blob, &c.number, &c.actor, &c.ts)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (v.op == Deleted || v.path.IsRoot()) { // a redacted head can't be listed
		return nil
	}
	if err != nil {
		return err
	}
	if v.facts, err = x.factsOfBlob(v.blob); err != nil {
		return err
	}
	return x.insertHead(v, memfs.Sig{}, &c)
}

// factsOfBlob computes the facts of a content. If the content is damaged, it uses the
// facts that the trail stores separately.
func (x *txn) factsOfBlob(id int64) (f contentFacts, err error) {
	b, err := blobs.Get(x, id)
	if err == nil {
		return factsOf(b, sum(b)), nil
	}
	if !errors.Is(err, ErrDamaged) {
		return f, err
	}
	err = x.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(hashTo(&f.sha), &f.size)
	return f, ignoreNoRows(err)
}

// contentFacts is what a head records about its content.
type contentFacts struct {
	sha    Hash
	size   int
	binary bool
	hidden int
}

func factsOf(b []byte, h Hash) contentFacts {
	f := contentFacts{sha: h, size: len(b), binary: !utf8.Valid(b)}
	if !f.binary {
		f.hidden = memfs.Hidden(b)
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
