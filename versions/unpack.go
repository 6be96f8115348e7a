package versions

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// packing is a form in which texts are stored so that a search can't read them.
type packing struct {
	name  string
	magic string
	open  func(io.Reader) (io.Reader, error) // nil: nobody here can unpack it
}

// packings are told by the first bytes of a file.
var packings = []packing{
	{"gzip", "\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
	{"xz", "\xfd7zXZ\x00", nil},
	{"7z", "7z\xbc\xaf\x27\x1c", nil},
	{"rar", "Rar!\x1a\x07", nil},
	{"lz4", "\x04\x22\x4d\x18", nil},
	{"compress", "\x1f\x9d", nil},
	{"git pack", "PACK\x00\x00\x00", nil},
}

const (
	zipMagic    = "PK\x03\x04"
	sqliteMagic = "SQLite format 3\x00"
	magicBytes  = len(sqliteMagic)
	maxPacked   = 4 // packings inside of each other
)

func openZstd(r io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(256<<20))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// errPacked is a packing that can't be undone.
type errPacked string

func (e errPacked) Error() string {
	return "it is packed with " + string(e) + ", which can't be searched"
}

// packedIn reports what a text that begins so is packed with.
func packedIn(head []byte) (packing, bool) {
	for _, p := range packings {
		if strings.HasPrefix(string(head), p.magic) {
			return p, true
		}
	}
	// zlib has no magic but a header that adds up; git keeps its objects so.
	if len(head) > 1 && head[0] == 0x78 && (int(head[0])<<8|int(head[1]))%31 == 0 && head[1]&0x20 == 0 {
		return packing{name: "zlib", open: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }}, true
	}
	return packing{}, false
}

// unpacked scans what is packed in a stream, and in that again. A file that is not
// packed, at depth 0, is left unread: it was scanned as it stands.
func (s *scanner) unpacked(ctx context.Context, r io.Reader, depth int, found *finding) error {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(magicBytes)
	if strings.HasPrefix(string(head), zipMagic) && depth > 0 {
		return errPacked("zip inside of a packed file")
	}
	p, packed := packedIn(head)
	if !packed {
		if depth == 0 {
			return nil
		}
		return s.scan(b, found, func(int) error { return ctx.Err() })
	}
	if p.open == nil || depth == maxPacked {
		return errPacked(p.name)
	}
	inner, err := p.open(b)
	if c, ok := inner.(io.Closer); ok {
		defer func() { _ = c.Close() }()
	}
	if err == nil {
		err = s.unpacked(ctx, inner, depth+1, found)
	}
	if err != nil && p.name == "zlib" && ctx.Err() == nil && (errors.Is(err, zlib.ErrHeader) || errors.Is(err, zlib.ErrChecksum) || isCorrupt(err)) {
		return nil // it only looked like zlib
	}
	var known errPacked
	if err != nil && ctx.Err() == nil && !errors.As(err, &known) {
		err = fmt.Errorf("it is packed with %s and could not be read to its end: %w", p.name, err)
	}
	return err
}

// zipped scans the files of a zip archive.
func (s *scanner) zipped(ctx context.Context, r io.ReaderAt, size int64, found *finding) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("it is packed with zip and could not be read: %w", err)
	}
	for _, f := range z.File {
		err := func() error {
			s.text([]byte(f.Name), found)
			in, err := f.Open()
			if err != nil {
				return err
			}
			defer func() { _ = in.Close() }()
			return s.unpacked(ctx, in, 1, found)
		}()
		if err != nil {
			return fmt.Errorf("it is packed with zip and could not be read to its end: %w", err)
		}
	}
	return nil
}

// trailCopy scans the contents in another trail than that of the home: a backup, or
// what a repair or an upgrade left. Other databases hold texts as they are.
func (s *scanner) trailCopy(ctx context.Context, file string, found *finding) error {
	db, err := sql.Open(driverName, "file:"+inURI.Replace(filepath.ToSlash(file))+"?mode=ro&immutable=1&_pragma=query_only(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var ours bool
	if err := db.QueryRowContext(ctx, `SELECT count(*)=2 FROM sqlite_schema WHERE type='table' AND name IN ('blob','blob_chunk')`).Scan(&ours); err != nil || !ours {
		return unreadableCopy(ctx, err)
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return unreadableCopy(ctx, err)
	}
	defer func() { _ = tx.Rollback() }()
	q := reader{ctx, tx}
	ids, err := q.ids(`SELECT id FROM blob`)
	if err != nil {
		return unreadableCopy(ctx, err)
	}
	for _, id := range ids {
		b, err := blobContent(q, id)
		if err != nil {
			return unreadableCopy(ctx, err)
		}
		s.text(b, found)
	}
	if err := s.longRows(ctx, tx, found); err != nil {
		return unreadableCopy(ctx, err)
	}
	if fi, err := os.Stat(file + "-wal"); err == nil && fi.Size() > 0 {
		return errors.New("it is a database with a log beside it, whose contents could not be read")
	}
	return nil
}

// longRows scans the texts of rows that may go on in other pages: a scan of the file does
// not see a text that two pages share.
func (s *scanner) longRows(ctx context.Context, q querier, found *finding) error {
	tables, err := ownTables(ctx, q)
	if err != nil {
		return err
	}
	for _, table := range tables {
		columns, err := columnsOf(ctx, q, table)
		if err != nil {
			return err
		}
		var texts []string
		for _, c := range columns {
			if c.kind == "TEXT" {
				texts = append(texts, `coalesce(`+quotedName(c.name)+`,'')`)
			}
		}
		if len(texts) == 0 {
			continue
		}
		all := strings.Join(texts, `||char(0)||`)
		if err := s.queried(ctx, q, `SELECT `+all+` FROM `+quotedName(table)+` WHERE octet_length(`+all+`)>`+strconv.Itoa(trailPageSize/5), found); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) queried(ctx context.Context, q querier, query string, found *finding) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var b sql.RawBytes
		if err := rows.Scan(&b); err != nil {
			return err
		}
		s.text(b, found)
	}
	return rows.Err()
}

// quotedName is the name of a table or a column in a query.
func quotedName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func unreadableCopy(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("it is a database that could not be read: %w", err)
}

// isCorrupt reports whether a packed stream does not add up.
func isCorrupt(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || bytes.Contains([]byte(err.Error()), []byte("flate:"))
}
