package tables

import (
	"database/sql"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
)

// Head is the trail's record of one live memory: its newest version, and the signature its
// file had when the content was last verified.
type Head struct {
	Path    memfs.Path
	Memory  int64
	Version int64
	SHA     versions.Hash
	Sig     memfs.Sig
	Seen    int64 // when sig was taken, in nanoseconds of the system clock
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
	if !h.Live() || h.Sig != g {
		return false
	}
	window := RacyWindow
	if g.Mtime%int64(time.Second) == 0 && g.Ctime%int64(time.Second) == 0 {
		window = 2 * time.Second
	}
	return max(g.Mtime, g.Ctime) < h.Seen-int64(window)
}

// HeadAtPath queries the head at a path of a store; ScanHead scans the row.
const HeadAtPath = `SELECT memory,version,sha,size,mtime,ctime,ino,seen FROM head WHERE store=? AND path=?`

// ScanHead scans a row into a head. The head isn't live if there is no row.
func ScanHead(row db.Row, p memfs.Path) (Head, error) {
	h := Head{Path: p}
	err := row.Scan(&h.Memory, &h.Version, HashTo(&h.SHA), &h.Sig.Size, &h.Sig.Mtime, &h.Sig.Ctime, (*inode)(&h.Sig.Ino), &h.Seen)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil
	}
	return h, err
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

// A listing and a sync read every head, and the first screen waits for the listing. SQLite's driver makes a value of
// each column of each row, which takes 15 ms for 10,000 heads. So SQLite joins the columns and the rows to one value,
// which takes 6 ms. What a listing shows is joined when a head is written, in the column packed (repair.PackedHead):
// reading that takes 2 ms.

// headsPacked selects an expression of the next 1,000 heads after a path, in the order of the primary key, and the path of
// the last one. All heads at once would take more memory than what is made of them.
func headsPacked(packed string) string {
	return `SELECT coalesce(group_concat(` + packed + `,''),''),coalesce(max(path),'') FROM head WHERE store=?1 AND path>?2
		AND path<=coalesce((SELECT path FROM head WHERE store=?1 AND path>?2 ORDER BY path LIMIT 1 OFFSET 999), x'')`
}

// Of the heads: what a listing shows, and what a sync compares.
var (
	ListedHeads  = headsPacked(`packed`)
	ScannedHeads = headsPacked(`concat(memory,' ',version,' ',seen,' ',size,' ',mtime,' ',ctime,' ',ino,' ',
		octet_length(path),' ',path,length(sha),' ',sha)`)
)

// ErrPacked says that joined heads are damaged.
var ErrPacked = fmt.Errorf("%w: a row of the table of heads", versions.ErrDamaged)

// CountHeads selects the number of the memories of a store.
const CountHeads = `SELECT CASE (SELECT count(*) FROM store) WHEN 1 THEN (SELECT count(*) FROM head)
	ELSE (SELECT count(*) FROM head WHERE store=?) END`
