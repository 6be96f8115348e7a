// Package conversations keeps what was said in the sessions of agents that run in memend.
//
// A conversation is a file in the home, conversations/SESSION.jsonl: one JSON object a
// line, only ever appended to. What the objects mean is their writers' affair.
// SESSION.lock is locked while a program appends. Conversations are no part of the
// trail. They hold what agents read of memories and wrote to them: a redaction masks in
// them what it erases, in place and without changing the length of a line.
package conversations

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

// Folder holds the conversations of one home. Its methods are safe for concurrent use.
type Folder struct {
	home string
	dir  string
	run  func(func()) // starts a goroutine
}

// Errors of a conversation, to be tested with errors.Is.
var (
	ErrNotFound = errors.New("no such conversation")
	ErrRunning  = errors.New("a program adds to this session's conversation")
)

// Conversation is one that this program adds to.
type Conversation struct {
	file *os.File
	lock *disk.Lock

	mu     sync.Mutex
	broken bool // the last write failed halfway: the next begins a line of its own
}

// Info is what is known of a conversation without reading it.
type Info struct {
	Session ids.Session
	Bytes   int64
	Written time.Time // last
	Running bool      // a program, this one or another, adds to it
}

// A conversation is SESSION.jsonl; SESSION.lock is locked while somebody adds to it.
const (
	FolderName       = "conversations"
	conversationEnd  = ".jsonl"
	conversationLock = ".lock"
)

// New returns the conversations of a home. Nothing is written before one
// begins. run starts the goroutines of Watch.
func New(home string, run func(func())) *Folder {
	return &Folder{home, filepath.Join(home, FolderName), run}
}

// File is the name of the file that has the conversation of a session.
func (c *Folder) File(id ids.Session) string {
	return filepath.Join(c.dir, string(id)+conversationEnd)
}

func (c *Folder) path(id ids.Session, end string) (string, error) {
	if ids.Parse(ids.SessionPrefix, string(id)) == nil {
		return "", fmt.Errorf("%w: %q is not the id of a session that memend began", ErrNotFound, id)
	}
	return filepath.Join(c.dir, string(id)+end), nil
}

// Begin begins a conversation, or goes on with one that nobody adds to.
func (c *Folder) Begin(id ids.Session) (*Conversation, error) {
	name, err := c.path(id, conversationEnd)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, fmt.Errorf("keep the conversation of session %s: %w", id, err)
	}
	lock, err := disk.Hold(strings.TrimSuffix(name, conversationEnd) + conversationLock)
	if errors.Is(err, disk.ErrHeld) {
		return nil, fmt.Errorf("session %s: %w", id, ErrRunning)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the conversation of session %s: %w", id, err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err == nil {
		err = disk.SyncFolder(c.dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keep the conversation of session %s: %w", id, err), closeAll(f, lock))
	}
	out := &Conversation{file: f, lock: lock}
	out.broken, err = endsTorn(f)
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

func closeAll(f *os.File, lock *disk.Lock) error {
	if f != nil {
		_ = f.Close()
	}
	return lock.Remove()
}

// endsTorn reports whether the last line was not finished by who wrote it.
func endsTorn(f *os.File) (bool, error) {
	fi, err := f.Stat()
	if err != nil || fi.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], fi.Size()-1)
	return last[0] != '\n', err
}

// Append adds one JSON object, which holds no newline. It is with the system when
// Append returns, and safe from a loss of power after Sync.
func (c *Conversation) Append(object []byte) error {
	if bytes.IndexByte(object, '\n') >= 0 {
		return errors.New("store the conversation: an object must be one line")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	line := make([]byte, 0, len(object)+2)
	if c.broken {
		line = append(line, '\n')
	}
	n, err := c.file.Write(append(append(line, object...), '\n'))
	if err != nil {
		c.broken = c.broken || n > 0
		return fmt.Errorf("store the conversation: %w", err)
	}
	c.broken = false
	return nil
}

// Sync makes what was added safe from a loss of power.
func (c *Conversation) Sync() error { return c.file.Sync() }

// Close ends the adding.
func (c *Conversation) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.file.Sync(), c.file.Close(), c.lock.Remove())
}

// List gives the conversations, the one written to last first.
func (c *Folder) List() ([]Info, error) {
	entries, err := os.ReadDir(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", err)
	}
	var out []Info
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), conversationEnd)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := c.Info(ids.Session(id)); err == nil {
			out = append(out, info)
		}
	}
	slices.SortFunc(out, func(a, b Info) int { return b.Written.Compare(a.Written) })
	return out, nil
}

// Info is what is known of one; ErrNotFound when there is none.
func (c *Folder) Info(id ids.Session) (Info, error) {
	name, err := c.path(id, conversationEnd)
	if err != nil {
		return Info{}, err
	}
	// Whether somebody adds to it comes first: who stopped in between wrote all before.
	running := disk.Held(strings.TrimSuffix(name, conversationEnd) + conversationLock)
	fi, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, fmt.Errorf("conversation of session %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return Info{}, fmt.Errorf("conversation of session %s: %w", id, err)
	}
	return Info{id, fi.Size(), fi.ModTime(), running}, nil
}

// pageBytes is how much of a conversation is read at a time; a longer object comes alone.
const pageBytes = 256 << 10

// Read gives objects from a place on, which is 0 or what an earlier call gave as
// next. It gives whole lines only: what is being written is left for the next call.
// With nothing new it gives none, and the same place.
func (c *Folder) Read(id ids.Session, from int64) (objects [][]byte, next int64, err error) {
	err = c.open(id, func(f *os.File, size int64) error {
		b, err := wholeLines(f, from, size)
		objects, next = objectsOf(b), from+int64(len(b))
		return err
	})
	return objects, next, err
}

// wholeLines reads about a page from a place, and no less than one line.
func wholeLines(f *os.File, from, size int64) ([]byte, error) {
	for n := int64(pageBytes); ; n *= 4 {
		b := make([]byte, max(min(n, size-from), 0))
		if _, err := f.ReadAt(b, from); err != nil && err != io.EOF {
			return nil, err
		}
		if end := bytes.LastIndexByte(b, '\n'); end >= 0 || n >= size-from {
			return b[:end+1], nil
		}
	}
}

// ReadBack gives the objects before a place, in the order in which they were
// written, and the place where the first of them stands. Before less than 0 is the end.
func (c *Folder) ReadBack(id ids.Session, before int64) (objects [][]byte, start int64, err error) {
	err = c.open(id, func(f *os.File, size int64) error {
		if before < 0 || before > size {
			before = size
		}
		b, err := linesBefore(f, before)
		objects, start = objectsOf(b), before-int64(len(b))
		return err
	})
	return objects, start, err
}

// linesBefore reads about a page that ends at a place and begins with a line.
func linesBefore(f *os.File, before int64) ([]byte, error) {
	for n := int64(pageBytes); ; n *= 4 {
		from := max(before-n, 0)
		b := make([]byte, before-from)
		if _, err := f.ReadAt(b, from); err != nil && err != io.EOF {
			return nil, err
		}
		if from == 0 {
			return b, nil
		}
		if first := bytes.IndexByte(b[:max(len(b)-1, 0)], '\n'); first >= 0 {
			return b[first+1:], nil
		}
	}
}

func (c *Folder) open(id ids.Session, read func(f *os.File, size int64) error) error {
	name, err := c.path(id, conversationEnd)
	if err != nil {
		return err
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("conversation of session %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("conversation of session %s: %w", id, err)
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err == nil {
		err = read(f, fi.Size())
	}
	if err != nil {
		return fmt.Errorf("read the conversation of session %s: %w", id, err)
	}
	return nil
}

// objectsOf are the lines that can be objects: half of one, which a killed program
// left, is none.
func objectsOf(b []byte) (out [][]byte) {
	for line := range bytes.Lines(b) {
		line = bytes.TrimSpace(line)
		if len(line) > 1 && line[0] == '{' && line[len(line)-1] == '}' {
			out = append(out, line)
		}
	}
	return out
}

// Delete removes a conversation that nobody adds to, and what its blocks held.
func (c *Folder) Delete(id ids.Session) error {
	name, err := c.path(id, conversationEnd)
	if err != nil {
		return err
	}
	lockName := strings.TrimSuffix(name, conversationEnd) + conversationLock
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("conversation of session %s: %w", id, ErrNotFound)
	}
	lock, err := disk.Hold(lockName)
	if errors.Is(err, disk.ErrHeld) {
		return fmt.Errorf("delete the conversation of session %s: %w", id, ErrRunning)
	}
	if err != nil {
		return err
	}
	return errors.Join(disk.Erase(name), lock.Remove())
}

// pollConversations is how often the folder is looked at where it can't be watched.
const pollConversations = time.Second

// Watch tells whose conversation may have grown, begun or ended, until ctx ends;
// then the channel is closed. An empty id means any of them. Nothing is written: the
// folder comes with the first conversation.
func (c *Folder) Watch(ctx context.Context) <-chan ids.Session {
	out := make(chan ids.Session)
	w, err := disk.NewWatch()
	there := false
	if err == nil {
		if there, err = c.lookOn(w); err != nil {
			_ = w.Close()
		}
	}
	c.run(func() {
		defer close(out)
		if err != nil {
			tellEvery(ctx, pollConversations, out)
			return
		}
		defer func() { _ = w.Close() }()
		c.tellGrown(ctx, w, there, out)
	})
	return out
}

// lookOn watches the folder, or the home until the folder is there.
func (c *Folder) lookOn(w *disk.Watch) (there bool, err error) {
	if err = w.Add(c.dir); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	if err = w.Add(c.home); err != nil {
		return false, err
	}
	return c.folderCame(w), nil // it may have come in between
}

// folderCame watches the folder instead of the home, if it is there by now.
func (c *Folder) folderCame(w *disk.Watch) bool {
	if w.Add(c.dir) != nil {
		return false
	}
	_ = w.Remove(c.home)
	return true
}

func tellEvery(ctx context.Context, pause time.Duration, out chan<- ids.Session) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		select {
		case <-ctx.Done():
			return
		case out <- "":
		}
	}
}

// tellGrown gathers what happens while the receiver is busy; there says whether the
// folder is watched by now.
func (c *Folder) tellGrown(ctx context.Context, w *disk.Watch, there bool, out chan<- ids.Session) {
	waiting := []ids.Session{}
	for {
		to, first := out, ids.Session("")
		if len(waiting) == 0 {
			to = nil
		} else {
			first = waiting[0]
		}
		select {
		case <-ctx.Done():
			return
		case to <- first:
			waiting = waiting[1:]
		case ev := <-w.Events:
			name := filepath.Base(ev.Name)
			if !there {
				if there = name == FolderName && c.folderCame(w); there {
					waiting = []ids.Session{""} // some may have begun already
				}
				continue
			}
			id := ids.Session(strings.TrimSuffix(strings.TrimSuffix(name, conversationEnd), conversationLock))
			if ids.Parse(ids.SessionPrefix, string(id)) != nil && !slices.Contains(waiting, id) {
				waiting = append(waiting, id)
			}
		case <-w.Lost:
			waiting = []ids.Session{""} // some were missed
		}
	}
}
