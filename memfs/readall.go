package memfs

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Text is one file that ReadAll met.
type Text struct {
	Path    Path
	Content []byte // true only until visit returns: its space is used again
	Mtime   int64  // nanoseconds since 1970
	Err     error  // why the file, or the folder at Path, can't be read
}

// ReadAll reads the regular files of the folder from, or the file from, that
// Scan would report and want asks for, in no certain order. It is as fast as the
// folder can be read: visit is called by several goroutines at once, each of
// which is known by its number, below Readers.
//
// A file that another program writes in place at the same time may come torn,
// unlike from Read. Files over maxBytes, and what vanishes meanwhile, are left
// out. Only ctx, visit, and a from that can't be read end it.
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
	for _, t := range r.todo { // left behind by an error
		t.folder.release()
	}
	return r.err
}

// Readers is how many goroutines ReadAll reads with.
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
	busy int // goroutines that may yet add tasks
	err  error
}

// readTask is a folder to be listed, or files of a folder to be read.
type readTask struct {
	path   Path
	folder *sharedFolder // of files
	files  []Path
}

// sharedFolder is an open folder that several tasks read files of.
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

// errFell ends the others when one has fallen.
var errFell = errors.New("a reader fell")

func (r *readAll) do(reader int, t readTask, buf *[]byte) {
	err := errFell
	defer func() {
		t.folder.release()
		r.done(err)
	}()
	if err = r.ctx.Err(); err != nil {
		return
	}
	err = errFell
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

// filesPerTask is how many files of a folder one goroutine takes at once.
const filesPerTask = 64

func (r *readAll) list(reader int, p Path) error {
	f, err := r.d.openFolder(p)
	if err != nil {
		return r.found(reader, Text{Path: p, Err: fail("list", p, err)})
	}
	folder := &sharedFolder{f: f}
	folder.uses.Add(1)
	defer folder.release()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return r.found(reader, Text{Path: p, Err: fail("list", p, err)})
	}
	var tasks []readTask
	var files []Path
	for _, e := range entries {
		child, ok := p.child(e.Name())
		switch {
		case hiddenName(e.Name()) || !ok:
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

// found hands a file on, unless it turned out to be none that was asked for.
func (r *readAll) found(reader int, t Text) error {
	for _, e := range []error{ErrNotExist, ErrNotFolder, ErrIsFolder, ErrNotRegular, ErrTooBig, ErrLinkLoop} {
		if errors.Is(t.Err, e) {
			return nil
		}
	}
	return r.visit(reader, t)
}
