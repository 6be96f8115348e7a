// Package calls keeps small files about calls of agents in a folder of a home: reports that wait for
// somebody who has time to store them, and notes of what a hook knows about a call. It knows nothing
// of what is in them.
//
// A hook blocks its caller, so nothing here takes a lock or waits for more than the disk. Each file
// is atomic but not durable: a reader finds all of it or nothing, and a crash of the system may lose
// it. No function creates the home: after somebody removed it, calls are not wanted.
package calls

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/versions/disk"
)

// Folder is the name of the folder in a home.
const Folder = "calls"

const (
	reportEnd = ".call" // of OWNER-RANDOM.call
	noteEnd   = ".note"

	maxFiles = 1000 // this many mean that nobody takes the reports
	maxNotes = 256  // when there are more, the older half is removed
)

// Add stores a report, as JSON, until its owner takes it.
func Add(home, owner string, report any) error {
	dir, err := makeFolder(home)
	if err != nil {
		return disk.Bare(err)
	}
	files, err := list(home, "")
	if err != nil {
		return disk.Bare(err)
	}
	if len(files) >= maxFiles {
		return fmt.Errorf("%d calls are waiting already", len(files))
	}
	return disk.Bare(write(dir, owner+"-"+rand.Text()+reportEnd, report))
}

// Take calls take with each report of an owner and removes the report, until take returns false.
// That report waits, and the rest too.
func Take(home, owner string, take func(report []byte) bool) {
	files, err := list(home, owner)
	if err != nil {
		return
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if !take(b) {
			return
		}
		_ = os.Remove(file)
	}
}

// Owners returns the owners of the reports that wait, each once.
func Owners(home string) (out []string) {
	files, err := list(home, "")
	if err != nil {
		return nil
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(filepath.Base(file), reportEnd)
		if i := strings.LastIndexByte(name, '-'); ok && i > 0 && !slices.Contains(out, name[:i]) {
			out = append(out, name[:i])
		}
	}
	return out
}

// Note stores a note, as JSON, under the id of a call, until newer notes replace it.
func Note(home, id string, note any) error {
	dir, err := makeFolder(home)
	if err == nil {
		err = write(dir, noteName(id), note)
	}
	if err == nil {
		err = pruneNotes(dir)
	}
	return disk.Bare(err)
}

// FindNote reads the note of a call. It returns false when there is no readable note.
func FindNote(home, id string, note any) bool {
	b, err := os.ReadFile(filepath.Join(home, Folder, noteName(id)))
	return err == nil && json.Unmarshal(b, note) == nil
}

// Erase erases the reports of an owner, or all reports and notes if owner is empty. It returns the
// files that could not be erased, with the reasons.
func Erase(home, owner string) (left []string) {
	files, err := list(home, owner)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", Folder, disk.Bare(err))}
	}
	for _, file := range files {
		if err := disk.Erase(file); err != nil {
			left = append(left, fmt.Sprintf("%s: %v", file, disk.Bare(err)))
		}
	}
	return left
}

func makeFolder(home string) (dir string, err error) {
	dir = filepath.Join(home, Folder)
	if err = os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return dir, err
}

// list lists the reports of an owner, or all files if owner is empty.
func list(home, owner string) (out []string, err error) {
	dir := filepath.Join(home, Folder)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name := e.Name(); owner == "" || strings.HasPrefix(name, owner+"-") && strings.HasSuffix(name, reportEnd) {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out, err
}

// write writes a file atomically.
func write(dir, name string, value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// noteName is a hash of the id, because the id may be any text.
func noteName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16]) + noteEnd
}

// pruneNotes removes the older half of the notes when there are too many. Several processes may
// call it at once.
func pruneNotes(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type note struct {
		name    string
		written time.Time
	}
	var notes []note
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), noteEnd) })
	if len(entries) <= maxNotes {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			notes = append(notes, note{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(notes, func(a, b note) int { return a.written.Compare(b.written) })
	for _, n := range notes[:max(0, len(notes)-maxNotes/2)] {
		if err := os.Remove(filepath.Join(dir, n.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
