package scrub

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// packing is a compression or archive format.
type packing struct {
	name  string
	magic string
	open  func(io.Reader) (io.Reader, error) // nil: unsupported
}

// packings are recognised by the first bytes of a file.
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
	maxPacked   = 4 // maximum depth of nested packings
)

func openZstd(r io.Reader) (io.Reader, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(256<<20))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// errPacked reports a packing that can't be unpacked.
type errPacked string

func (e errPacked) Error() string {
	return "it is packed with " + string(e) + ", which can't be searched"
}

// packedIn returns the packing of a text by its first bytes.
func packedIn(head []byte) (packing, bool) {
	for _, p := range packings {
		if strings.HasPrefix(string(head), p.magic) {
			return p, true
		}
	}
	// zlib has no magic number but a header with a checksum; git stores its objects in it.
	if len(head) > 1 && head[0] == 0x78 && (int(head[0])<<8|int(head[1]))%31 == 0 && head[1]&0x20 == 0 {
		return packing{name: "zlib", open: func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }}, true
	}
	return packing{}, false
}

// unpacked scans the unpacked content of a stream, recursively.
func (s *Scanner) unpacked(ctx context.Context, r io.Reader, depth int, found *Finding) error {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(magicBytes)
	if strings.HasPrefix(string(head), zipMagic) && depth > 0 {
		return errPacked("zip inside of a packed file")
	}
	p, packed := packedIn(head)
	if !packed {
		return s.Scan(b, found, func(int) error { return ctx.Err() })
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
		return nil // it is not zlib after all
	}
	var known errPacked
	if err != nil && ctx.Err() == nil && !errors.As(err, &known) {
		err = fmt.Errorf("it is packed with %s and could not be read to its end: %w", p.name, err)
	}
	return err
}

// zipped scans the files of a zip archive.
func (s *Scanner) zipped(ctx context.Context, r io.ReaderAt, size int64, found *Finding) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("it is packed with zip and could not be read: %w", err)
	}
	for _, f := range z.File {
		err := func() error {
			s.Text([]byte(f.Name), found)
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

// isCorrupt reports whether err says that a packed stream is invalid.
func isCorrupt(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || bytes.Contains([]byte(err.Error()), []byte("flate:"))
}
