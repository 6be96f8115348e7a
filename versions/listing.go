package versions

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The heads of a store are read in blocks of rows, each column of a block as one
// text. The driver takes a lock, asks for a type and allocates for every value
// that it brings: row by row a listing takes four times as long.

// blockRows bounds what SQLite and the text of a block take.
const blockRows = 4000

// blockColumns is a block of heads, by path in byte order: how many, and their
// paths, ids with hashes, and numbers. A path holds no line break.
const blockColumns = `SELECT count(*), coalesce(group_concat(path,char(10)),''), coalesce(group_concat(muid||vuid||sha,''),''),
	coalesce(group_concat(bytes,' '),''), coalesce(group_concat(number,' '),''), coalesce(group_concat(ts,' '),''),
	coalesce(group_concat((hidden<<32)|(actor<<1)|binary,' '),'')
	FROM (SELECT path,muid,vuid,sha,bytes,number,ts,hidden,actor,binary FROM head
		WHERE store=?1 AND path>?2 AND number<=?3 ORDER BY path LIMIT ?4)`

type headBlock struct {
	rows                          int
	paths, ids                    string
	sizes, changes, times, packed string
}

// headsTo lists the heads that changes up to one wrote, by path in byte order.
func (s *Store) headsTo(q reader, actors map[int64]Actor, change int64) ([]Entry, error) {
	blocks, err := s.headBlocks(q, change, blockRows)
	if err != nil {
		return nil, err
	}
	rows := 0
	for i := range blocks {
		rows += blocks[i].rows
	}
	out := make([]Entry, 0, rows)
	for i := range blocks {
		if out, err = blocks[i].append(out, actors); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) headBlocks(q reader, change int64, rows int) (out []headBlock, err error) {
	stmt, err := s.t.stmt(q.ctx, blockColumns)
	if err != nil {
		return nil, diskError(err)
	}
	stmt = q.tx.StmtContext(q.ctx, stmt)
	for after := ""; ; {
		var b headBlock
		if err := stmt.QueryRowContext(q.ctx, s.id, after, change, rows).
			Scan(&b.rows, &b.paths, &b.ids, &b.sizes, &b.changes, &b.times, &b.packed); err != nil {
			return nil, diskError(err)
		}
		out = append(out, b)
		if b.rows < rows {
			return out, nil
		}
		after = b.paths[strings.LastIndexByte(b.paths, '\n')+1:]
	}
}

// idBytes is what a row has in ids.
const idBytes = uidBytes + uidBytes + len(Hash{})

// append adds the entries of a block. Their texts lie in two for all of them.
func (b *headBlock) append(out []Entry, actors map[int64]Actor) (_ []Entry, err error) {
	if len(b.ids) != b.rows*idBytes {
		return nil, fmt.Errorf("%w: an id or a hash in the table of heads has not its length", ErrDamaged)
	}
	texts := newIDTexts(b.rows)
	for i := range b.rows {
		e := Entry{Kind: Memory}
		var path string
		path, b.paths, _ = strings.Cut(b.paths, "\n")
		if e.Path, err = pathOf(path); err != nil {
			return nil, err
		}
		ids := b.ids[i*idBytes:]
		e.Memory = MemoryID(texts.add(memoryPrefix, ids[:uidBytes]))
		e.Version = VersionID(texts.add(versionPrefix, ids[uidBytes:2*uidBytes]))
		copy(e.SHA256[:], ids[2*uidBytes:])
		packed := cutNumber(&b.packed)
		e.Binary, e.Actor, e.Hidden = packed&1 != 0, actors[packed>>1&math.MaxInt32], int(packed>>32)
		e.Size, e.Change, e.Time = cutNumber(&b.sizes), cutNumber(&b.changes), fromMicros(cutNumber(&b.times))
		out = append(out, e)
	}
	return out, nil
}

// cutNumber takes the first number off a list that SQLite wrote.
func cutNumber(list *string) int64 {
	first, rest, _ := strings.Cut(*list, " ")
	*list = rest
	n, _ := strconv.ParseInt(first, 10, 64)
	return n
}

// idTexts writes the texts of many ids into one string.
type idTexts struct {
	all strings.Builder
	buf [uidBytes]byte
	txt [24]byte
}

func newIDTexts(rows int) *idTexts {
	t := &idTexts{}
	t.all.Grow(rows * (len(memoryPrefix) + len(versionPrefix) + 2*len(t.txt)))
	return t
}

func (t *idTexts) add(prefix, uid string) string {
	from := t.all.Len()
	copy(t.buf[:], uid)
	uidText.Encode(t.txt[:], t.buf[:])
	t.all.WriteString(prefix)
	t.all.Write(t.txt[:])
	return t.all.String()[from:]
}
