package db

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db/pages"
)

func put(x *Tx, id int, word string) error {
	x.Exec(`INSERT INTO word(id,word,n) VALUES(?,?,?)`, id, word, id)
	return x.Err()
}

func words(t *testing.T, d *DB) (out []string) {
	t.Helper()
	out, err := Values[string](d.Rows(t.Context(), `SELECT id||' '||word||' '||n FROM word ORDER BY id`))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A transaction keeps the first error: what comes after it does nothing, its commit fails, and nothing of it is stored.
func TestTx_KeepsItsFirstError(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	change(t, d, func(x *Tx) error { return put(x, 1, "one") })
	unlock, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	x, err := d.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Rollback()
	x.Exec(`INSERT INTO word(id,word,n) VALUES(2,'two',2)`)
	x.Exec(`INSERT INTO nowhere VALUES(1)`)
	first := x.Err()
	if id := x.Insert(`INSERT INTO word(id,word,n) VALUES(3,'three',3)`); first == nil || id != 0 {
		t.Errorf("%v; a row %d was inserted", first, id)
	}
	x.Exec(`INSERT INTO word(id,word,n) VALUES(1,'again',1)`)
	var n int
	if err := x.Row(`SELECT count(*) FROM word`).Scan(&n); !errors.Is(err, first) {
		t.Errorf("a row: %d, %v", n, err)
	}
	if _, err := Values[string](x.Rows(`SELECT word FROM word`)); !errors.Is(err, first) {
		t.Errorf("rows: %v", err)
	}
	if err := x.Commit(); !errors.Is(err, first) {
		t.Errorf("the commit: %v", err)
	}
	x.Rollback()
	if got := words(t, d); !slices.Equal(got, []string{"1 one 1"}) {
		t.Errorf("%q", got)
	}
}

// A folder that had a database never gets a new one by itself.
func TestOpen_RefusesAFolderThatLostItsDatabase(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(c Config) error{
		"the mark is left":      func(c Config) error { return os.Remove(c.path(File)) },
		"the database is empty": func(c Config) error { return os.Truncate(c.path(File), 0) },
		"a used folder is left": func(c Config) error {
			return errors.Join(os.Remove(c.path(File)), os.Remove(c.path(LockFile)), os.MkdirAll(c.path("used/by"), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := testConfig(t)
			if !c.IsNew() {
				t.Error("an empty folder is not new")
			}
			d, err := Open(t.Context(), c)
			if err = errors.Join(err, d.Close(), lose(c)); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), c); !errors.Is(err, versions.ErrTrailLost) || c.IsNew() {
				t.Errorf("open: %v, new: %v", err, c.IsNew())
			}
		})
	}
}

func TestOpen_MigratesACopiedDatabase(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	d := opened(t, c)
	change(t, d, func(x *Tx) error { return put(x, 1, "one") })
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	next := c
	pool := OpenFile(":memory:", "")
	defer func() { _ = pool.Close() }()
	const step = `ALTER TABLE word ADD COLUMN more TEXT NOT NULL DEFAULT ''`
	if _, err := pool.ExecContext(t.Context(), c.Schema[0].Steps+step); err != nil {
		t.Fatal(err)
	}
	_, sum, err := SchemaSum(On(t.Context(), pool))
	if err != nil {
		t.Fatal(err)
	}
	next.Schema = append(c.Schema[:1:1], Migration{Steps: step, Sum: sum})
	upgraded := 0
	next.Upgrade = func(x *Tx, from int) error {
		upgraded = from
		x.Exec(`UPDATE word SET more=word`)
		return x.Err()
	}
	n := opened(t, next)
	var more string
	if err := n.Row(t.Context(), `SELECT more FROM word`).Scan(&more); err != nil || more != "one" || upgraded != 1 {
		t.Errorf("%q, upgraded from %d, %v", more, upgraded, err)
	}
	before := OpenCopy(c.path(BeforeMigration(1)))
	defer func() { _ = before.Close() }()
	if have, err := c.Schema.Format(On(t.Context(), before)); err != nil || have != 1 {
		t.Errorf("the copy is of format %d, %v", have, err)
	}
	if _, err := Open(t.Context(), c); !errors.Is(err, versions.ErrTrailFormat) {
		t.Errorf("the older program opens it: %v", err)
	}
}

// A process that was started before an upgrade writes nothing after it, nor after the files are
// replaced.
func TestAcquire_FailsWhenAWriteWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(c Config) error
		want error
	}{
		"a newer program migrated it": {func(c Config) error {
			pool := OpenFile(c.path(File), "")
			_, err := pool.Exec(`PRAGMA user_version=2`)
			return errors.Join(err, pool.Close())
		}, versions.ErrTrailFormat},
		"the folder was moved away": {func(c Config) error { return os.Rename(c.Dir, c.Dir+"-away") }, versions.ErrHomeGone},
		"another lock is there": {func(c Config) error {
			return errors.Join(os.Remove(c.path(LockFile)), os.WriteFile(c.path(LockFile), nil, 0o600))
		}, versions.ErrHomeGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testConfig(t)
			config.Dir = filepath.Join(config.Dir, "home")
			if err := os.Mkdir(config.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			d := opened(t, config)
			if err := c.do(config); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Acquire(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// Old copies of rows stay in the free space of pages and in the log until both are cleared.
func TestClearSlack_RemovesOldCopiesOfRows(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	d := opened(t, c)
	change(t, d, func(x *Tx) error {
		for i := range 500 {
			if err := put(x, i, fmt.Sprintf("word %d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	planted := []byte("an old copy of a row")
	var count int64
	if err := d.W.QueryRow(`PRAGMA page_count`).Scan(&count); err != nil {
		t.Fatal(err)
	}
	for n := int64(1); n <= count; n++ {
		var page []byte
		if err := d.W.QueryRow(`SELECT data FROM sqlite_dbpage WHERE pgno=?`, n).Scan(&page); err != nil {
			t.Fatal(err)
		}
		pages.EachSlack(page, n, func(b []byte) bool { copy(b, planted); return false })
		if _, err := d.W.Exec(`UPDATE sqlite_dbpage SET data=? WHERE pgno=?`, page, n); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n int) {
		for _, name := range []string{File, File + "-wal"} {
			b, err := os.ReadFile(c.path(name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			n += bytes.Count(b, planted)
		}
		return n
	}
	if left() == 0 {
		t.Fatal("nothing was planted")
	}
	if err := d.ClearSlack(t.Context()); err != nil {
		t.Fatal(err)
	}
	if done, err := d.EmptyLog(t.Context()); err != nil || !done {
		t.Fatalf("%v, %v", done, err)
	}
	if n := left(); n > 0 {
		t.Errorf("%d copies are left", n)
	}
	if n := len(words(t, d)); n != 500 {
		t.Errorf("%d rows", n)
	}
}

func TestRepair_KeepsTheRowsOfPagesThatAreWhole(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	d := opened(t, c)
	change(t, d, func(x *Tx) error {
		for i := range 2000 {
			if err := put(x, i+1, fmt.Sprintf("the word with number %d", i+1)); err != nil {
				return err
			}
		}
		return nil
	})
	var page int64
	if err := d.W.QueryRow(`SELECT pageno FROM dbstat WHERE name='word' AND pagetype='leaf' ORDER BY pageno DESC LIMIT 1`).Scan(&page); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(c.path(File), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, pages.DefaultSize), (page-1)*pages.DefaultSize)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	r := &Repair{Config: c, Rebuild: func(x *Tx, old *Salvage) error {
		if err := c.Schema.Migrate(x, 0, old.Format); err != nil {
			return err
		}
		return old.CopyTo(x, nil)
	}}
	done, err := r.Run(t.Context())
	if err != nil || done.Empty || done.Aside == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	d = opened(t, c)
	got := words(t, d)
	if len(got) == 2000 || len(got) < 1000 {
		t.Errorf("%d rows are there", len(got))
	}
	if _, err := os.Stat(done.Aside); err != nil {
		t.Error(err)
	}
}

func TestError_SaysThatADiskIsFull(t *testing.T) {
	t.Parallel()
	pool := OpenFile(":memory:", "&_pragma=max_page_count(2)")
	defer func() { _ = pool.Close() }()
	_, err := pool.Exec(`CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x)`)
	if !errors.Is(Error(err), memfs.ErrNoSpace) {
		t.Errorf("%v", err)
	}
}
