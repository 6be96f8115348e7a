// Package backup writes the files of a copy of a home, beside a copy of its trail.
//
// The memories of stores in the home are written as the copied trail has them, so that both match. All
// other files are copied as they are found; links and special files are left out. Other processes may
// use the home meanwhile, and a file that disappears is left out. Nothing is synced: the caller does
// that, and gives the copy its final name when it is complete. Errors are those of the disk and the
// context; a memory whose text is damaged is none, but [Backup.Damaged].
package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// Options say what is in a home.
type Options struct {
	StoresFolder string // the folder in the home for the folders of stores
	MaxBytes     int64  // the size up to which a file is a memory
	Each         func() // called for each file
}

// Files writes the files of the home from to the folder to, which has a copy of the trail.
func Files(ctx context.Context, from, to string, o Options) (versions.Backup, error) {
	c := &work{Options: o, ctx: ctx, from: from, to: to, done: versions.Backup{Elsewhere: []string{}, Damaged: []string{}}}
	err := c.stores()
	if err == nil {
		err = c.rest()
	}
	return c.done, err
}

// work is a backup in progress.
type work struct {
	Options
	ctx      context.Context
	from, to string
	done     versions.Backup
}

// wrote counts a file.
func (c *work) wrote(n int64) {
	c.done.Files++
	c.done.Bytes += n
	c.Each()
}

// stores writes the files of the stores in the home as recorded in the copied trail.
func (c *work) stores() error {
	pool := db.OpenFile(filepath.Join(c.to, db.File), "&_pragma=secure_delete(on)")
	defer func() { _ = pool.Close() }()
	conn, err := pool.Conn(c.ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	q := db.On(c.ctx, conn)
	// Drop intents that wait for a flush: their results are in the copied files, and a backup
	// must not repair folders elsewhere.
	if _, err := conn.ExecContext(c.ctx, `DELETE FROM intent WHERE carried>0`); err != nil {
		return err
	}
	if err := q.Row(`SELECT count(*) FROM version`).Scan(&c.done.Versions); err != nil {
		return err
	}
	folders, err := db.Map[int64, string](q.Rows(`SELECT id,folder FROM store ORDER BY id`))
	if err != nil {
		return err
	}
	c.done.Stores = len(folders)
	for id, folder := range folders {
		if filepath.IsAbs(folder) {
			c.done.Elsewhere = append(c.done.Elsewhere, folder)
			continue
		}
		if err := c.store(q, id, filepath.FromSlash(folder)); err != nil {
			return err
		}
	}
	return nil
}

// store writes the memories of one store, and copies the other files in its folder.
func (c *work) store(q db.Queryer, id int64, folder string) error {
	to := filepath.Join(c.to, folder)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	paths, contents, err := memoriesOf(q, id)
	if err != nil {
		return err
	}
	for at := 0; at < len(paths); {
		some, err := blobs.GetMany(q, contents[at:])
		for i := 0; err == nil && i < len(some); i++ {
			switch path, text := paths[at+i], some[i]; {
			case errors.Is(text.Err, versions.ErrDamaged):
				c.done.Damaged = append(c.done.Damaged, filepath.ToSlash(folder)+"/"+path)
			case text.Err != nil:
				err = text.Err
			default:
				err = c.write(root, filepath.FromSlash(path), text.Text)
			}
		}
		if err != nil {
			return err
		}
		at += len(some)
	}
	memories := map[string]bool{}
	for _, path := range paths {
		memories[path] = true
	}
	return c.copyFolder(filepath.Join(c.from, folder), root, func(rel string, e fs.DirEntry) bool {
		if memories[filepath.ToSlash(rel)] || strings.HasPrefix(e.Name(), ".memend-") { // or unfinished
			return true
		}
		if e.IsDir() || memfs.HiddenRel(filepath.ToSlash(rel)) {
			return false
		}
		fi, err := e.Info()
		return err == nil && fi.Size() <= c.MaxBytes // a memory created after the copy of the trail
	})
}

// memoriesOf lists the memories of a store, and the content of each, in the order in which the contents are stored.
func memoriesOf(q db.Queryer, store int64) (paths []string, contents []int64, err error) {
	var path string
	var blob int64
	rows := q.Rows(`SELECT h.path,v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=? ORDER BY v.blob`, store)
	for range rows.Each(&path, &blob) {
		paths, contents = append(paths, path), append(contents, blob)
	}
	return paths, contents, rows.Err()
}

// rest copies what is in the home beside the trail and the stores.
func (c *work) rest() error {
	root, err := os.OpenRoot(c.to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return c.copyFolder(c.from, root, func(rel string, e fs.DirEntry) bool {
		return rel == c.StoresFolder || !e.IsDir() && (strings.HasPrefix(rel, "trail.") || filepath.Dir(rel) == "." && filepath.Ext(rel) == ".lock")
	})
}

// copyFolder copies the regular files below a folder except those that skip selects.
func (c *work) copyFolder(from string, to *os.Root, skip func(rel string, e fs.DirEntry) bool) error {
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		rel, rerr := filepath.Rel(from, name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && rel != ".": // it was removed meanwhile
			return nil
		case err != nil || rerr != nil:
			return errors.Join(err, rerr)
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case rel == ".":
			return nil
		case skip(rel, e):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			return to.MkdirAll(rel, 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		text, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = text.Close() }()
		f, err := to.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		n, err := io.Copy(f, text)
		c.wrote(n)
		return errors.Join(err, f.Close())
	})
}

func (c *work) write(root *os.Root, rel string, text []byte) error {
	if err := root.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
		return err
	}
	c.wrote(int64(len(text)))
	return root.WriteFile(rel, text, 0o600)
}
