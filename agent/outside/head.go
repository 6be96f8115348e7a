package outside

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Of a project so many transcripts are asked where it is, of each so much at either
// end, and that gives so many directories of at most such a length.
const (
	askedFiles       = 4
	headBytes        = 64 << 10
	maxDirectories   = 32
	maxDirectorySize = 4096
)

// directories are the working directories that the head of a transcript names, each
// once and in their order. A head that names none is one long line: a pasted prompt
// comes before its directory. Then the tail is asked.
func directories(file string) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil {
		return nil, err
	}
	out := directoriesIn(head)
	if len(out) > 0 || len(head) < headBytes {
		return out, nil
	}
	if _, err := f.Seek(-headBytes, io.SeekEnd); err != nil {
		return nil, err
	}
	tail, err := io.ReadAll(io.LimitReader(f, headBytes))
	return directoriesIn(tail), err
}

func directoriesIn(lines []byte) (out []string) {
	for line := range bytes.Lines(lines) {
		dir := directoryOf(line)
		if dir == "" || slices.Contains(out, dir) {
			continue
		}
		if out = append(out, dir); len(out) == maxDirectories {
			break
		}
	}
	return out
}

// directoryOf is the working directory that a transcript's line names; "" when it
// names none. The line may be torn: what stands before the tear counts.
func directoryOf(line []byte) string {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return ""
		}
		var dir string
		if key == "cwd" && json.Unmarshal(value, &dir) == nil {
			return plausible(dir)
		}
	}
	return ""
}

// plausible is a directory as this machine could have it; "" when it could not.
func plausible(dir string) string {
	if len(dir) > maxDirectorySize || !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return filepath.Clean(dir)
}
