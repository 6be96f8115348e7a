// Package blobs stores contents by their hash, compressed, in the tables blob and blob_chunk of a
// database. A content that is read is checked against its hash: one that does not match is
// ErrDamaged and is never returned.
package blobs

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
)

// These are the encodings of a blob's data.
const (
	encRaw    = 0
	encZstd   = 1 // one frame
	encChunks = 2 // one frame for each ChunkBytes of content, in blob_chunk: limits the memory that one row needs
)

// Lost is added to the encoding (column enc) of a content that a repair found damaged and could not
// restore.
const Lost = 16

// ChunkBytes is the largest content that is stored as a whole.
const ChunkBytes = 1 << 20

var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // only for invalid options
	}
	return e
})

var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		panic(err)
	}
	return d
})

// Hash is the SHA-256 of a content.
type Hash = [sha256.Size]byte

// Put stores a content if it is new and returns its row id. It restores a content that was lost.
func Put(x *db.Tx, b []byte, h Hash) (id int64, err error) {
	var lost bool
	err = x.Row(`SELECT id,enc>=16 FROM blob WHERE sha=?`, h[:]).Scan(&id, &lost)
	switch {
	case err == nil && lost:
		Replace(x, id, b)
		return id, x.Err()
	case !errors.Is(err, sql.ErrNoRows):
		return id, err
	}
	enc, data := encode(b)
	id = x.Insert(`INSERT INTO blob(sha,size,enc,data) VALUES(?,?,?,?)`, h[:], len(b), enc, data)
	if enc == encChunks {
		putChunks(x, id, b)
	}
	return id, x.Err()
}

// Replace stores a content again in its existing row.
func Replace(x *db.Tx, id int64, b []byte) {
	x.Exec(`DELETE FROM blob_chunk WHERE blob=?`, id)
	enc, data := encode(b)
	x.Exec(`UPDATE blob SET size=?,enc=?,data=? WHERE id=?`, len(b), enc, data, id)
	if enc == encChunks {
		putChunks(x, id, b)
	}
}

func putChunks(x *db.Tx, id int64, b []byte) {
	var packed []byte // shared: a separate buffer for each content would add up while a large one is in memory
	for n := 0; n*ChunkBytes < len(b); n++ {
		part := b[n*ChunkBytes : min((n+1)*ChunkBytes, len(b))]
		packed = zstdEncoder().EncodeAll(part, packed[:0])
		x.Exec(`INSERT INTO blob_chunk(blob,n,data) VALUES(?,?,?)`, id, n, packed)
	}
}

func encode(b []byte) (enc int, data []byte) {
	if len(b) > ChunkBytes {
		return encChunks, []byte{}
	}
	z := zstdEncoder().EncodeAll(b, make([]byte, 0, len(b)))
	if len(z) < len(b) {
		return encZstd, z
	}
	if b == nil {
		b = []byte{}
	}
	return encRaw, b
}

// Get reads a content and verifies its hash, so bytes that the disk damaged are never
// returned as valid. The index of hashes must lead back to the row, or the row may have the content
// of another one. A missing content is sql.ErrNoRows.
func Get(q db.Queryer, id int64) ([]byte, error) {
	var s stored
	if err := q.Row(`SELECT sha,size,enc,data,`+ownHash+` FROM blob b WHERE b.id=?`, id).Scan(&s.sha, &s.size, &s.enc, &s.data, &s.own); errors.Is(err, sql.ErrNoRows) {
		return nil, missing(id)
	} else if err != nil {
		return nil, err
	}
	return s.text(q, id, zstdDecoder)
}

func missing(id int64) error {
	return fmt.Errorf("%w: content %d is missing: %w", versions.ErrDamaged, id, sql.ErrNoRows)
}

// ownHash is SQL for whether the index of hashes leads back to a row of blob b.
const ownHash = `(SELECT i.id FROM blob i WHERE i.sha=b.sha) IS b.id`

// stored is the row of a content.
type stored struct {
	sha, data []byte
	size, enc int
	own       bool
}

// text decodes and verifies a content. It queries only for the chunks of a large one.
func (s *stored) text(q db.Queryer, id int64, decoder func() *zstd.Decoder) ([]byte, error) {
	damaged := func(format string, args ...any) ([]byte, error) {
		return nil, fmt.Errorf("%w: content %x…"+format, append([]any{versions.ErrDamaged, s.sha[:min(4, len(s.sha))]}, args...)...)
	}
	if s.enc&Lost != 0 {
		return damaged(" is %w", versions.ErrLost)
	}
	if !s.own {
		return damaged(": its row and the index differ")
	}
	b, err := decode(q, id, s.size, s.enc, s.data, decoder)
	if err != nil {
		return damaged(": %v", err)
	}
	if h := sha256.Sum256(b); string(h[:]) != string(s.sha) {
		return damaged(" does not match its hash")
	}
	return b, nil
}

// Packed is a content as it is stored.
type Packed struct {
	ID        int64
	size, enc int
	data      []byte
}

// EachPacked reads the contents that are not lost of a JSON list of row ids.
func EachPacked(q db.Queryer, ids string) iter.Seq2[Packed, error] {
	return func(yield func(Packed, error) bool) {
		var p Packed
		rows := q.Rows(`SELECT id,size,enc,data FROM blob WHERE enc<16 AND id IN (SELECT value FROM json_each(?))`, ids)
		for range rows.Each(&p.ID, &p.size, &p.enc, &p.data) {
			if !yield(p, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Packed{}, err)
		}
	}
}

// InParts reports whether the data of a content is in several rows, which Text reads.
func (p Packed) InParts() bool { return p.enc == encChunks }

// Text decodes a content into a buffer. zstd verifies a checksum, but the content is not compared
// with its hash. Several goroutines may decode contents at once, except those in parts.
func (p Packed) Text(q db.Queryer, buf *[]byte) ([]byte, error) {
	if p.enc != encZstd {
		text, err := decode(q, p.ID, p.size, p.enc, p.data, zstdDecoder)
		if err != nil {
			err = fmt.Errorf("%w: content %d: %w", versions.ErrDamaged, p.ID, err)
		}
		return text, err
	}
	text, err := manyDecoder().DecodeAll(p.data, (*buf)[:0])
	if err != nil {
		return nil, fmt.Errorf("%w: content %d: %v", versions.ErrDamaged, p.ID, err)
	}
	*buf = text
	return text, nil
}

// manyDecoder returns a decoder for use by several goroutines at once.
var manyDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		panic(err)
	}
	return d
})

// EachStored calls do with the forms in which the database and exports hold a content: its hash, also
// in hexadecimal, and its stored bytes. A missing content is sql.ErrNoRows.
func EachStored(q db.Queryer, id int64, do func([]byte)) error {
	var sha, data []byte
	if err := q.Row(`SELECT sha,data FROM blob WHERE id=?`, id).Scan(&sha, &data); err != nil {
		return err
	}
	do(sha)
	do([]byte(hex.EncodeToString(sha)))
	do(data)
	var part []byte
	rows := q.Rows(`SELECT data FROM blob_chunk WHERE blob=? ORDER BY n`, id)
	for range rows.Each(&part) {
		do(part)
	}
	return rows.Err()
}

// IsEmpty reports whether no byte of a content is stored.
func IsEmpty(q db.Queryer, id int64) bool {
	var bytes int64
	err := q.Row(`SELECT length(data)+(SELECT count(*) FROM blob_chunk WHERE blob=blob.id) FROM blob WHERE id=?`, id).Scan(&bytes)
	return err == nil && bytes == 0
}

func decode(q db.Queryer, id int64, size, enc int, data []byte, decoder func() *zstd.Decoder) ([]byte, error) {
	switch enc {
	case encRaw:
		return data, nil
	case encZstd:
		return decoder().DecodeAll(data, roomFor(size, 1))
	case encChunks:
	default:
		return nil, fmt.Errorf("encoding %d is not known", enc)
	}
	var chunks int
	if err := q.Row(`SELECT count(*) FROM blob_chunk WHERE blob=?`, id).Scan(&chunks); err != nil {
		return nil, err
	}
	out := roomFor(size, chunks)
	var part sql.RawBytes
	rows := q.Rows(`SELECT data FROM blob_chunk WHERE blob=? ORDER BY n`, id)
	for range rows.Each(&part) {
		var err error
		if out, err = decoder().DecodeAll(part, out); err != nil {
			return nil, err
		}
	}
	return out, rows.Err()
}

// roomFor allocates a buffer for a content of the stated size and number of chunks. It limits the
// buffer, because a damaged size could otherwise use up all memory.
func roomFor(size, chunks int) []byte { return make([]byte, 0, max(0, min(size, chunks*ChunkBytes))) }
