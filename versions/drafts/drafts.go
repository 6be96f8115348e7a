package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

// Draft is a text that a person is writing and has not saved. It is no version and
// no part of the trail: a file of its own in the home, for the case that the program
// is killed. Redaction erases drafts too.
type Draft struct {
	ID     string // its file; given by Keep
	Store  ids.Store
	Memory ids.Memory // zero of one that is not there yet
	Path   memfs.Path
	Base   ids.Hash // of what the text was made of; zero when that was nothing, or is not known any more
	Lost   bool     // that is not known any more: it was redacted
	Time   time.Time
	Text   []byte
	Merge  *Merge // what was decided of putting it together with another text; nil when that was not begun
	Held   bool   // by a program that is running
	Own    bool   // by this one
}

// Merge is how far a draft is put together with what stands in its place. What
// the parts and the picks are is for the screen to know.
type Merge struct {
	Theirs ids.Hash // of what stands there
	Parts  int      // how many there are
	Picks  []Pick
}

// Pick is what was decided of one part.
type Pick struct {
	Part int
	Pick string
	Text []byte // that was typed; nil where none was
}

// ErrErased is the error when a redaction erased a draft, or a copy for an editor, meanwhile.
var ErrErased = errors.New("it was erased by a redaction")

// Keeper keeps the drafts of one store for one run of a program. The drafts of a run
// that was killed are told from those that somebody is writing now by a lock, which
// the system releases. Its methods are safe for concurrent use.
type Keeper struct {
	dir   string
	store ids.Store
	run   string
	now   func() time.Time

	mu   sync.Mutex
	lock *disk.Lock
	last map[string]int  // the newest step of each draft
	kept map[string]bool // drafts that are on the disk, unless somebody erased them
}

const (
	Folder    = "drafts"
	draftEnd  = ".draft"
	draftLock = ".lock"
)

// New returns the drafts of a store. Nothing is written before the first is kept.
func New(home string, store ids.Store, now func() time.Time) *Keeper {
	return &Keeper{dir: filepath.Join(home, Folder), store: store, run: hex.EncodeToString(ids.New()[:8]), now: now, last: map[string]int{}, kept: map[string]bool{}}
}

// Keep writes a draft in the place of what was kept of the same memory. Of two calls
// the one with the larger step counts, whichever comes last. ErrErased says that a
// redaction erased what was kept: the text is not written again.
func (d *Keeper) Keep(x Draft, step int) (id string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id = d.name(x.Path)
	if step <= d.last[id] {
		return id, nil
	}
	if err := d.hold(); err != nil {
		return id, fmt.Errorf("keep the draft of %s: %w", x.Path, err)
	}
	if d.kept[id] && !exists(filepath.Join(d.dir, id)) {
		delete(d.kept, id) // who decides to keep it all the same may
		return id, fmt.Errorf("keep the draft of %s: %w", x.Path, ErrErased)
	}
	x.Store, x.Time = d.store, d.now()
	if err := WriteFile(filepath.Join(d.dir, id), x); err != nil {
		return id, fmt.Errorf("keep the draft of %s: %w", x.Path, err)
	}
	d.last[id], d.kept[id] = step, true
	return id, nil
}

// exists reports whether there is a file, as far as can be told.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Drop removes a draft that was saved, or given up. One that is not there is no
// error, and nothing that Keep was told at an earlier step is kept after it.
func (d *Keeper) Drop(id string, step int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id != filepath.Base(id) || !strings.HasSuffix(id, draftEnd) {
		return fmt.Errorf("%q is no draft", id)
	}
	d.last[id] = max(d.last[id], step)
	delete(d.kept, id)
	return disk.Erase(filepath.Join(d.dir, id))
}

// List gives the drafts of the store, the newest first.
func (d *Keeper) List() ([]Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := Files(d.dir)
	if err != nil {
		return nil, err
	}
	var out []Draft
	for _, file := range files {
		x, err := ReadFile(filepath.Join(d.dir, file))
		if err != nil || x.Store != d.store {
			continue // half of one, or none of ours: there is nothing to offer
		}
		x.ID = file
		run := runOf(file)
		x.Own = run == d.run
		x.Held = x.Own && d.lock != nil || !x.Own && disk.Held(filepath.Join(d.dir, run+draftLock))
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Draft) int { return b.Time.Compare(a.Time) })
	return out, nil
}

// Close ends the run. Drafts that are there stay, and are offered to the next.
func (d *Keeper) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return nil
	}
	err := d.lock.Remove()
	d.lock = nil
	return err
}

// hold marks the run as one that lasts.
func (d *Keeper) hold() error {
	if d.lock != nil {
		return nil
	}
	if err := disk.MakeFolder(d.dir); err != nil {
		return err
	}
	var err error
	d.lock, err = disk.Hold(filepath.Join(d.dir, d.run+draftLock))
	return err
}

// name is the file of the draft of a memory, in this run.
func (d *Keeper) name(p memfs.Path) string {
	h := sha256.Sum256([]byte(string(d.store) + "\x00" + p.String()))
	return hex.EncodeToString(h[:8]) + "-" + d.run + draftEnd
}

func runOf(file string) string {
	_, run, _ := strings.Cut(strings.TrimSuffix(file, draftEnd), "-")
	return run
}
