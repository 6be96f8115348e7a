package memfs

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"time"
)

// readTries is the number of attempts to read a file that changes during the read.
const readTries = 5

// Read returns the whole content of a regular file, in a state that did not change during
// the read; maxBytes 0 means any size. It does not follow a link at p itself and never waits
// for a FIFO.
func (d *Dir) Read(p Path, maxBytes int64) (content []byte, sig Sig, err error) {
	sig, err = d.readStable(p, maxBytes, func(f *os.File, size int64) (int64, error) {
		content = make([]byte, size+1) // one more, to see that the file has grown
		n, err := io.ReadFull(f, content)
		content = content[:n:n]
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = nil
		}
		return int64(n), err
	})
	if err != nil {
		return nil, Sig{}, err
	}
	return content, sig, nil
}

// Hash returns the SHA-256 of what Read would return; it uses little memory for any size.
func (d *Dir) Hash(p Path, maxBytes int64) (hash [sha256.Size]byte, sig Sig, err error) {
	sig, err = d.readStable(p, maxBytes, func(f *os.File, size int64) (int64, error) {
		h := sha256.New()
		n, err := io.Copy(h, io.LimitReader(f, size+1))
		h.Sum(hash[:0])
		return n, err
	})
	return hash, sig, err
}

// readStable calls read until the file did not change during the call. read returns the number
// of bytes that it read.
func (d *Dir) readStable(p Path, maxBytes int64, read func(f *os.File, size int64) (int64, error)) (Sig, error) {
	for try := range readTries {
		if try > 0 {
			time.Sleep(time.Millisecond << try)
		}
		sig, err := d.readOnce(p, maxBytes, read)
		if !errors.Is(err, ErrUnstable) {
			return sig, err
		}
	}
	return Sig{}, fail("read", p, ErrUnstable)
}

func (d *Dir) readOnce(p Path, maxBytes int64, read func(f *os.File, size int64) (int64, error)) (Sig, error) {
	f, info, err := d.openRegular(p)
	if err != nil {
		return Sig{}, err
	}
	defer f.Close()
	size := info.Sig.Size
	if maxBytes > 0 && size > maxBytes {
		return Sig{}, fail("read", p, ErrTooBig)
	}
	n, err := read(f, size)
	if err != nil {
		return Sig{}, fail("read", p, err)
	}
	if err := d.hook("read", p); err != nil {
		return Sig{}, fail("read", p, err)
	}
	after, err := f.Stat()
	if err != nil {
		return Sig{}, fail("read", p, err)
	}
	if n != size || infoOf(p, after).Sig != info.Sig {
		return Sig{}, fail("read", p, ErrUnstable)
	}
	return info.Sig, nil
}

// openRegular opens the regular file at p itself. os.Root follows a link inside the store
// whatever the flags are, so the opened file is compared with the Lstat before it. A device
// is never opened.
func (d *Dir) openRegular(p Path) (*os.File, Info, error) {
	before, err := d.lstat(p)
	if err != nil {
		return nil, Info{}, fail("read", p, err)
	}
	switch {
	case before.IsDir():
		return nil, Info{}, fail("read", p, ErrIsFolder)
	case !before.Mode().IsRegular():
		return nil, Info{}, fail("read", p, ErrNotRegular)
	}
	f, err := d.root.OpenFile(p.Rel(), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, Info{}, fail("read", p, err)
	}
	now, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, Info{}, fail("read", p, err)
	}
	if !now.Mode().IsRegular() || !os.SameFile(before, now) {
		f.Close()
		return nil, Info{}, fail("read", p, ErrUnstable)
	}
	return f, infoOf(p, now), nil
}

// OpenFile is a regular file of the store, open for reading by ranges. Reads see what other
// programs write to the file.
type OpenFile struct {
	f    *os.File
	info Info
}

// Open opens the regular file at p for reading by ranges, whatever its size. It follows links
// that stay inside.
func (d *Dir) Open(p Path) (*OpenFile, error) {
	for try := range readTries {
		if try > 0 {
			time.Sleep(time.Millisecond << try)
		}
		real, _, err := d.Resolve(p)
		if err != nil {
			return nil, err
		}
		f, info, err := d.openRegular(real)
		if errors.Is(err, ErrUnstable) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &OpenFile{f, info}, nil
	}
	return nil, fail("read", p, ErrUnstable)
}

// Info returns the file's description when it was opened; its Path has no links.
func (o *OpenFile) Info() Info { return o.info }

// Size returns the file's size when it was opened, in bytes.
func (o *OpenFile) Size() int64 { return o.info.Sig.Size }

// ReadAt implements io.ReaderAt.
func (o *OpenFile) ReadAt(b []byte, off int64) (int, error) {
	n, err := o.f.ReadAt(b, off)
	if err != nil && err != io.EOF {
		err = fail("read", o.info.Path, err)
	}
	return n, err
}

// Close closes the file.
func (o *OpenFile) Close() error { return fail("close", o.info.Path, o.f.Close()) }
