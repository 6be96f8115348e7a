package instructions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Limits of what is read.
const (
	maxRead     = 4 << 20 // bytes of a file
	maxRules    = 1000    // files of a folder of rules, and entries of a folder of memories
	maxBelow    = 20_000  // entries of the folders below the directory
	maxDepth    = 16      // of them
	maxListed   = 100     // instructions below the directory that are listed
	maxSettings = 1 << 20
)

// An agent of Claude Code loads so much of the index of its memory.
const (
	IndexLines = 200
	IndexBytes = 25 << 10
	indexName  = "MEMORY.md"
)

// Read returns the beginning of a file, at most maxRead bytes, and its size. It fails for what is not a regular file; it
// does not wait for a FIFO.
func Read(path string) (text []byte, size int64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(info); err != nil {
		return nil, 0, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have been replaced by a FIFO
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	if info, err = file.Stat(); err != nil {
		return nil, 0, err
	}
	if err := regular(info); err != nil {
		return nil, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(file, maxRead))
	return text, max(info.Size(), int64(len(text))), err
}

var (
	errFolder  = errors.New("it is a directory")
	errSpecial = errors.New("it is not a regular file")
)

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errFolder
	case !info.Mode().IsRegular():
		return errSpecial
	}
	return nil
}

// facts reads a file. It returns nil if there is none; Why says why one can't be loaded.
func facts(path string, scope Scope) (*File, []byte) {
	text, size, err := Read(path)
	if absent(err) {
		return nil, nil
	}
	f := &File{Path: path, Real: realOf(path), Scope: scope, Bytes: size}
	switch {
	case err != nil:
		f.Why = cause(err)
	case !isText(text, size):
		f.Why = "it is not UTF-8 text"
	default:
		f.Lines = lines(text)
		f.More = size > int64(len(text))
		f.LoadedBytes, f.LoadedLines = f.Bytes, f.Lines
	}
	return f, text
}

// absent reports whether an error says that there is nothing at a path.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}

// cause returns an error without the path, which is beside it.
func cause(err error) string {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

// isText reports whether the beginning of a file of that size is text. The last character of the beginning may be cut.
func isText(b []byte, size int64) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	for size > int64(len(b)) && len(b) > 0 && !utf8.Valid(b) && len(b) > maxRead-utf8.UTFMax {
		b = b[:len(b)-1]
	}
	return utf8.Valid(b)
}

func lines(b []byte) int64 {
	n := int64(bytes.Count(b, []byte("\n")))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// cutTo records that only the beginning of a file is loaded.
func (f *File) cutTo(text []byte, size int64, limit string) {
	f.LoadedBytes, f.Cut = size, limit
	f.LoadedLines = int64(bytes.Count(text[:min(size, int64(len(text)))], []byte("\n"))) // complete ones
}

// cutIndex applies the limits of an index: whole lines, and of them at most IndexLines and most bytes.
func cutIndex(f *File, text []byte, most int64) {
	end, n := int64(0), 0
	for line := range bytes.Lines(text) {
		switch size := end + int64(len(line)); {
		case n == IndexLines:
			f.cutTo(text, end, fmt.Sprintf("%d lines", IndexLines))
			return
		case size > most && (size-1 > most || line[len(line)-1] != '\n' || size < f.Bytes):
			f.cutTo(text, end, "25 KB")
			return
		default:
			end = size
		}
		n++
	}
}

func realOf(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// within reports whether a path is in a folder, or the folder.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// entries returns at most so many entries of a folder, by name.
func entries(folder string, most int) []os.DirEntry {
	f, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	out, _ := f.ReadDir(most) // what can be read
	slices.SortFunc(out, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// chain returns the directories from a root down to dir; without a root that contains it, from the top of the disk.
func chain(root, dir string) (out []string) {
	for at := dir; ; at = filepath.Dir(at) {
		out = append(out, at)
		if at == root || at == filepath.Dir(at) {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// rootOf returns the nearest directory, from dir upwards, that holds one of the markers; "" if none does.
func rootOf(dir string, markers ...string) string {
	for at := dir; ; at = filepath.Dir(at) {
		for _, m := range markers {
			if _, err := os.Lstat(filepath.Join(at, m)); err == nil {
				return at
			}
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
