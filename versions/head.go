package versions

import (
	"database/sql"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
)

// head is the trail's idea of one live memory: which version is newest, and what
// its file looked like when that was last known to be true.
type head struct {
	path    memfs.Path
	memory  int64
	version int64
	sha     Hash
	sig     memfs.Sig
	seen    int64 // when sig was taken, in nanoseconds by the system's clock
}

// live reports whether the memory stands.
func (h head) live() bool { return h.memory != 0 }

// racyWindow is how close to the look at a file its times may be and still
// change unseen: kernels before 6.13 tick at up to 4 ms.
const racyWindow = 20 * time.Millisecond

// fresh reports whether a file with signature g certainly holds the head's
// content. FAT and some others keep whole seconds, so times without a fraction
// are trusted only when they are old.
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

// headAtPath asks for the head at a path of a store; oneHead reads the answer.
const headAtPath = `SELECT memory,version,sha,size,mtime,ctime,ino,seen FROM head WHERE store=? AND path=?`

// oneHead is the head of a row, not live where there is none.
func oneHead(row scanner, p memfs.Path) (head, error) {
	h := head{path: p}
	var sha []byte
	err := row.Scan(&h.memory, &h.version, &sha, &h.sig.Size, &h.sig.Mtime, &h.sig.Ctime, (*inode)(&h.sig.Ino), &h.seen)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	copy(h.sha[:], sha)
	return h, err
}

// head is the head at a path, not live where there is none.
func (x *txn) head(p memfs.Path) (head, error) { return oneHead(x.Row(headAtPath, x.s.id, key(p)), p) }

// headOf is the head of a memory; its path is zero when the memory is deleted.
func (x *txn) headOf(memory int64) (head, error) {
	var k string
	err := x.Row(`SELECT path FROM head WHERE memory=?`, memory).Scan(&k)
	if errors.Is(err, sql.ErrNoRows) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	p, err := pathOf(k)
	if err != nil {
		return head{}, err
	}
	return x.head(p)
}

// headsIn lists the live memories at p and below it.
func (x *txn) headsIn(p memfs.Path) ([]memfs.Path, error) {
	var out []memfs.Path
	for row, err := range x.Each(`SELECT path FROM head WHERE store=?1 AND (path=?2 OR path>?2||'/' AND path<?2||'0' OR ?2='') ORDER BY path`, x.s.id, key(p)) {
		if err != nil {
			return nil, err
		}
		var k string
		if err := row.Scan(&k); err != nil {
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

// insertHead makes v the head of its memory, whose old head is out of the way. A
// zero signature is never fresh: the file is read at the next look.
func (x *txn) insertHead(v versionRow, g memfs.Sig, c *changeRow) error {
	return x.insertSeen(v, g, time.Now().UnixNano(), c)
}

func (x *txn) insertSeen(v versionRow, g memfs.Sig, seen int64, c *changeRow) error {
	return x.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
		SELECT ?,?,m.id,v.id,?,?,?,?,?,?,?,?,?,?,?,?,m.uid,v.uid FROM memory m, version v WHERE m.id=? AND v.id=?`,
		x.s.id, key(v.path), v.facts.sha[:], v.facts.size, v.facts.binary, v.facts.hidden,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), seen, c.number, c.actor, c.ts, v.memory, v.id)
}

// touch records that the file of h was seen to hold its content.
func (x *txn) touch(h head, g memfs.Sig) error {
	return x.Exec(`UPDATE head SET size=?,mtime=?,ctime=?,ino=?,seen=? WHERE store=? AND path=?`,
		g.Size, g.Mtime, g.Ctime, int64(g.Ino), time.Now().UnixNano(), x.s.id, key(h.path))
}

func (x *txn) dropHead(memory int64) error {
	return x.Exec(`DELETE FROM head WHERE memory=?`, memory)
}

// moveHeads makes the versions of a change the heads of their memories.
func (x *txn) moveHeads(c *changeRow, vs []versionRow) error {
	for _, v := range vs { // first all out, then in: memories may have swapped places
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

// headsBack makes the newest version that is left of each memory its head, where
// they have none.
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
	var path string
	err := x.Row(`SELECT v.id,v.op,coalesce(v.path,''),coalesce(v.blob,0),c.number,c.actor,c.ts FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? ORDER BY v.number DESC LIMIT 1`, memory).Scan(&v.id, &v.op, &path, &v.blob, &c.number, &c.actor, &c.ts)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (v.op == Deleted || path == "") { // redacted: it can't be shown
		return nil
	}
	if err != nil {
		return err
	}
	if v.path, err = pathOf(path); err != nil {
		return err
	}
	if v.facts, err = x.factsOfBlob(v.blob); err != nil {
		return err
	}
	return x.insertHead(v, memfs.Sig{}, &c)
}

// factsOfBlob reads a content for its facts; of a damaged one those are known
// that stand beside it.
func (x *txn) factsOfBlob(id int64) (f contentFacts, err error) {
	b, err := blobContent(x, id)
	if err == nil {
		return factsOf(b, sum(b)), nil
	}
	if !errors.Is(err, ErrDamaged) {
		return f, err
	}
	var sha []byte
	err = x.Row(`SELECT sha,size FROM blob WHERE id=?`, id).Scan(&sha, &f.size)
	if errors.Is(err, sql.ErrNoRows) {
		return f, nil
	}
	copy(f.sha[:], sha)
	return f, err
}

// contentFacts is what a head says of its content.
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

// inode reads an unsigned number from SQLite's signed ones.
type inode uint64

func (i *inode) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return errors.New("inode is not a number")
	}
	*i = inode(n)
	return nil
}
