package outside

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/versions/disk"
)

// Limits for finding a project's path: the number of transcripts to read, the bytes at either end
// of each, and the number and length of the directories found.
const (
	askedFiles       = 4
	headBytes        = 64 << 10
	maxDirectories   = 32
	maxDirectorySize = 4096
)

// directories returns the distinct working directories that the beginning of a transcript names,
// in order. If there are none because a long pasted prompt comes first, it reads the end.
func directories(file string) ([]string, error) {
	f, err := disk.OpenRegular(file)
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

// directoryOf returns the working directory that a transcript's line names, or "". The line may be
// truncated.
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

// plausible returns a directory if this machine could have it, otherwise "".
func plausible(dir string) string {
	if len(dir) > maxDirectorySize || !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return filepath.Clean(dir)
}
