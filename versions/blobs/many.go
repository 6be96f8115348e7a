package blobs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
)

// Content is what Get returns for one of several contents.
type Content struct {
	ID   int64
	Size any // as it is recorded
	Text []byte
	Err  error
}

// These limit what GetMany holds in memory.
const (
	manyContents = 256
	manyBytes    = 4 << 20
)

// GetMany reads several contents as Get does, but with one query, and it decodes and verifies them on all cores. It returns
// the first of them, in their order: at least one, and as many as fit in a few MiB. Its error is that of the query; each
// Content has its own.
func GetMany(q db.Queryer, ids []int64) ([]Content, error) {
	ids = ids[:min(len(ids), manyContents)]
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	out, rows, err := readRows(q, ids, string(list))
	if errors.Is(err, versions.ErrDamaged) { // maybe of one of them only
		return getEach(q, ids)
	}
	if err != nil {
		return nil, err
	}
	for i := range out { // their chunks are read with q, which is for one goroutine
		if out[i].Err == nil && rows[i].enc == encChunks {
			out[i].Text, out[i].Err = rows[i].text(q, out[i].ID, zstdDecoder)
		}
	}
	memfs.Parallel(len(out), func(i int) {
		if out[i].Err == nil && rows[i].enc != encChunks {
			out[i].Text, out[i].Err = rows[i].text(nil, out[i].ID, manyDecoder)
		}
	})
	return out, nil
}

// readRows reads the rows of the first of some contents, which are listed in JSON too.
func readRows(q db.Queryer, ids []int64, list string) (out []Content, rows []stored, err error) {
	var c Content
	var there bool
	var s stored
	total := 0
	// json_each is the outer loop of the join, so the rows come in the order of the list.
	found := q.Rows(`SELECT j.value,b.id IS NOT NULL,b.size,coalesce(b.sha,x''),coalesce(b.size,0),coalesce(b.enc,0),coalesce(b.data,x''),`+ownHash+`
		FROM json_each(?) j LEFT JOIN blob b ON b.id=j.value`, list)
	for range found.Each(&c.ID, &there, &c.Size, &s.sha, &s.size, &s.enc, &s.data, &s.own) {
		if c.ID != ids[len(out)] {
			return nil, nil, fmt.Errorf("content %d was read before content %d", c.ID, ids[len(out)])
		}
		if c.Err = nil; !there {
			c.Err = missing(c.ID)
		}
		out, rows = append(out, c), append(rows, s)
		if total += max(s.size, len(s.data)); total >= manyBytes {
			break
		}
	}
	return out, rows, found.Err()
}

// getEach reads contents one by one.
func getEach(q db.Queryer, ids []int64) (out []Content, err error) {
	total := 0
	for _, id := range ids {
		c := Content{ID: id}
		if c.Text, c.Err = Get(q, id); c.Err == nil {
			c.Err = q.Row(`SELECT size FROM blob WHERE id=?`, id).Scan(&c.Size)
		}
		out = append(out, c)
		if total += len(c.Text); total >= manyBytes {
			break
		}
	}
	return out, nil
}
