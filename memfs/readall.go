package memfs

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Text is one file that ReadAll read.
type Text struct {
	Path    Path
	Content []byte // valid only until visit returns
	Mtime   int64  // nanoseconds since 1970
	Err     error  // why the file, or the folder at Path, can't be read
}

// ReadAll reads the regular files at or below from that Scan would report and want accepts,
// in no particular order, as fast as the folder can be read. Several goroutines call visit
// concurrently; each passes its own number, below Readers.
//
// Unlike with Read, the content of a file that another program writes in place at the same
// time may be torn. Files over maxBytes and files that disappear meanwhile are left out. It
// stops early only if ctx ends, visit fails or from can't be read.
func (d *Dir) ReadAll(ctx context.Context, from Path, maxBytes int64, want func(Path) bool, visit func(reader int, t Text) error) error {
	info, err := d.Lstat(from)
	if err != nil {
		return err
	}
	r := &readAll{d: d, ctx: ctx, max: maxBytes, want: want, visit: visit}
	r.idle.L = &r.mu
	switch {
	case info.Kind == Folder:
		r.todo = append(r.todo, readTask{path: from})
	case info.Kind == File && want(from):
		content, g, err := d.Read(from, maxBytes)
		return r.found(0, Text{from, content, g.Mtime, err})
	default:
		return nil
	}
	var readers Group
	for n := range Readers() {
		readers.Go(func() { r.work(n) })
	}
	readers.Wait()
	for _, t := range r.todo { // left over after an error
		t.folder.release()
	}
	return r.err
}

// Readers returns the number of goroutines that ReadAll uses.
func Readers() int { return max(runtime.GOMAXPROCS(0), 1) }

// readAll is one run of ReadAll: a stack of tasks that its goroutines share.
type readAll struct {
	d     *Dir
	ctx   context.Context
	max   int64
	want  func(Path) bool
	visit func(int, Text) error

	mu   sync.Mutex
	idle sync.Cond
	todo []readTask
	busy int // goroutines that may still add tasks
	err  error
}

// readTask is a folder to list, or files of a folder to read.
type readTask struct {
	path   Path
	folder *sharedFolder // of files
	files  []Path
}

// sharedFolder is an open folder whose files several tasks read.
type sharedFolder struct {
	f    *os.File
	uses atomic.Int32
}

func (s *sharedFolder) release() {
	if s != nil && s.uses.Add(-1) == 0 {
		s.f.Close()
	}
}

func (r *readAll) work(reader int) {
	var buf []byte
	for {
		t, ok := r.next()
		if !ok {
			return
		}
		r.do(reader, t, &buf)
	}
}

// errPanicked stops the other goroutines when one has panicked.
var errPanicked = errors.New("a reader panicked")

func (r *readAll) do(reader int, t readTask, buf *[]byte) {
	err := errPanicked
	defer func() {
		t.folder.release()
		r.done(err)
	}()
	if err = r.ctx.Err(); err != nil {
		return
	}
	err = errPanicked
	if t.folder == nil {
		err = r.list(reader, t.path)
		return
	}
	for _, p := range t.files {
		if e := r.read(reader, t.folder.f, p, buf); e != nil {
			err = e
			return
		}
	}
	err = nil
}

// next waits for a task; ok is false when all are done.
func (r *readAll) next() (t readTask, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.todo) == 0 && r.busy > 0 && r.err == nil {
		r.idle.Wait()
	}
	if len(r.todo) == 0 || r.err != nil {
		return t, false
	}
	t = r.todo[len(r.todo)-1]
	r.todo = r.todo[:len(r.todo)-1]
	r.busy++
	return t, true
}

func (r *readAll) done(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy--; r.err == nil {
		r.err = err
	}
	r.idle.Broadcast()
}

func (r *readAll) add(ts []readTask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.todo = append(r.todo, ts...)
	r.idle.Broadcast()
}

// filesPerTask is the number of a folder's files in one task.
const filesPerTask = 64

func (r *readAll) list(reader int, p Path) error {
	f, err := r.d.openFolder(p)
	if err != nil {
		return r.found(reader, Text{Path: p, Err: fail("list", p, err)})
	}
	folder := &sharedFolder{f: f}
	folder.uses.Add(1)
	defer folder.release()
	entries, err := r.d.entries(f, p)
	if err != nil {
		return r.found(reader, Text{Path: p, Err: fail("list", p, err)})
	}
	var tasks []readTask
	var files []Path
	for _, e := range entries {
		child, ok := p.child(e.Name())
		switch {
		case r.d.skips(e.Name()) || !ok:
		case e.IsDir():
			tasks = append(tasks, readTask{path: child})
		case e.Type().IsRegular() && r.want(child):
			files = append(files, child)
		}
	}
	for len(files) > 0 {
		n := min(filesPerTask, len(files))
		folder.uses.Add(1)
		tasks = append(tasks, readTask{folder: folder, files: files[:n]})
		files = files[n:]
	}
	r.add(tasks)
	return nil
}

func (r *readAll) read(reader int, folder *os.File, p Path, buf *[]byte) error {
	content, mtime, err := r.d.readIn(folder, p, buf, r.max)
	return r.found(reader, Text{p, content, mtime, fail("read", p, err)})
}

// found passes a file to visit, unless it turned out not to be a wanted one.
func (r *readAll) found(reader int, t Text) error {
	for _, e := range []error{ErrNotExist, ErrNotFolder, ErrIsFolder, ErrNotRegular, ErrTooBig, ErrLinkLoop} {
		if errors.Is(t.Err, e) {
			return nil
		}
	}
	return r.visit(reader, t)
}
