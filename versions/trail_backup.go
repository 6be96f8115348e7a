package versions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
)

// Backup describes a copy of a home.
type Backup struct {
	Stores    int
	Versions  int64
	Files     int      // written beside the trail
	Bytes     int64    // of all files
	Elsewhere []string // folders of stores outside the home; only their trail is copied
	Damaged   []string // memories whose text is damaged in the trail: their files are missing
}

// Backup writes a copy of the home to a folder, which must not exist or be empty. Others
// may write meanwhile: the copy shows the home at one moment, as after a loss of power.
// Files of stores inside the home are written from the trail, so that they match it;
// hidden files and files too large for memories are copied as found. The folder gets its
// final name when it is complete. each is called for each file.
func (t *Trail) Backup(ctx context.Context, to string, each func()) (b Backup, err error) {
	if to, err = filepath.Abs(to); err != nil {
		return b, err
	}
	fail := func(err error) (Backup, error) {
		return b, fmt.Errorf("back up to %s: %w", to, disk.Bare(db.Error(err)))
	}
	if err := emptyOrMissing(to); err != nil {
		return fail(err)
	}
	if above, err := realFolder(filepath.Dir(to)); err != nil {
		return fail(err)
	} else if inFolder(above, t.real) {
		return fail(fmt.Errorf("%w: %s", ErrInsideHome, t.real))
	}
	part, err := os.MkdirTemp(filepath.Dir(to), ".memend-backup-*") // created with mode 0700
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	if err := t.backUp(ctx, part, &b, each); err != nil {
		return fail(err)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	if err := os.Rename(part, to); err != nil {
		return fail(err)
	}
	return b, disk.SyncFolder(filepath.Dir(to))
}

// emptyOrMissing rejects a folder that isn't empty.
func emptyOrMissing(folder string) error {
	there, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(there) > 0:
		return fs.ErrExist
	}
	return err
}

func (t *Trail) backUp(ctx context.Context, part string, b *Backup, each func()) error {
	if t.db.ReadOnly() == nil {
		if err := errors.Join(t.FlushReads(ctx), t.syncAll(ctx)); err != nil {
			return err
		}
	}
	if err := t.db.CopyTo(ctx, filepath.Join(part, db.File)); err != nil {
		return err
	}
	copied := &backup{ctx: ctx, max: t.maxBytes, from: t.real, to: part, b: b, each: each}
	if err := copied.stores(); err != nil {
		return err
	}
	return copied.rest()
}

// syncAll adopts what other programs wrote to the stores. If a store's folder can't be
// used, the backup still has its history.
func (t *Trail) syncAll(ctx context.Context) error {
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		s, err := t.OpenStore(ctx, info.ID)
		if errors.As(err, new(*FolderError)) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := s.Sync(ctx); err != nil && !errors.As(err, new(*FolderError)) {
			return errors.Join(err, s.Close())
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// backup is a backup in progress.
type backup struct {
	ctx      context.Context
	from, to string
	max      int64 // the size up to which a file is a memory
	b        *Backup
	each     func()
}

// wrote counts a file.
func (c *backup) wrote(n int64) {
	c.b.Files++
	c.b.Bytes += n
	c.each()
}

// stores writes the files of the stores in the home as recorded in the copied trail.
func (c *backup) stores() error {
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
	if err := q.Row(`SELECT count(*) FROM version`).Scan(&c.b.Versions); err != nil {
		return err
	}
	folders := map[int64]string{}
	for row, err := range q.Each(`SELECT id,folder FROM store ORDER BY id`) {
		if err != nil {
			return err
		}
		var id int64
		var folder string
		if err := row.Scan(&id, &folder); err != nil {
			return err
		}
		folders[id] = folder
	}
	c.b.Stores = len(folders)
	for id, folder := range folders {
		if filepath.IsAbs(folder) {
			c.b.Elsewhere = append(c.b.Elsewhere, folder)
			continue
		}
		if err := c.store(q, id, filepath.FromSlash(folder)); err != nil {
			return err
		}
	}
	return nil
}

// store writes the memories of one store, and copies the other files in its folder.
func (c *backup) store(q db.Queryer, id int64, folder string) error {
	to := filepath.Join(c.to, folder)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	memories := map[string]int64{}
	for row, err := range q.Each(`SELECT h.path,v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.store=?`, id) {
		if err != nil {
			return err
		}
		var path string
		var blob int64
		if err := row.Scan(&path, &blob); err != nil {
			return err
		}
		memories[path] = blob
	}
	for path, blob := range memories {
		text, err := blobs.Get(q, blob)
		if errors.Is(err, ErrDamaged) {
			c.b.Damaged = append(c.b.Damaged, filepath.ToSlash(folder)+"/"+path)
			continue
		}
		if err == nil {
			err = c.write(root, filepath.FromSlash(path), text)
		}
		if err != nil {
			return err
		}
	}
	return c.copyFolder(filepath.Join(c.from, folder), root, func(rel string, e fs.DirEntry) bool {
		if _, memory := memories[filepath.ToSlash(rel)]; memory || strings.HasPrefix(e.Name(), ".memend-") { // or unfinished
			return true
		}
		if e.IsDir() || hiddenRel(rel) {
			return false
		}
		fi, err := e.Info()
		return err == nil && fi.Size() <= c.max // a memory created after the copy of the trail
	})
}

// rest copies what is in the home beside the trail and the stores.
func (c *backup) rest() error {
	root, err := os.OpenRoot(c.to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return c.copyFolder(c.from, root, func(rel string, e fs.DirEntry) bool {
		return rel == storesFolder || strings.HasPrefix(rel, "trail.") && !e.IsDir()
	})
}

// copyFolder copies the regular files below a folder except those that skip selects.
func (c *backup) copyFolder(from string, to *os.Root, skip func(rel string, e fs.DirEntry) bool) error {
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

func (c *backup) write(root *os.Root, rel string, text []byte) error {
	if err := root.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
		return err
	}
	c.wrote(int64(len(text)))
	return root.WriteFile(rel, text, 0o600)
}
