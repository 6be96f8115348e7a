package drafts

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

// EditCopy is a copy of a memory that an editor outside of memend works on. It is a
// file in a folder of its own in the home, which only its owner may read: what the
// editor puts beside it (swap files, backups) lands there too, and redactions find all
// of it.
type EditCopy struct {
	dir  string
	file string
	lock *disk.Lock
}

// A copy is edits/RUN/NAME; edits/RUN.lock is locked while somebody edits it. The time
// of change of an untouched copy is untouched: so a copy whose editor was killed with
// nothing saved is told from one that somebody's text is in.
const (
	EditFolder = "edits"
	editLock   = ".lock"
)

var untouched = time.Unix(946684800, 0)

// NewEditCopy makes a copy of a text for an editor. name is the file's name. It removes
// copies that nobody edits any more and nobody changed; those that were changed it
// gives as left.
func NewEditCopy(home, name string, text []byte) (c *EditCopy, left []string, err error) {
	root := filepath.Join(home, EditFolder)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, nil, fmt.Errorf("copy for the editor: %w", err)
	}
	left = tidyEdits(root)
	dir := filepath.Join(root, hex.EncodeToString(ids.New()[:8]))
	lock, err := disk.Hold(dir + editLock)
	if err != nil {
		return nil, left, fmt.Errorf("copy for the editor: %w", err)
	}
	c = &EditCopy{dir: dir, file: filepath.Join(dir, name), lock: lock}
	err = os.Mkdir(dir, 0o700)
	if err == nil {
		err = writeUntouched(c.file, text)
	}
	if err != nil {
		return nil, left, errors.Join(fmt.Errorf("copy for the editor: %w", err), c.Remove())
	}
	return c, left, nil
}

func writeUntouched(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Chtimes(file, untouched, untouched)
}

// File is the file to edit.
func (c *EditCopy) File() string { return c.file }

// Read gives what the editor left. ErrErased says that a redaction erased the copy.
func (c *EditCopy) Read() ([]byte, error) {
	b, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", c.file, ErrErased)
	}
	return b, err
}

// Remove erases the copy and what the editor put beside it.
func (c *EditCopy) Remove() error {
	return errors.Join(removeEdit(c.dir), c.lock.Remove())
}

// Keep ends the editing and leaves the copy where it is.
func (c *EditCopy) Keep() error { return c.lock.Remove() }

// removeEdit erases all files of a copy's folder, and the folder.
func removeEdit(dir string) error {
	files, err := EditFiles(dir)
	for _, file := range files {
		err = errors.Join(err, disk.Erase(file))
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// EditFiles lists the regular files in a folder and below it.
func EditFiles(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && e.Type().IsRegular() && !strings.HasSuffix(name, editLock) {
			out = append(out, name)
		}
		return err
	})
	return out, err
}

// tidyEdits removes the copies of dead editors that nobody changed, and lists the others.
func tidyEdits(root string) (left []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if !e.IsDir() || disk.Held(dir+editLock) {
			continue
		}
		files, err := EditFiles(dir)
		if err != nil {
			continue
		}
		if fi, err := os.Stat(first(files)); len(files) == 0 || len(files) == 1 && err == nil && fi.ModTime().Equal(untouched) {
			_ = os.Remove(dir + editLock)
			_ = removeEdit(dir)
			continue
		}
		left = append(left, files...)
	}
	return left
}

func first(files []string) string {
	if len(files) == 0 {
		return ""
	}
	return files[0]
}

// EditName is the name of the copy of a memory: editors go by its ending, and neither
// they nor a shell trip over the rest.
func EditName(p memfs.Path) string {
	ending := filepath.Ext(p.Base())
	for _, r := range strings.TrimPrefix(ending, ".") {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return "memory.md"
		}
	}
	return "memory" + ending
}
