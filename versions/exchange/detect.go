package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Format is the format of a history, or of a folder of memories, outside of a trail.
type Format string

const (
	JSONLines Format = "jsonl"
	Simple    Format = "simple"
	Git       Format = "git"
	Folder    Format = "folder"
)

// detectBytes is the number of bytes that are read to detect a file's format.
const detectBytes = 4 << 10

// Unzip returns a reader of r's content, decompressed if it is gzip.
func Unzip(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, detectBytes)
	if head, _ := b.Peek(2); !bytes.Equal(head, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, unsound("%v", err)
	}
	return bufio.NewReaderSize(z, detectBytes), nil
}

// Detect returns a file's format by its first bytes; it consumes nothing of r.
func Detect(r *bufio.Reader) (Format, error) {
	head, err := r.Peek(detectBytes)
	if err != nil && err != io.EOF {
		return "", err
	}
	line, _, whole := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	if bytes.HasPrefix(line, []byte("{")) {
		var h headerLine
		if (whole || err == io.EOF) && json.Unmarshal(line, &h) == nil && h.Memend != "" {
			return JSONLines, nil
		}
		return Simple, nil
	}
	word, _, _ := strings.Cut(string(line), " ")
	switch word {
	case "blob", "commit", "reset", "feature":
		return "", ErrStream
	}
	if strings.HasPrefix(word, "#") && bytes.HasSuffix(line, []byte(" git bundle")) {
		return "", ErrStream
	}
	return "", ErrUnknownFormat
}

// DetectFolder returns the format of a folder: a data set in the simple form (then file is the path of its operations), a git repository, or a folder of
// memories.
func DetectFolder(dir string) (f Format, file string) {
	for _, name := range []string{"ops.jsonl", "ops.jsonl.gz"} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err == nil && fi.Mode().IsRegular() {
			return Simple, filepath.Join(dir, name)
		}
	}
	if IsRepo(dir) {
		return Git, ""
	}
	return Folder, ""
}

// OpenBlobs opens the contents beside a file of operations in the simple form: blobs.jsonl for ops.jsonl, compressed or not. It returns nil if there
// is none.
func OpenBlobs(ops string) (*os.File, error) {
	rest, ok := strings.CutPrefix(filepath.Base(ops), "ops")
	if !ok {
		return nil, nil
	}
	base := filepath.Join(filepath.Dir(ops), "blobs") + strings.TrimSuffix(rest, ".gz")
	for _, name := range []string{base, base + ".gz"} {
		f, err := os.Open(name)
		if err == nil || !os.IsNotExist(err) {
			return f, err
		}
	}
	return nil, nil
}

// ParseFormat parses the name of a format.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case JSONLines, Simple, Git, Folder:
		return f, nil
	}
	return "", fmt.Errorf("unknown format %q: must be jsonl, simple, git or folder", s)
}
