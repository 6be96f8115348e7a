package cli

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/engine"
)

// pathIn parses a path on the command line as a memory in s. A name that exists only in
// another case or Unicode form is that memory.
func pathIn(s *engine.Store, arg string) (memfs.Path, error) {
	at, err := newPathIn(s, arg)
	if err != nil {
		return at, err
	}
	return s.Find(context.Background(), at) // one look-up, which nobody interrupts
}

// newPathIn parses the path that a memory shall have.
func newPathIn(s *engine.Store, arg string) (memfs.Path, error) {
	folder := s.Info().Folder
	if filepath.IsAbs(arg) && !isToolPath(arg) {
		if rel, ok := relIn(folder, realParent(filepath.Clean(arg))); ok {
			return fileIn(rel)
		}
	}
	here, inside := workingIn(folder)
	if !inside || arg == "" || strings.HasPrefix(arg, "/") {
		if rel, ok := fileFromOutside(folder, arg); ok {
			return fileIn(rel)
		}
		return pathAnywhere(arg)
	}
	joined := path.Join(here, filepath.ToSlash(arg))
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return memfs.Root, fmt.Errorf("%s: %w", arg, memfs.ErrEscape)
	}
	return fileIn(joined)
}

// fileFromOutside returns the path in the folder of a file that is there when seen from the working
// directory, and not when seen from the folder: dir/a.md in the parent of dir. Of a file that is in neither, the folder
// that it would be in decides.
func fileFromOutside(folder, arg string) (rel string, ok bool) {
	if folder == "" || arg == "" || filepath.IsAbs(arg) || isToolPath(arg) {
		return "", false
	}
	is := func(file string) bool { _, err := os.Lstat(file); return err == nil }
	there := filepath.Join(folder, arg)
	file, err := filepath.Abs(arg)
	if err != nil || is(there) || !is(file) && is(filepath.Dir(there)) {
		return "", false
	}
	return relIn(folder, realParent(file))
}

// pathAnywhere parses a path without a store: /memories/a.md, /a.md or a.md.
func pathAnywhere(arg string) (memfs.Path, error) {
	if isToolPath(arg) {
		return memfs.ParseToolPath(arg)
	}
	return memfs.ParsePath(arg)
}

// isToolPath reports whether a path is in the notation of the memory tool.
func isToolPath(arg string) bool {
	return arg == memfs.Root.Tool() || strings.HasPrefix(arg, memfs.Root.Tool()+"/")
}

// fileIn returns the memory at a path relative to the store's folder, which may be ".".
func fileIn(rel string) (memfs.Path, error) {
	if rel == "." {
		return memfs.Root, nil
	}
	return memfs.ParsePath(rel)
}

// workingIn returns the working directory relative to a store's folder ("." in the folder
// itself); ok is false outside it.
func workingIn(folder string) (rel string, ok bool) {
	here, err := os.Getwd()
	if err != nil {
		return "", false
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return "", false
	}
	return relIn(folder, here)
}

// workingPath returns the working directory as a path of the store, or the root if it is
// elsewhere or can't hold memories.
func workingPath(s *engine.Store) memfs.Path {
	if rel, ok := workingIn(s.Info().Folder); ok {
		if at, err := fileIn(rel); err == nil {
			return at
		}
	}
	return memfs.Root
}

// relIn returns a file's path relative to a folder that contains it, with slashes.
func relIn(folder, file string) (string, bool) {
	rel, err := filepath.Rel(folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// realParent resolves the links in a file's path, as far as the path exists. The file
// itself may be a link, which is an entry of its own.
func realParent(file string) string {
	dir, name := filepath.Split(file)
	if dir = filepath.Clean(dir); dir == file {
		return file
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name)
	}
	return filepath.Join(realParent(dir), name)
}

// pathArg parses an argument that must be the path of a memory in s.
func pathArg(s *engine.Store, command, arg string) (memfs.Path, error) {
	at, err := pathIn(s, arg)
	if err != nil {
		return at, &misuse{err, command}
	}
	return at, nil
}

// pathArgs parses several paths.
func pathArgs(s *engine.Store, command string, args []string) (out []memfs.Path, err error) {
	for _, arg := range args {
		at, err := pathArg(s, command, arg)
		if err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	return out, nil
}
