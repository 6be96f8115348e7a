package versions

import (
	"bytes"
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
	"sync"
	"time"

	"github.com/memtrail/memtrail/memfs"
)

// Draft is a text that a person is writing and has not saved. It is no version and
// no part of the trail: a file of its own in the home, for the case that the program
// is killed. Redaction erases drafts too.
type Draft struct {
	ID     string // its file; given by Keep
	Store  StoreID
	Memory MemoryID // zero of one that is not there yet
	Path   memfs.Path
	Base   Hash // of what the text was made of; zero when that was nothing, or is not known any more
	Lost   bool // that is not known any more: it was redacted
	Time   time.Time
	Text   []byte
	Held   bool // by a program that is running
	Own    bool // by this one
}

// Drafts keeps the drafts of one store for one run of a program. The drafts of a run
// that was killed are told from those that somebody is writing now by a lock, which
// the system releases. Its methods are safe for concurrent use.
type Drafts struct {
	dir   string
	store StoreID
	run   string
	now   func() time.Time

	mu   sync.Mutex
	lock *fileLock
	free func()
	last map[string]int // the newest step of each draft
}

// A draft's file is one line of JSON and then the text, byte for byte. Its name is
// HASH-RUN.draft: a hash of the store and the path, and the run that keeps it;
// RUN.lock is locked as long as the run lasts.
type draftHead struct {
	Store  StoreID   `json:"memory_store_id"`
	Memory MemoryID  `json:"memory_id,omitempty"`
	Path   string    `json:"path"`
	Base   string    `json:"base_sha256,omitempty"`
	Lost   bool      `json:"base_redacted,omitempty"`
	Time   time.Time `json:"kept_at"`
}

const (
	draftFolder = "drafts"
	draftEnd    = ".draft"
	draftLock   = ".lock"
)

// Drafts gives the drafts of a store. Nothing is written before the first is kept.
func (t *Trail) Drafts(store StoreID) *Drafts {
	return &Drafts{dir: filepath.Join(t.home, draftFolder), store: store, run: hex.EncodeToString(newUID()[:8]), now: t.now, last: map[string]int{}}
}

// Keep writes a draft in the place of what was kept of the same memory. Of two calls
// the one with the larger step counts, whichever comes last.
func (d *Drafts) Keep(x Draft, step int) (id string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	id = d.name(x.Path)
	if step <= d.last[id] {
		return id, nil
	}
	if err := d.hold(); err != nil {
		return id, fmt.Errorf("keep the draft of %s: %w", x.Path, err)
	}
	x.Store, x.Time = d.store, d.now()
	if err := writeDraft(filepath.Join(d.dir, id), x); err != nil {
		return id, fmt.Errorf("keep the draft of %s: %w", x.Path, err)
	}
	d.last[id] = step
	return id, nil
}

// Drop removes a draft that was saved, or given up. One that is not there is no
// error, and nothing that Keep was told at an earlier step is kept after it.
func (d *Drafts) Drop(id string, step int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id != filepath.Base(id) || !strings.HasSuffix(id, draftEnd) {
		return fmt.Errorf("%q is no draft", id)
	}
	d.last[id] = max(d.last[id], step)
	return eraseFile(filepath.Join(d.dir, id))
}

// List gives the drafts of the store, the newest first.
func (d *Drafts) List() ([]Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := draftFiles(d.dir)
	if err != nil {
		return nil, err
	}
	var out []Draft
	for _, file := range files {
		x, err := readDraft(filepath.Join(d.dir, file))
		if err != nil || x.Store != d.store {
			continue // half of one, or none of ours: there is nothing to offer
		}
		x.ID = file
		run := runOf(file)
		x.Own = run == d.run
		x.Held = x.Own && d.lock != nil || !x.Own && runs(filepath.Join(d.dir, run+draftLock))
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Draft) int { return b.Time.Compare(a.Time) })
	return out, nil
}

// Close ends the run. Drafts that are there stay, and are offered to the next.
func (d *Drafts) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock == nil {
		return nil
	}
	d.free()
	err := errors.Join(d.lock.close(), os.Remove(filepath.Join(d.dir, d.run+draftLock)))
	d.lock = nil
	return err
}

// hold marks the run as one that lasts.
func (d *Drafts) hold() error {
	if d.lock != nil {
		return nil
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	l, err := holdFile(filepath.Join(d.dir, d.run+draftLock))
	if err == nil {
		d.lock, d.free = l, func() { _ = funlock(l.f) }
	}
	return err
}

// name is the file of the draft of a memory, in this run.
func (d *Drafts) name(p memfs.Path) string {
	h := sha256.Sum256([]byte(string(d.store) + "\x00" + p.String()))
	return hex.EncodeToString(h[:8]) + "-" + d.run + draftEnd
}

func runOf(file string) string {
	_, run, _ := strings.Cut(strings.TrimSuffix(file, draftEnd), "-")
	return run
}

func draftFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), draftEnd) {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// writeDraft replaces a file in one step; it is on the disk when it returns.
func writeDraft(file string, x Draft) error {
	head := draftHead{Store: x.Store, Memory: x.Memory, Path: x.Path.String(), Lost: x.Lost, Time: x.Time}
	if x.Base != (Hash{}) {
		head.Base = x.Base.String()
	}
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-*"+draftEnd) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(append(b, '\n'), x.Text...))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func readDraft(file string) (Draft, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Draft{}, err
	}
	line, text, ok := bytes.Cut(b, []byte("\n"))
	var head draftHead
	if err := json.Unmarshal(line, &head); err != nil || !ok {
		return Draft{}, errors.Join(err, errors.New("half of a draft"))
	}
	x := Draft{Store: head.Store, Memory: head.Memory, Lost: head.Lost, Time: head.Time, Text: text}
	if x.Path, err = memfs.ParsePath(head.Path); err != nil {
		return Draft{}, err
	}
	if head.Base != "" {
		if x.Base, err = ParseHash(head.Base); err != nil {
			return Draft{}, err
		}
	}
	return x, nil
}

// eraseFile removes a file and what it held: its blocks would keep it otherwise
// until they are used again.
func eraseFile(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = zero(f)
	}
	return errors.Join(err, os.Remove(name))
}

func zero(f *os.File) error {
	fi, err := f.Stat()
	blank := make([]byte, 64<<10)
	for at := int64(0); err == nil && at < fi.Size(); at += int64(len(blank)) {
		_, err = f.WriteAt(blank[:min(int64(len(blank)), fi.Size()-at)], at)
	}
	return errors.Join(err, f.Sync(), f.Close())
}
